// Commits, their latencies and aborts over the measured window.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "rdma/base/time.h"

namespace verbena::workloads {

/// Counts of one interval.
struct IntervalCounts {
  std::uint32_t committed = 0;
  std::uint32_t aborted = 0;     ///< attempts
  std::uint64_t latency_ns = 0;  ///< summed over the committed

  void merge(const IntervalCounts& other) {
    committed += other.committed;
    aborted += other.aborted;
    latency_ns += other.latency_ns;
  }
};

/// A window cut into equal intervals, each with its counts. Not thread-safe: each worker has its
/// own; merged, interval by interval.
class IntervalSeries {
 public:
  /// Number of intervals of a window that has at least as many nanoseconds; a shorter one has an
  /// interval for each.
  static constexpr std::int64_t kIntervals = 240;

  /// A series of no window: it counts nothing, and becomes what it is merged with.
  IntervalSeries() = default;

  /// The window [from, until) of the worker's clock. The remainder, less than kIntervals
  /// nanoseconds, is part of the last interval.
  IntervalSeries(Nanoseconds from, Nanoseconds until);

  /// A window of so many intervals whose counts are known.
  IntervalSeries(Nanoseconds width, std::vector<IntervalCounts> counts);

  /// A series of a window that begins at `from` and whose end is not known yet. Intervals are
  /// `width` wide first, and twice as wide whenever there would be more than kIntervals.
  static IntervalSeries open(Nanoseconds from, Nanoseconds width);

  /// A transaction was decided, or `count` that took as long; nothing outside of the window.
  void commit(Nanoseconds at, Nanoseconds latency, std::uint32_t count = 1) {
    if (IntervalCounts* interval = find(at)) {
      interval->committed += count;
      interval->latency_ns += count * static_cast<std::uint64_t>(latency.count());
    }
  }
  /// An attempt did not commit.
  void abort(Nanoseconds at) {
    if (IntervalCounts* interval = find(at)) ++interval->aborted;
  }

  /// Adds those of another worker, whose window is as long; or open as this one's is, and began
  /// with intervals as wide.
  void merge(const IntervalSeries& other);

  /// The part of it that lies before `passed` after its beginning: whole intervals only.
  IntervalSeries closed(Nanoseconds passed) const;

  /// The same in at most `count` intervals; what does not fill the last of them is left out.
  IntervalSeries coarser(std::size_t count) const;

  Nanoseconds width() const { return width_; }
  const std::vector<IntervalCounts>& counts() const { return counts_; }

 private:
  IntervalCounts* find(Nanoseconds at) {
    if (at < from_) return nullptr;
    if (at >= until_) {
      if (!open_) return nullptr;
      grow(at);
    }
    const auto index = static_cast<std::size_t>((at - from_).count() / width_.count());
    return &counts_[std::min(index, counts_.size() - 1)];
  }

  void grow(Nanoseconds at);
  void widen();

  Nanoseconds from_ = 0;
  Nanoseconds until_ = 0;
  Nanoseconds width_ = 0;
  bool open_ = false;
  std::vector<IntervalCounts> counts_;
};

}  // namespace verbena::workloads
