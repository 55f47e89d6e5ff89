// Taking timestamps of a shared slot, and publishing them in their order.
#include "txn/nam/server_clock.h"

#include <mutex>

#include "rdma/one_sided/request_batch.h"

namespace verbena::txn::nam {
namespace {

using rdma::Work;

// Nobody wakes who waits, since others may be on other workers.
constexpr Nanoseconds kLook = kMicrosecond / 2;

}  // namespace

Stamp ServerClock::take() {
  const std::lock_guard guard(changing_);
  taken_ = next_count(taken_, slot_);
  return {.slot = slot_, .count = taken_};
}

void ServerClock::done(std::uint32_t count) {
  const std::lock_guard guard(changing_);
  done_.add(count);
}

std::uint32_t ServerClock::end() {
  const std::lock_guard guard(changing_);
  return done_.end();
}

void ServerClock::run(rdma::Worker& worker, const Layout& layout) {
  rdma::RequestBatch batch(worker.connections());
  for (;;) {
    const bool last = worker.over();
    worker.core().spend(Work::kLocalAtomic);
    const std::uint32_t count = end();
    if (count == published_) {
      if (last) return;
      worker.sleep_until(worker.now() + kLook);
      continue;
    }
    if (count > published_ + 1) worker.core().reach("nam: several commits published at once");
    batch.write(layout.vector(slot_), &count, sizeof count);
    batch.post();
    batch.wait();
    published_ = count;
  }
}

Stamp SharedSlot::take() {
  worker_.core().spend(Work::kLocalAtomic);
  return clock_.take();
}

void SharedSlot::publish(const Stamp& stamp) {
  worker_.core().spend(Work::kLocalAtomic);
  clock_.done(stamp.count);
  if (!await_) return;
  while (!clock_.published(stamp.count)) worker_.sleep_until(worker_.now() + kLook);
}

}  // namespace verbena::txn::nam
