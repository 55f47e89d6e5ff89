// The queue pair state machine behind ibv_modify_qp and ibv_query_qp.
#pragma once

#include <infiniband/verbs.h>

namespace verbena::simnic {

class Node;
struct QueuePair;

/// Acts as ibv_modify_qp: returns 0, or EINVAL for a transition that does not exist, an attribute
/// that is missing or not allowed in it, or a value that is out of range.
int modify_queue_pair(Node& node, QueuePair& qp, const ibv_qp_attr& attr, int mask);

/// Acts as ibv_query_qp; fills in everything, whatever the mask.
int query_queue_pair(const QueuePair& qp, ibv_qp_attr& attr, ibv_qp_init_attr& init);

}  // namespace verbena::simnic
