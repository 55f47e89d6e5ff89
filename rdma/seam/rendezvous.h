// The out-of-band channel over which nodes learn of each other before any queue pair is connected.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "rdma/base/time.h"
#include "rdma/base/types.h"

namespace verbena::rdma {

/// A small blackboard per node: each node publishes values, every node can fetch them. Thread-safe.
class Rendezvous {
 public:
  virtual ~Rendezvous() = default;

  /// Publishes `value` as `key` of node `self`. A key is published once.
  virtual void publish(NodeId self, const std::string& key, std::vector<std::byte> value) = 0;

  /// Returns the value that `peer` published as `key`; waits for it for at most `timeout` of wall
  /// time. Throws PeerMissing, with the peer's name (node number and address), when it does not
  /// come, and Interrupted as heed() says.
  virtual std::vector<std::byte> fetch(NodeId peer, const std::string& key,
                                       Nanoseconds timeout) = 0;

  /// Makes each fetch() that waits throw Interrupted once `*stop` is set; null, as at first, ends
  /// that. Called before or between fetches; does nothing where all nodes share one process.
  virtual void heed([[maybe_unused]] const std::atomic<bool>* stop) {}

  /// Waits, for at most `timeout` of wall time, until `peer` has fetched what `self` published as
  /// `key`. Returns false when it has not. Returns at once where all nodes share one process.
  virtual bool await_fetch([[maybe_unused]] NodeId self, [[maybe_unused]] const std::string& key,
                           [[maybe_unused]] NodeId peer, [[maybe_unused]] Nanoseconds timeout) {
    return true;
  }

  /// Tells that this process ends, for the reason `why`: other processes that fetch a value which
  /// is not there get a PeerMissing with that reason. Waits until all of them have asked or have
  /// ended, too, for at most `linger` of wall time. Does nothing where all nodes share one process.
  virtual void end([[maybe_unused]] const std::string& why, [[maybe_unused]] Nanoseconds linger) {}

  /// Number of connections so far to the addresses of this process that came from no peer.
  virtual std::uint64_t strangers() const { return 0; }

  /// Returns the name of `peer` for messages: its number, and its address where it has one.
  virtual std::string describe(NodeId peer) const { return "node " + std::to_string(peer); }
};

}  // namespace verbena::rdma
