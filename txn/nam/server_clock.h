// The slot that the fibers of a compute server share, and their timestamps in it.
#pragma once

#include <atomic>
#include <cstdint>

#include "rdma/base/spin_lock.h"
#include "rdma/worker.h"
#include "txn/nam/layout.h"
#include "txn/nam/timestamps.h"
#include "txn/unbroken_run.h"

namespace verbena::txn::nam {

/// Timestamps are taken from a counter of the server's memory; they are done in any order, and a
/// fiber in the background publishes those of which none before is open, with one WRITE at a time,
/// however many commits it is about (NAM-DB paper, section 4.2, "compression"; there each thread
/// WRITEs, which may show half of what another one is installing, and let the slot go back).
/// Thread-safe.
class ServerClock {
 public:
  explicit ServerClock(std::uint32_t slot) : slot_(slot) {}

  Stamp take();
  void done(std::uint32_t count);
  /// Whether the vector has it.
  bool published(std::uint32_t count) const { return published_ >= count; }

  /// The body of the fiber that publishes, for as long as others run.
  void run(rdma::Worker& worker, const Layout& layout);

 private:
  std::uint32_t end();

  const std::uint32_t slot_;
  SpinLock changing_;
  std::uint32_t taken_ = 0;
  UnbrokenRun done_;
  std::atomic<std::uint32_t> published_ = 0;
};

/// Of a fiber of that server.
class SharedSlot final : public Timestamps {
 public:
  /// `await`: whether publish waits until the vector has it.
  SharedSlot(rdma::Worker& worker, ServerClock& clock, bool await)
      : worker_(worker), clock_(clock), await_(await) {}

  Stamp take() override;
  void publish(const Stamp& stamp) override;

 private:
  rdma::Worker& worker_;
  ServerClock& clock_;
  const bool await_;
};

}  // namespace verbena::txn::nam
