// Roles, connections and options.
#include "txn/kv/prism_system.h"

#include <utility>

#include "rdma/base/random.h"
#include "rdma/endpoint.h"
#include "txn/kv/measures.h"
#include "txn/kv/prism_node.h"
#include "txn/kv/slots.h"
#include "txn/prism/layout.h"
#include "txn/prism/placement.h"
#include "txn/prism/system_file.h"

namespace verbena::txn::kv {

PrismSystem::PrismSystem(SystemInfo info) : info_(std::move(info)) {
  add_measures(info_);
  info_.inserts = true;
}

std::vector<ParameterSection> PrismSystem::parameters() {
  std::vector<Parameter> all = prism::server_parameters(options_);
  for (Parameter& one : prism::buffer_parameters(options_)) all.push_back(std::move(one));
  return {{.name = "prism", .parameters = std::move(all)}};
}

View PrismSystem::place(const ClusterShape& shape) const {
  return prism::place(info_.name, options_, shape);
}

rdma::EndpointOptions PrismSystem::endpoint(const rdma::EndpointOptions& asked,
                                            const Deployment& deployment, NodeId node) const {
  rdma::EndpointOptions endpoint = prism::endpoint(options_, asked, deployment, node);
  endpoint.background = true;
  endpoint.agreement = static_cast<std::uint32_t>(
      prism::agreement(options_.without, options_.deaths.agreement(mix64(options_.spares))));
  endpoint.scratch_bytes = 0;
  const prism::Layout layout(deployment.schema, 0);
  prism::limit_messages(endpoint.rpc, message_bytes(options_.without, layout));
  return endpoint;
}

std::unique_ptr<Participant> PrismSystem::join(rdma::Endpoint& endpoint,
                                               const Deployment& deployment) const {
  prism::check_histories(info_, deployment);
  return std::make_unique<PrismNode>(endpoint, deployment, info_, options_);
}

std::unique_ptr<txn::System> parse_prism_system(const std::string& name, const std::string& file,
                                                std::string_view text) {
  return std::make_unique<PrismSystem>(prism::named_info(name, file, text));
}

}  // namespace verbena::txn::kv
