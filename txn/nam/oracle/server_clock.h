// The slot that the fibers of a compute server share, and their timestamps in it.
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

/// Timestamps are taken from a counter of the server's memory; they are done in any order, and a
/// fiber in the background publishes those of which none before is open, with one WRITE at a time,
/// however many commits it is about (NAM-DB paper, section 4.2, "compression"; there each thread
/// WRITEs, which may show half of what another one is installing, and let the slot go back).
/// All threads of the server change one counter; what is done is marked in a ring, without a lock.
/// Thread-safe.
class ServerClock {
 public:
  /// Timestamps that the ring holds: a fiber that is so many ahead of one that is open waits for
  /// it.
  static constexpr std::uint32_t kRing = 4096;

  explicit ServerClock(std::uint32_t slot) : slot_(slot), done_(kRing) {}

  Stamp take(rdma::Core& core);

  /// Marks what was taken as done. Waits while the ring has no place for it.
  void done(std::uint32_t count, rdma::Worker& worker);

  /// True if the vector has it.
  bool published(std::uint32_t count) const { return published_ >= count; }

  /// Looks for what has been done since, and returns the last before which none is open. For one
  /// fiber.
  std::uint32_t advance(rdma::Core& core);

  /// The body of the fiber that publishes, for as long as others run.
  void run(rdma::Worker& worker, const Layout& layout);

 private:
  std::atomic<std::uint32_t>& mark(std::uint32_t count) { return done_[count % kRing]; }

  const std::uint32_t slot_;
  // All take timestamps; the publisher alone changes what is in the other lines.
  alignas(kCacheLineBytes) std::atomic<std::uint64_t> taken_ = 0;
  rdma::SharedLine taken_line_;
  alignas(kCacheLineBytes) std::atomic<std::uint32_t> end_ = 0;
  std::atomic<std::uint32_t> published_ = 0;
  std::vector<std::atomic<std::uint32_t>> done_;  // the last there that was done
};

/// Timestamps of a fiber of that server.
class SharedSlot final : public Timestamps {
 public:
  /// `await`: whether publish waits until the vector has it.
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
