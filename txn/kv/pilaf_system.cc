// Roles, connections and options.
#include "txn/kv/pilaf_system.h"

#include <utility>

#include "rdma/base/random.h"
#include "rdma/endpoint.h"
#include "txn/kv/measures.h"
#include "txn/kv/pilaf_layout.h"
#include "txn/kv/pilaf_node.h"
#include "txn/kv/pilaf_operation.h"
#include "txn/prism/placement.h"
#include "txn/prism/system_file.h"

namespace verbena::txn::kv {

PilafSystem::PilafSystem(SystemInfo info) : info_(std::move(info)) {
  add_measures(info_);
  info_.single_step_updates = false;
}

std::vector<ParameterSection> PilafSystem::parameters() {
  return {{.name = "prism", .parameters = prism::server_parameters(servers_)},
          {.name = "pilaf",
           .parameters = {{.name = "spare_extents",
                           .help = "extents of each table without an object, for each thread of a "
                                   "server; with fewer, one is used again sooner",
                           .target = &spare_extents_,
                           .minimum = 1,
                           .maximum = 1'000'000}}}};
}

View PilafSystem::place(const ClusterShape& shape) const {
  return prism::place(info_.name, servers_, shape);
}

rdma::EndpointOptions PilafSystem::endpoint(const rdma::EndpointOptions& asked,
                                            const Deployment& deployment, NodeId node) const {
  rdma::EndpointOptions endpoint = prism::endpoint(servers_, asked, deployment, node);
  endpoint.background = true;
  endpoint.agreement = static_cast<std::uint32_t>(servers_.deaths.agreement(mix64(spare_extents_)));
  const PilafLayout layout(deployment.schema, 0);
  endpoint.scratch_bytes = deployment.fibers * PilafOperation::scratch_bytes(layout);
  prism::limit_messages(endpoint.rpc, PilafOperation::message_bytes(layout));
  return endpoint;
}

std::unique_ptr<Participant> PilafSystem::join(rdma::Endpoint& endpoint,
                                               const Deployment& deployment) const {
  prism::check_histories(info_, deployment);
  const rdma::ClusterLinks& links = endpoint.links();
  std::uint32_t workers = 0;
  for (std::uint32_t n = 0; n < links.nodes(); ++n) {
    const auto node = static_cast<NodeId>(n);
    if (!deployment.view.computes(node)) workers = links.workers(node);
  }
  return std::make_unique<PilafNode>(endpoint, deployment, info_, servers_.deaths,
                                     std::uint64_t{workers} * spare_extents_);
}

std::unique_ptr<txn::System> parse_pilaf_system(const std::string& name, const std::string& file,
                                                std::string_view text) {
  return std::make_unique<PilafSystem>(prism::named_info(name, file, text));
}

}  // namespace verbena::txn::kv
