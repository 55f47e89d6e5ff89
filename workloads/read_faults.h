// Reads of transactions that cannot be.
#pragma once

#include <cstddef>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace verbena::workloads {

/// Faults of the records that committed transactions have read, kept until the check after the run
/// asks for them. Thread-safe.
class ReadFaults {
 public:
  /// Adds a fault, of one line. Only the first ones are kept: more would tell no more about what
  /// went wrong.
  void add(std::string fault) {
    const std::lock_guard guard(mutex_);
    if (faults_.size() < kMost) faults_.push_back(std::move(fault));
  }

  /// Takes the faults that were added since the last time.
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
