// The out-of-band channel over which nodes learn of each other before any queue pair is connected.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "rdma/base/time.h"
#include "rdma/base/types.h"

namespace verbena::rdma {

/// A small blackboard per node: each node publishes values, every node can fetch them. Thread-safe.
class Rendezvous {
 public:
  virtual ~Rendezvous() = default;

  /// Makes `value` known as `key` of node `self`. A key is published once.
  virtual void publish(NodeId self, const std::string& key, std::vector<std::byte> value) = 0;

  /// The value that `peer` published as `key`; waits for it for at most `timeout` of wall time.
  /// Throws PeerMissing, with the peer's name (node number and address), when it does not come.
  virtual std::vector<std::byte> fetch(NodeId peer, const std::string& key,
                                       Nanoseconds timeout) = 0;

  /// `peer` as messages name it: its number, and its address where it has one.
  virtual std::string describe(NodeId peer) const { return "node " + std::to_string(peer); }
};

}  // namespace verbena::rdma
