// The control path of simulated devices.
#pragma once

#include "rdma/base/types.h"
#include "rdma/seam/fabric.h"

namespace verbena::simnic {

class Cluster;

/// Control path of simulated devices. Objects know their cluster; `select_node` chooses the node
/// whose devices get_device_list lists.
const rdma::VerbsTable& sim_verbs_table();
void select_node(Cluster& cluster, NodeId node);
/// Forgets the selected node if it is of `cluster`.
void deselect_node(const Cluster& cluster);

}  // namespace verbena::simnic
