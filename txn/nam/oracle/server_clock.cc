// Taking timestamps of a shared slot, and publishing them in their order.
#include "txn/nam/oracle/server_clock.h"

#include "rdma/base/cache_line.h"
#include "rdma/one_sided/request_batch.h"

namespace verbena::txn::nam {
namespace {

using rdma::Work;

// Nobody wakes who waits, since others may be on other workers.
constexpr Nanoseconds kLook = kMicrosecond / 2;

}  // namespace

Stamp ServerClock::take(rdma::Core& core) {
  core.spend(Work::kLocalAtomic);
  core.change(taken_line_, 1);
  return {.slot = slot_, .count = next_count(taken_.fetch_add(1), slot_)};
}

// A store, for which no core waits.
void ServerClock::done(std::uint32_t count, rdma::Worker& worker) {
  worker.core().spend(Work::kLocalAtomic);
  while (count - end_ > kRing) worker.sleep_until(worker.now() + kLook);
  mark(count).store(count, std::memory_order_release);
}

// Marks come from the caches of those who took the timestamps, a line of them at a time.
std::uint32_t ServerClock::advance(rdma::Core& core) {
  constexpr std::uint32_t kMarksOfLine = kCacheLineBytes / sizeof(std::uint32_t);
  std::uint32_t end = end_;
  while (mark(end + 1).load(std::memory_order_acquire) == end + 1) {
    ++end;
    if (end % kMarksOfLine == 0) core.look(taken_line_);
  }
  end_ = end;
  return end;
}

void ServerClock::run(rdma::Worker& worker, const Layout& layout) {
  rdma::RequestBatch batch(worker.connections());
  for (;;) {
    const bool last = worker.over();
    worker.core().spend(Work::kLocalAtomic);
    const std::uint32_t count = advance(worker.core());
    if (count == published_) {
      if (last) return;
      worker.sleep_until(worker.now() + kLook);
      continue;
    }
    if (count > published_ + 1) worker.core().reach("nam: several commits published at once");
    batch.write(layout.vector().address(slot_), &count, sizeof count);
    batch.post();
    batch.wait();
    published_ = count;
  }
}

void SharedSlot::publish(const Stamp& stamp) {
  clock_.done(stamp.count, worker_);
  if (!await_) return;
  while (!clock_.published(stamp.count)) worker_.sleep_until(worker_.now() + kLook);
}

}  // namespace verbena::txn::nam
