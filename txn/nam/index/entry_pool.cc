// Taking entries, and giving them up.
#include "txn/nam/index/entry_pool.h"

#include <mutex>

#include "txn/nam/node_options.h"

namespace verbena::txn::nam {

bool EntryPool::reusable(Nanoseconds now) const {
  if (free_.empty() || free_.front().since + with_slack(longest_transaction_) >= now) return false;
  return !may_reuse_ || may_reuse_(free_.front().since);
}

bool EntryPool::take(Nanoseconds now, Taken& taken) {
  const std::lock_guard guard(changing_);
  if (reusable(now)) {
    taken = {.entry = free_.front().entry, .again = true};
    free_.pop_front();
    return true;
  }
  const std::uint64_t entry = used();
  if (entry == capacity_) return false;
  next_.store(entry + 1, std::memory_order_relaxed);
  taken = {.entry = static_cast<std::uint32_t>(entry), .again = false};
  return true;
}

std::uint64_t EntryPool::spare() {
  const std::lock_guard guard(changing_);
  return capacity_ - used() + free_.size();
}

void EntryPool::give_up(std::uint32_t entry, Nanoseconds now) {
  const std::lock_guard guard(changing_);
  free_.push_back({.entry = entry, .since = now});
}

void EntryPool::give_back(std::uint32_t entry) {
  const std::lock_guard guard(changing_);
  free_.push_front({.entry = entry, .since = kLongAgo});
}

}  // namespace verbena::txn::nam
