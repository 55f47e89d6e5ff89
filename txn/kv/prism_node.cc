// The transactions of a client.
#include "txn/kv/prism_node.h"

#include "rdma/rpc/rpc.h"
#include "rdma/worker.h"
#include "txn/kv/packed_slots.h"
#include "txn/kv/prism_operation.h"
#include "txn/kv/slots.h"
#include "txn/prism/placement.h"
#include "txn/prism/state_at_rest.h"

namespace verbena::txn::kv {

PrismNode::PrismNode(rdma::Endpoint& endpoint, const Deployment& deployment, const SystemInfo& info,
                     const prism::ServerOptions& options)
    : ObjectsNode(endpoint, deployment, info, options, slot_format(options.without),
                  [&options](const auto& layout, auto& region, auto& server,
                             const auto& keeper) -> std::unique_ptr<prism::SlotsAtRest> {
                    if (options.without == prism::Without::kCas) {
                      return std::make_unique<PackedAtRest>(layout, region, server, keeper);
                    }
                    return std::make_unique<prism::SlotsAtRest>(layout, region, server, keeper);
                  }),
      without_(options.without) {}

void PrismNode::start() {
  check_offsets(without_, layout().region_bytes());
  prism::check_messages(endpoint().worker(static_cast<WorkerId>(0)).rpc().max_payload(),
                        message_bytes(without_, layout()),
                        "a chain that installs the longest record");
}

std::unique_ptr<txn::Transaction> PrismNode::transaction(WorkerId worker, std::uint16_t) {
  rdma::Worker& own = endpoint().worker(worker);
  return std::make_unique<PrismOperation>(own, deployment(), layout(),
                                          make_slots(without_, own, stock(worker)), reports(worker),
                                          worker_metrics(worker));
}

}  // namespace verbena::txn::kv
