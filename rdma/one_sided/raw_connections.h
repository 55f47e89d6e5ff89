// The connected queue pairs of a worker, for code that builds, posts and polls requests itself.
#pragma once

#include <infiniband/verbs.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "rdma/base/types.h"

namespace verbena::rdma {

class Connections;

/// Replaces RequestBatch and Worker::run, which must then not be used on the same worker: nothing
/// here counts slots of send queues or waits for completions. For use after Endpoint::connect(). As
/// thread-safe as the device's verbs.
class RawConnections {
 public:
  /// `connections`, of Worker::connections(), must outlive this.
  explicit RawConnections(const Connections& connections) : connections_(connections) {}

  /// Destination of requests to a region of a peer.
  struct Target {
    std::uint64_t base;  ///< address of the region's first byte there
    std::uint64_t bytes;
    std::uint32_t key;
  };
  /// Returns the target of a region. Throws std::logic_error, as post does, when there is no
  /// connection to `peer`.
  Target target(NodeId peer, RegionId region) const;

  /// Local key of the worker's scratch memory (Worker::allocate_scratch).
  std::uint32_t local_key() const;

  /// Bytes that each queue pair accepts inline.
  std::uint32_t inline_bytes() const;

  /// Posts a chain of requests to one of the queue pairs to `peer`, with one doorbell. Throws
  /// VerbsError that names the queue pair.
  void post(NodeId peer, std::uint32_t queue_pair, ibv_send_wr* chain) const;

  /// Takes completions of all queue pairs. Returns their number. Throws VerbsError.
  std::size_t poll(std::span<ibv_wc> completions) const;

  /// Throws the failure that a completion tells, naming queue pair and peer: PeerMissing when the
  /// peer has not answered, VerbsError otherwise.
  [[noreturn]] void throw_failure(const ibv_wc& completion) const;

 private:
  const Connections& connections_;
};

}  // namespace verbena::rdma
