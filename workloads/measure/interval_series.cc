// Cutting windows, and adding intervals up.
#include "workloads/measure/interval_series.h"

#include <cassert>

namespace verbena::workloads {

IntervalSeries::IntervalSeries(Nanoseconds from, Nanoseconds until)
    : from_(from),
      until_(until),
      width_(std::max<std::int64_t>(1, (until - from).count() / kIntervals)) {
  counts_.resize(static_cast<std::size_t>(std::min(kIntervals, (until - from).count())));
}

void IntervalSeries::merge(const IntervalSeries& other) {
  if (other.counts_.empty()) return;
  if (counts_.empty()) {
    *this = other;
    return;
  }
  assert(other.width_ == width_ && other.counts_.size() == counts_.size());
  for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i].merge(other.counts_[i]);
}

IntervalSeries IntervalSeries::coarser(std::size_t count) const {
  assert(kIntervals % static_cast<std::int64_t>(count) == 0);
  if (counts_.size() < static_cast<std::size_t>(kIntervals)) return *this;
  const std::size_t together = counts_.size() / count;
  IntervalSeries wide;
  wide.from_ = from_;
  wide.until_ = until_;
  wide.width_ = width_ * static_cast<std::int64_t>(together);
  wide.counts_.resize(count);
  for (std::size_t i = 0; i < counts_.size(); ++i) wide.counts_[i / together].merge(counts_[i]);
  return wide;
}

}  // namespace verbena::workloads
