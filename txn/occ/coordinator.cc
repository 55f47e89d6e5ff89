// Setting up what the transactions of a worker share.
#include "txn/occ/coordinator.h"

#include "txn/occ/transaction_node.h"

namespace verbena::txn::occ {

namespace {

// That a backup is asked to apply at once. Where messages have it apply them, it only has to tell.
constexpr std::uint64_t kReclaimedBytes = 2048;
constexpr std::uint64_t kHalfOfTheRing = UINT64_MAX;

}  // namespace

Coordinator::Coordinator(TransactionNode& node, rdma::Worker& worker)
    : node_(node),
      worker_(worker),
      measurements_(worker, system_info(node.plan()), node.options().record_history),
      log_space_(worker, node.log_layout(), node.options().fibers,
                 node.plan().log_again ? kHalfOfTheRing : kReclaimedBytes, measurements_) {}

}  // namespace verbena::txn::occ
