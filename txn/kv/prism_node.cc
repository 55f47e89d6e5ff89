// The transactions of a client.
#include "txn/kv/prism_node.h"

#include "rdma/rpc/rpc.h"
#include "rdma/worker.h"
#include "txn/kv/prism_operation.h"
#include "txn/prism/placement.h"
#include "txn/prism/state_at_rest.h"

namespace verbena::txn::kv {

PrismNode::PrismNode(rdma::Endpoint& endpoint, const Deployment& deployment, const SystemInfo& info,
                     const prism::ServerOptions& options)
    : ObjectsNode(endpoint, deployment, info, options, prism::kBoundedSlots,
                  [](const auto& layout, auto& region, auto& server, const auto& keeper) {
                    return std::make_unique<prism::SlotsAtRest>(layout, region, server, keeper);
                  }) {}

void PrismNode::start() {
  prism::check_messages(endpoint().worker(static_cast<WorkerId>(0)).rpc().max_payload(),
                        PrismOperation::message_bytes(layout()),
                        "a chain that installs the longest record");
}

std::unique_ptr<txn::Transaction> PrismNode::transaction(WorkerId worker, std::uint16_t) {
  return std::make_unique<PrismOperation>(endpoint().worker(worker), deployment(), layout(),
                                          reports(worker), worker_metrics(worker));
}

}  // namespace verbena::txn::kv
