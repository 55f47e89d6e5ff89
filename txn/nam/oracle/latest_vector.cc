// Handing vectors from the fiber that fetches them to those that go by them.
#include "txn/nam/oracle/latest_vector.h"

#include "rdma/base/cache_line.h"

namespace verbena::txn::nam {

using rdma::Work;

LatestVector::LatestVector(std::uint32_t slots) {
  for (Place& place : places_) place.counts = std::vector<std::atomic<std::uint32_t>>(slots);
}

void LatestVector::set(Nanoseconds began_at, std::span<const std::uint32_t> counts,
                       rdma::Core& core) {
  const std::uint32_t number = latest_.load(std::memory_order_relaxed) + 1;
  Place& place = places_[number % kPlaces];
  place.number.store(0, std::memory_order_relaxed);
  place.began_at.store(began_at, std::memory_order_release);
  for (std::size_t slot = 0; slot < counts.size(); ++slot) {
    core.step();
    place.counts[slot].store(counts[slot], std::memory_order_release);
  }
  place.number.store(number, std::memory_order_release);
  latest_.store(number, std::memory_order_release);
  core.spend(Work::kCopyLine, cache_lines(counts.size_bytes()));
  core.change(line_, 1);
}

bool LatestVector::holds(const Stamp& stamp) const {
  for (;;) {
    const std::uint32_t number = latest_.load(std::memory_order_acquire);
    if (number == 0) return false;
    if (stamp.count == 0) return true;
    const Place& place = place_of(number);
    const std::uint32_t count = place.counts[stamp.slot].load(std::memory_order_acquire);
    if (place.number.load(std::memory_order_relaxed) == number) return stamp.count <= count;
  }
}

// Loads that acquire come before the number is looked at again.
Nanoseconds LatestVector::copy(std::span<std::uint32_t> counts, std::uint32_t& known,
                               rdma::Core& core) const {
  for (;;) {
    const std::uint32_t number = latest_.load(std::memory_order_acquire);
    const Place& place = place_of(number);
    const bool there = place.number.load(std::memory_order_acquire) == number;
    const Nanoseconds began_at = place.began_at.load(std::memory_order_acquire);
    for (std::size_t slot = 0; slot < counts.size(); ++slot) {
      core.step();
      counts[slot] = place.counts[slot].load(std::memory_order_acquire);
    }
    core.spend(Work::kCopyLine, cache_lines(counts.size_bytes()));
    if (number != known) core.look(line_);
    known = number;
    if (there && place.number.load(std::memory_order_relaxed) == number) return began_at;
    core.reach("nam: fetched vector was replaced while it was copied");
  }
}

}  // namespace verbena::txn::nam
