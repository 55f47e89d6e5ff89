// Memory of the keys that lately came into an ordered index or left it.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include "rdma/base/spin_lock.h"
#include "txn/schema/table.h"

namespace verbena::txn {

/// The last changes of an index. They tell code that has scanned a range whether the range has
/// changed since, even if it looks the same again. Thread-safe. Takes no memory before the first
/// change.
class RecentChanges {
 public:
  static constexpr std::uint64_t kKept = 8192;
  static constexpr std::uint32_t kNoEntry = UINT32_MAX;

  /// Adds a change. `entry` is that of a key that came; kNoEntry means a key that left.
  void add(Key key, std::uint32_t entry) {
    const std::lock_guard guard(lock_);
    if (changes_.empty()) changes_.resize(kKept);
    const std::uint64_t next = count_.load(std::memory_order_relaxed);
    changes_[next % kKept] = {key, entry};
    count_.store(next + 1, std::memory_order_release);
  }

  /// Number of changes so far.
  std::uint64_t count() const { return count_.load(std::memory_order_acquire); }

  /// True if a key in [first, last] has come or left since count() was `since`, or if that is too
  /// long ago to tell. Ignores keys that came in an entry for which `is_own` is true.
  template <typename IsOwn>
  bool since(std::uint64_t since, Key first, Key last, IsOwn&& is_own) const {
    const std::lock_guard guard(lock_);
    const std::uint64_t now = count_.load(std::memory_order_relaxed);
    if (now - since > kKept) return true;
    for (std::uint64_t i = since; i < now; ++i) {
      const Change& change = changes_[i % kKept];
      if (change.key < first || change.key > last) continue;
      if (change.entry == kNoEntry || !is_own(change.entry)) return true;
    }
    return false;
  }

 private:
  struct Change {
    Key key;
    std::uint32_t entry;
  };
  mutable SpinLock lock_;
  std::atomic<std::uint64_t> count_{0};
  std::vector<Change> changes_;
};

}  // namespace verbena::txn
