// Roles, connections and options.
#include "txn/prism_tx/system.h"

#include <utility>

#include "rdma/base/errors.h"
#include "rdma/base/random.h"
#include "rdma/endpoint.h"
#include "txn/prism/layout.h"
#include "txn/prism/placement.h"
#include "txn/prism/system_file.h"
#include "txn/prism_tx/attempt/measures.h"
#include "txn/prism_tx/node.h"
#include "txn/prism_tx/records/message_bytes.h"
#include "txn/prism_tx/records/slot.h"

namespace verbena::txn::prism_tx {

System::System(SystemInfo info) : info_(std::move(info)) { add_measures(info_); }

std::vector<ParameterSection> System::parameters() {
  std::vector<Parameter> all = prism::server_parameters(servers_);
  for (Parameter& one : prism::buffer_parameters(servers_)) all.push_back(std::move(one));
  return {{.name = "prism", .parameters = std::move(all)},
          {.name = "tx", .parameters = prism_tx::parameters(options_)}};
}

View System::place(const ClusterShape& shape) const {
  return prism::place(info_.name, servers_, shape);
}

// A timestamp and the next one are compared as one, and by which is later. Where chains are of one
// operation each, they may overtake each other, and a key's read has to be validated before its
// write.
void System::check_extensions() const {
  if (servers_.without == prism::Without::kCas) {
    throw ConfigurationError("prism.without=cas; system '" + info_.name +
                             "' compares two timestamps at once, by which is later: allowed are "
                             "nothing, indirection, allocation and chaining");
  }
  if (servers_.without == prism::Without::kChaining && options_.prepare == Prepare::kPipelined &&
      !options_.merge_rmw) {
    throw ConfigurationError(
        "prism.without=chaining with tx.prepare=pipelined; a record's read "
        "has to be validated before its write: allowed are "
        "tx.prepare=sequential and tx.merge_rmw=true");
  }
}

// Nodes that give keys up by different rules might wait for each other.
rdma::EndpointOptions System::endpoint(const rdma::EndpointOptions& asked,
                                       const Deployment& deployment, NodeId node) const {
  check_extensions();
  rdma::EndpointOptions endpoint = prism::endpoint(servers_, asked, deployment, node);
  endpoint.background = true;
  endpoint.agreement = static_cast<std::uint32_t>(prism::agreement(
      servers_.without, servers_.deaths.agreement(mix64(servers_.spares) ^
                                                  static_cast<std::uint64_t>(options_.abort))));
  endpoint.scratch_bytes = 0;
  const prism::Layout layout(deployment.schema, 0, kTimestampedSlots);
  prism::limit_messages(endpoint.rpc,
                        most_message_bytes(servers_.without, layout, deployment.limits));
  return endpoint;
}

std::unique_ptr<Participant> System::join(rdma::Endpoint& endpoint,
                                          const Deployment& deployment) const {
  prism::check_histories(info_, deployment);
  return std::make_unique<Node>(endpoint, deployment, info_, servers_, options_);
}

std::unique_ptr<txn::System> parse_system(const std::string& name, const std::string& file,
                                          std::string_view text) {
  return std::make_unique<System>(prism::named_info(name, file, text));
}

}  // namespace verbena::txn::prism_tx
