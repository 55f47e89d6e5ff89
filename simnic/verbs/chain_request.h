// Operations of PRISM as work requests of the vendor extension describe them.
#pragma once

#include "rdma/chain/operation.h"
#include "rdma/seam/prismdv.h"
#include "simnic/nic/objects.h"

namespace verbena::simnic {

/// Describes the operation of `wr` for a request of `qp`. Returns errno: EINVAL for what the device
/// does not take, ENOMEM where the send queue is full. The responder checks everything else.
int describe(const QueuePair& qp, const prismdv_send_wr& wr, rdma::Operation& operation);

}  // namespace verbena::simnic
