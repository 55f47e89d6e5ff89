// Setting up what the transactions of a worker share.
#include "txn/occ/coordinator.h"

#include "txn/occ/transaction_node.h"

namespace verbena::txn::occ {

Coordinator::Coordinator(TransactionNode& node, rdma::Worker& worker)
    : node_(node),
      worker_(worker),
      measurements_(worker, system_info(node.plan()), node.options().record_history),
      log_space_(worker, node.log_layout(), node.options().fibers, node.reclaimed_bytes(),
                 measurements_) {}

}  // namespace verbena::txn::occ
