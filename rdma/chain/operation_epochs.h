// Epochs, which tell when the operations that are in flight now have ended.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "rdma/base/cache_line.h"

namespace verbena::rdma {

/// Knowledge of the operations that are in flight at a server.
class Epochs {
 public:
  virtual ~Epochs() = default;

  /// Operations in flight at one moment: numbers that `over` understands.
  using InFlight = std::vector<std::pair<std::uint32_t, std::uint64_t>>;

  /// Returns what is in flight. Called after the pointers to a returned buffer have been replaced.
  virtual InFlight now() const = 0;

  /// Returns true when all of `in_flight` has ended; forgets the part that has.
  virtual bool over(InFlight& in_flight) const = 0;
};

/// Epochs of a server's executors, each of which carries out one chain at a time. A buffer that was
/// given back may be used again only when all operations then in flight have ended: an indirect
/// READ may have fetched the pointer to it, but not yet its data (PRISM paper, section 4.2, which
/// has a readers-writer lock for this). Thread-safe.
class OperationEpochs final : public Epochs {
 public:
  explicit OperationEpochs(std::size_t executors) : counts_(executors) {}

  /// Marks `executor` as busy. Called by it alone, before its first access to memory.
  void begin(std::size_t executor) {
    step(executor);
    std::atomic_thread_fence(std::memory_order_seq_cst);
  }
  /// Marks `executor` as idle. Called by it alone, after its last access.
  void end(std::size_t executor) { step(executor); }

  InFlight now() const override {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    InFlight in_flight;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      const std::uint64_t count = counts_[i].steps.load();
      if (count % 2 != 0) in_flight.emplace_back(static_cast<std::uint32_t>(i), count);
    }
    return in_flight;
  }

  bool over(InFlight& in_flight) const override {
    std::erase_if(in_flight, [this](const auto& busy) {
      return counts_[busy.first].steps.load(std::memory_order_acquire) != busy.second;
    });
    return in_flight.empty();
  }

 private:
  struct alignas(kCacheLineBytes) Count {
    std::atomic<std::uint64_t> steps{0};  // odd: busy
  };

  void step(std::size_t executor) { counts_[executor].steps.fetch_add(1); }

  std::vector<Count> counts_;
};

}  // namespace verbena::rdma
