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

  /// Makes `value` known as `key` of node `self`. A key is published once.
  virtual void publish(NodeId self, const std::string& key, std::vector<std::byte> value) = 0;

  /// The value that `peer` published as `key`; waits for it for at most `timeout` of wall time.
  /// Throws PeerMissing, with the peer's name (node number and address), when it does not come, and
  /// Interrupted when heed() says so.
  virtual std::vector<std::byte> fetch(NodeId peer, const std::string& key,
                                       Nanoseconds timeout) = 0;

  /// From now on each fetch() that waits ends with Interrupted once `*stop` is set; with null, as
  /// at first, none does. Before or between fetches; does nothing where all nodes share one
  /// process.
  virtual void heed([[maybe_unused]] const std::atomic<bool>* stop) {}

  /// Waits, for at most `timeout` of wall time, until `peer` has fetched what `self` published as
  /// `key`. False: it has not. At once where all nodes share one process.
  virtual bool await_fetch([[maybe_unused]] NodeId self, [[maybe_unused]] const std::string& key,
                           [[maybe_unused]] NodeId peer, [[maybe_unused]] Nanoseconds timeout) {
    return true;
  }

  /// Ends in this process, for the reason `why`: others that fetch what is not there, and never
  /// will be, get a PeerMissing that has it. Waits until all of them have asked or have ended, too,
  /// for at most `linger` of wall time. Does nothing where all nodes share one process.
  virtual void end([[maybe_unused]] const std::string& why, [[maybe_unused]] Nanoseconds linger) {}

  /// The number of connections so far to the addresses of this process that were no peer's.
  virtual std::uint64_t strangers() const { return 0; }

  /// `peer` as messages name it: its number, and its address where it has one.
  virtual std::string describe(NodeId peer) const { return "node " + std::to_string(peer); }
};

}  // namespace verbena::rdma
