// Setting up what the transactions of a worker share.
#include "txn/occ/attempt/coordinator.h"

#include "txn/occ/node/node_state.h"

namespace verbena::txn::occ {

Coordinator::Coordinator(NodeState& node, rdma::Worker& worker)
    : node_(node),
      worker_(worker),
      measurements_(worker, system_info(node.plan()), node.options().record_history),
      log_space_(worker, node.log_layout(), node.options().fibers, node.reclaimed_bytes(),
                 measurements_) {}

}  // namespace verbena::txn::occ
