// Keeping some snapshots until they are old.
#include "txn/si2pc/horizon.h"

#include <mutex>

namespace verbena::txn::si2pc {

// Snapshots of clients whose messages overtake each other come out of order; the greatest counts.
void Horizon::saw(std::uint64_t snapshot, Nanoseconds now) {
  if (now.count() < next_.load(std::memory_order_relaxed)) return;
  const std::lock_guard guard(changing_);
  if (!seen_.empty() && snapshot < seen_.back().snapshot) return;
  next_.store((now + patience_ / kKept).count(), std::memory_order_relaxed);
  while (seen_.size() > 1 && seen_[1].at + patience_ <= now) seen_.pop_front();
  seen_.push_back({.snapshot = snapshot, .at = now});
}

std::uint64_t Horizon::held_by_all(Nanoseconds now) const {
  const std::lock_guard guard(changing_);
  std::uint64_t held = 0;
  for (const Seen& one : seen_) {
    if (one.at + patience_ > now) break;
    held = one.snapshot;
  }
  return held;
}

}  // namespace verbena::txn::si2pc
