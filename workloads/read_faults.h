// Impossible reads of transactions.
#pragma once

#include <cstddef>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace verbena::workloads {

/// Faults in records that committed transactions have read, kept for the check after the run.
/// Thread-safe.
class ReadFaults {
 public:
  /// Adds a fault, described in one line. Only the first kMost are kept: more would not help to
  /// find the cause.
  void add(std::string fault) {
    const std::lock_guard guard(mutex_);
    if (faults_.size() < kMost) faults_.push_back(std::move(fault));
  }

  /// Returns and removes the faults that were added since the last call.
  std::vector<std::string> take() {
    const std::lock_guard guard(mutex_);
    return std::exchange(faults_, {});
  }

 private:
  static constexpr std::size_t kMost = 10;

  std::mutex mutex_;
  std::vector<std::string> faults_;
};

}  // namespace verbena::workloads
