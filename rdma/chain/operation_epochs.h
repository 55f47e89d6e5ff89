// When operations that are in flight now will have ended.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "rdma/base/cache_line.h"

namespace verbena::rdma {

/// The executors of a server, each of which carries out one chain at a time. A buffer that was
/// given back may be used again when whatever was in flight then has ended: an indirect READ may
/// have fetched the pointer to it and not its data (PRISM paper, section 4.2, which has a
/// readers-writer lock for this). Thread-safe.
class OperationEpochs {
 public:
  explicit OperationEpochs(std::size_t executors) : counts_(executors) {}

  /// Marks `executor` as busy, from before its first access to memory. Called by it alone.
  void begin(std::size_t executor) {
    step(executor);
    std::atomic_thread_fence(std::memory_order_seq_cst);
  }
  /// Marks it as idle, when it has made the last one.
  void end(std::size_t executor) { step(executor); }

  /// The executors that were busy at one moment.
  class InFlight {
   private:
    friend class OperationEpochs;
    std::vector<std::pair<std::uint32_t, std::uint64_t>> busy_;  // executors, with their counts
  };

  /// To be called after the pointers to what is given back have been replaced.
  InFlight now() const {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    InFlight in_flight;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      const std::uint64_t count = counts_[i].steps.load();
      if (count % 2 != 0) in_flight.busy_.emplace_back(static_cast<std::uint32_t>(i), count);
    }
    return in_flight;
  }

  /// True when all of that has ended; forgets what has.
  bool over(InFlight& in_flight) const {
    std::erase_if(in_flight.busy_, [this](const auto& busy) {
      return counts_[busy.first].steps.load(std::memory_order_acquire) != busy.second;
    });
    return in_flight.busy_.empty();
  }

 private:
  struct alignas(kCacheLineBytes) Count {
    std::atomic<std::uint64_t> steps{0};  // odd: busy
  };

  void step(std::size_t executor) { counts_[executor].steps.fetch_add(1); }

  std::vector<Count> counts_;
};

}  // namespace verbena::rdma
