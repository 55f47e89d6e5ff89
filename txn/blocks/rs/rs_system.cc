// Roles, connections and options.
#include "txn/blocks/rs/rs_system.h"

#include <utility>

#include "rdma/endpoint.h"
#include "txn/blocks/placement.h"
#include "txn/blocks/rs/rs_access.h"
#include "txn/blocks/rs/rs_measures.h"
#include "txn/blocks/rs/rs_node.h"
#include "txn/prism/placement.h"
#include "txn/prism/system_file.h"

namespace verbena::txn::blocks {

RsSystem::RsSystem(SystemInfo info) : info_(std::move(info)) { add_rs_measures(info_); }

std::vector<ParameterSection> RsSystem::parameters() {
  std::vector<Parameter> of_servers = worker_parameters(servers_.workers);
  for (Parameter& one : prism::buffer_parameters(servers_)) of_servers.push_back(std::move(one));
  return {{.name = "prism", .parameters = std::move(of_servers)},
          {.name = "blocks", .parameters = blocks::parameters(options_, servers_.deaths)}};
}

View RsSystem::place(const ClusterShape& shape) const { return blocks::place(info_.name, shape); }

rdma::EndpointOptions RsSystem::endpoint(const rdma::EndpointOptions& asked,
                                         const Deployment& deployment, NodeId node) const {
  rdma::EndpointOptions endpoint = blocks::endpoint(servers_, asked, deployment, node);
  endpoint.agreement =
      agreement(options_, servers_.deaths, prism::agreement(servers_.without, servers_.spares));
  endpoint.scratch_bytes = 0;
  const RsLayout layout(deployment.schema, 0);
  prism::limit_messages(endpoint.rpc, message_bytes(servers_.without, layout));
  return endpoint;
}

std::unique_ptr<Participant> RsSystem::join(rdma::Endpoint& endpoint,
                                            const Deployment& deployment) const {
  prism::check_histories(info_, deployment);
  return std::make_unique<RsNode>(endpoint, deployment, info_, servers_, options_);
}

std::unique_ptr<txn::System> parse_rs_system(const std::string& name, const std::string& file,
                                             std::string_view text) {
  return std::make_unique<RsSystem>(prism::named_info(name, file, text));
}

}  // namespace verbena::txn::blocks
