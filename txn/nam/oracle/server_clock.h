// Slot that the fibers of a compute server share, and their timestamps in it.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "rdma/base/cache_line.h"
#include "rdma/seam/shared_line.h"
#include "rdma/worker.h"
#include "txn/nam/oracle/timestamps.h"
#include "txn/nam/records/layout.h"

namespace verbena::txn::nam {

/// Takes timestamps from a counter in the server's memory. Fibers finish them in any order. A
/// background fiber publishes the longest run of finished ones, with one WRITE at a time for any
/// number of commits (NAM-DB paper, section 4.2, "compression"; there each thread WRITEs, which may
/// show half of another one's installation and let the slot go back). All threads of the server
/// change one counter; finished timestamps are marked in a ring, without a lock. Thread-safe.
class ServerClock {
 public:
  /// Timestamps that the ring holds: a fiber that is this far ahead of an open one waits for it.
  static constexpr std::uint32_t kRing = 4096;

  explicit ServerClock(std::uint32_t slot) : slot_(slot), done_(kRing) {}

  Stamp take(rdma::Core& core);

  /// Marks a timestamp as done. Waits while the ring has no place for it.
  void done(std::uint32_t count, rdma::Worker& worker);

  /// True if the vector has published the timestamp.
  bool published(std::uint32_t count) const { return published_ >= count; }

  /// Looks for timestamps done since, and returns the last before which none is open. For one
  /// fiber.
  std::uint32_t advance(rdma::Core& core);

  /// Body of the fiber that publishes; runs as long as others do.
  void run(rdma::Worker& worker, const Layout& layout);

 private:
  std::atomic<std::uint32_t>& mark(std::uint32_t count) { return done_[count % kRing]; }

  const std::uint32_t slot_;
  // All take timestamps; the publisher alone changes what is in the other lines.
  alignas(kCacheLineBytes) std::atomic<std::uint64_t> taken_ = 0;
  rdma::SharedLine taken_line_;
  alignas(kCacheLineBytes) std::atomic<std::uint32_t> end_ = 0;
  std::atomic<std::uint32_t> published_ = 0;
  std::vector<std::atomic<std::uint32_t>> done_;  // latest done timestamp of each place
};

/// Takes timestamps for one fiber of a server with a ServerClock.
class SharedSlot final : public Timestamps {
 public:
  /// `await`: true if publish waits until the vector has the commit.
  SharedSlot(rdma::Worker& worker, ServerClock& clock, bool await)
      : worker_(worker), clock_(clock), await_(await) {}

  Stamp take() override { return clock_.take(worker_.core()); }
  void publish(const Stamp& stamp) override;

 private:
  rdma::Worker& worker_;
  ServerClock& clock_;
  const bool await_;
};

}  // namespace verbena::txn::nam
