// The objects of a server that operations of PRISM are measured on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "experiments/bench/bench_options.h"
#include "rdma/device/cluster_links.h"
#include "rdma/prism/chain_server.h"
#include "rdma/seam/first_touch_memory.h"

namespace verbena::rdma {
class Endpoint;
}  // namespace verbena::rdma

namespace verbena::experiments {

/// The places of slots, objects and buffers, alike at all servers: first slots of a pointer and a
/// bound each, then the objects that these lead to, then the buffers for those that are allocated.
class PrismObjects {
 public:
  /// Leaves room for all buffers that fibers of clients, whose workers `links` knows, may have in
  /// hand or on their way back.
  PrismObjects(const BenchOptions& options, const rdma::ClusterLinks& links);

  /// The number of a server's list of buffers.
  static constexpr rdma::FreeListId kBuffers = 0;

  std::uint64_t region_bytes() const { return first_buffer_ + std::uint64_t{buffers_} * stride_; }
  rdma::PageLoader loader() const;

  /// The place of the slot that `random` picks.
  static std::uint64_t slot(std::uint64_t random) { return random % kSlots * kSlotBytes; }

  /// Bytes of a message that a chain of one operation takes, or its answer, at most.
  std::size_t message_bytes() const;

  /// Has all workers of `endpoint` carry chains out on its region, whose number is 0. Throws
  /// ConfigurationError when a payload is larger than a message can be.
  std::unique_ptr<rdma::ChainServer> serve(rdma::Endpoint& endpoint) const;

 private:
  static constexpr std::uint64_t kSlots = 4096;
  static constexpr std::uint64_t kSlotBytes = 16;

  std::uint32_t payload_bytes_;
  std::uint32_t stride_;
  std::uint64_t objects_;
  std::uint64_t first_buffer_;
  std::uint32_t buffers_;
};

}  // namespace verbena::experiments
