// The data path of simulated devices: what the code on a core does, and what it costs the core.
#pragma once

#include <infiniband/verbs.h>

#include "rdma/seam/prismdv.h"
#include "simnic/nic/node.h"

namespace verbena::simnic {

int post_send(Node& node, QueuePair& qp, ibv_send_wr* wr, ibv_send_wr** bad);
int post_chain(Node& node, QueuePair& qp, prismdv_send_wr* wr, prismdv_send_wr** bad);
int post_receive(Node& node, QueuePair& qp, ibv_recv_wr* wr, ibv_recv_wr** bad);
int post_shared_receive(Node& node, SharedReceiveQueue& srq, ibv_recv_wr* wr, ibv_recv_wr** bad);
int poll(Node& node, CompletionQueue& cq, int entries, ibv_wc* out);

}  // namespace verbena::simnic
