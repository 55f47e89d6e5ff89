// Roles, connections and options.
#include "txn/blocks/lock/lock_system.h"

#include <utility>

#include "rdma/base/errors.h"
#include "rdma/endpoint.h"
#include "txn/blocks/lock/lock_layout.h"
#include "txn/blocks/lock/lock_measures.h"
#include "txn/blocks/lock/lock_node.h"
#include "txn/blocks/lock/lock_operation.h"
#include "txn/blocks/placement.h"
#include "txn/prism/placement.h"
#include "txn/prism/system_file.h"

namespace verbena::txn::blocks {

LockSystem::LockSystem(SystemInfo info) : info_(std::move(info)) { add_lock_measures(info_); }

std::vector<ParameterSection> LockSystem::parameters() {
  std::vector<Parameter> of_blocks = blocks::parameters(options_, servers_.deaths);
  for (Parameter& one : lock_parameters(options_)) of_blocks.push_back(std::move(one));
  of_blocks.push_back(
      {.name = "trust_atomics_across_nics",
       .help = "take atomics of several NICs of a server to exclude each other, as locks need it",
       .target = &trust_atomics_across_nics_});
  return {{.name = "prism", .parameters = worker_parameters(servers_.workers)},
          {.name = "blocks", .parameters = std::move(of_blocks)}};
}

void LockSystem::set_defaults(const FabricTraits& fabric) {
  trust_atomics_across_nics_ = fabric.atomics_exclude_across_nics;
}

View LockSystem::place(const ClusterShape& shape) const { return blocks::place(info_.name, shape); }

// Cores exclude each other.
void LockSystem::check_nics(const rdma::EndpointOptions& endpoint,
                            const Deployment& deployment) const {
  const std::uint32_t nics = endpoint.links->nics(deployment.view.primary(PartitionId{0}));
  if (nics == 1 || trust_atomics_across_nics_ || endpoint.requests_by_cores()) return;
  throw ConfigurationError(
      "system '" + info_.name + "' locks by " + std::to_string(nics) +
      " NICs per node, but the atomics of one NIC do not exclude those of another "
      "(IBV_ATOMIC_HCA); allowed are one NIC (--nics-per-node 1), --prism software, or "
      "blocks.trust_atomics_across_nics=true, which takes the exclusion for granted");
}

rdma::EndpointOptions LockSystem::endpoint(const rdma::EndpointOptions& asked,
                                           const Deployment& deployment, NodeId node) const {
  rdma::EndpointOptions endpoint = blocks::endpoint(servers_, asked, deployment, node);
  check_nics(endpoint, deployment);
  endpoint.agreement = agreement(options_, servers_.deaths, 0);
  const std::size_t clients = deployment.view.computes(node) ? deployment.fibers : 0;
  endpoint.scratch_bytes = clients * LockOperation::scratch_bytes(LockLayout(deployment.schema),
                                                                  replicas(deployment.view).size());
  prism::limit_messages(endpoint.rpc, 0);
  return endpoint;
}

std::unique_ptr<Participant> LockSystem::join(rdma::Endpoint& endpoint,
                                              const Deployment& deployment) const {
  prism::check_histories(info_, deployment);
  return std::make_unique<LockNode>(endpoint, deployment, info_, servers_.deaths, options_);
}

std::unique_ptr<txn::System> parse_lock_system(const std::string& name, const std::string& file,
                                               std::string_view text) {
  return std::make_unique<LockSystem>(prism::named_info(name, file, text));
}

}  // namespace verbena::txn::blocks
