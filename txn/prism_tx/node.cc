// The transactions of a client.
#include "txn/prism_tx/node.h"

#include "rdma/base/random.h"
#include "rdma/rpc/rpc.h"
#include "rdma/worker.h"
#include "txn/prism/placement.h"
#include "txn/prism_tx/at_rest.h"
#include "txn/prism_tx/attempt/transaction.h"
#include "txn/prism_tx/records/message_bytes.h"
#include "txn/prism_tx/records/slot.h"

namespace verbena::txn::prism_tx {
namespace {

// Each node's own, the same for a seed.
Nanoseconds ahead_of(const rdma::Endpoint& endpoint, Nanoseconds clock_skew) {
  constexpr std::uint64_t kStream = 0x636c6f636b;
  Random random(mix64(endpoint.options().seed ^ kStream) + endpoint.node());
  return Nanoseconds(random.between(0, clock_skew.count()));
}

}  // namespace

Node::Node(rdma::Endpoint& endpoint, const Deployment& deployment, const SystemInfo& info,
           const prism::ServerOptions& servers, const Options& options)
    : ObjectsNode(endpoint, deployment, info, servers, kTimestampedSlots,
                  [this](const auto& layout, auto& region, auto& server, const auto& keeper) {
                    return std::make_unique<ObjectsAtRest>(layout, region, server, keeper, owners_);
                  }),
      options_(options),
      without_(servers.without),
      clients_(endpoint.links(), deployment),
      owners_(endpoint, clients_),
      ahead_(ahead_of(endpoint, options.clock_skew)) {}

void Node::start() {
  prism::check_messages(endpoint().worker(static_cast<WorkerId>(0)).rpc().max_payload(),
                        least_message_bytes(without_, layout()),
                        "a chain that installs the longest record");
}

std::unique_ptr<txn::Transaction> Node::transaction(WorkerId worker, std::uint16_t fiber) {
  const std::uint64_t number =
      clients_.number_of({.node = endpoint().node(), .worker = worker, .fiber = fiber});
  return std::make_unique<PrismTransaction>(
      endpoint().worker(worker), deployment(), layout(), options_, without_, owners_,
      reports(worker), stock(worker), worker_metrics(worker), Timestamps(number, ahead_));
}

}  // namespace verbena::txn::prism_tx
