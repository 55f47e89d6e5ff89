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
  std::uint32_t aborted = 0;     ///< attempts that did not commit
  std::uint64_t latency_ns = 0;  ///< summed over committed transactions

  void merge(const IntervalCounts& other) {
    committed += other.committed;
    aborted += other.aborted;
    latency_ns += other.latency_ns;
  }
};

/// A window cut into equal intervals, each with its counts. Not thread-safe: each worker has its
/// own, and they are merged interval by interval.
class IntervalSeries {
 public:
  /// Number of intervals of a window. A window of fewer nanoseconds has an interval for each
  /// nanosecond.
  static constexpr std::int64_t kIntervals = 240;

  /// Creates a series without a window. It counts nothing; merging turns it into a copy of the
  /// other.
  IntervalSeries() = default;

  /// Creates a series for the window [from, until) of the worker's clock. The last interval
  /// includes the remainder, less than kIntervals nanoseconds.
  IntervalSeries(Nanoseconds from, Nanoseconds until);

  /// Creates a window of intervals with known counts.
  IntervalSeries(Nanoseconds width, std::vector<IntervalCounts> counts);

  /// Creates a series for a window that begins at `from` and whose end is not known yet. Intervals
  /// start `width` wide and double whenever there would be more than kIntervals.
  static IntervalSeries open(Nanoseconds from, Nanoseconds width);

  /// Counts `count` committed transactions of the same latency; ignores those outside of the
  /// window.
  void commit(Nanoseconds at, Nanoseconds latency, std::uint32_t count = 1) {
    if (IntervalCounts* interval = find(at)) {
      interval->committed += count;
      interval->latency_ns += count * static_cast<std::uint64_t>(latency.count());
    }
  }
  /// Counts an attempt that did not commit.
  void abort(Nanoseconds at) {
    if (IntervalCounts* interval = find(at)) ++interval->aborted;
  }

  /// Adds the series of another worker. Its window must have the same length; or both are open and
  /// began with equally wide intervals.
  void merge(const IntervalSeries& other);

  /// Returns the part before `passed` after the beginning, in whole intervals.
  IntervalSeries closed(Nanoseconds passed) const;

  /// Returns the series in at most `count` intervals, without those that do not fill the last one.
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
