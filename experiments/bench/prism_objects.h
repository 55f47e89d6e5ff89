// The objects of a server on which operations of PRISM are measured.
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

/// Layout of a server's region, the same at all servers: first slots, each with a pointer and a
/// bound; then the objects that they point to; then the buffers for ALLOCATE.
class PrismObjects {
 public:
  /// Reserves enough buffers for all fibers of clients: those that they hold, and those on their
  /// way back. `links` tells the clients' workers.
  PrismObjects(const BenchOptions& options, const rdma::ClusterLinks& links);

  /// Number of the free list of a server.
  static constexpr rdma::FreeListId kBuffers = 0;

  std::uint64_t region_bytes() const { return first_buffer_ + std::uint64_t{buffers_} * stride_; }
  rdma::PageLoader loader() const;

  /// Offset of the slot that the random number `random` selects.
  static std::uint64_t slot(std::uint64_t random) { return random % kSlots * kSlotBytes; }

  /// Longest message, in bytes, of a chain of one operation or of its answer.
  std::size_t message_bytes() const;

  /// Makes all workers of `endpoint` execute chains on its region 0. Throws ConfigurationError when
  /// a payload is larger than a message can be.
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
