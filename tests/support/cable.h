// The cable of a node of a simulated cluster, which a test interrupts for a time.
#pragma once

#include <simgrid/s4u.hpp>
#include <string>

#include "rdma/base/types.h"

namespace verbena::testing {

/// One direction of the cable between a node with one NIC and the switch. While it is interrupted,
/// datagrams that would take it are lost. Only while the cluster runs.
class Cable {
 public:
  static Cable from(NodeId node) { return Cable(node, "_UP"); }
  static Cable to(NodeId node) { return Cable(node, "_DOWN"); }

  void interrupt() { link_->turn_off(); }
  void mend() { link_->turn_on(); }

 private:
  Cable(NodeId node, const char* direction)
      : link_(simgrid::s4u::Link::by_name("cable-node-" + std::to_string(node) + direction)) {}

  simgrid::s4u::Link* link_;
};

}  // namespace verbena::testing
