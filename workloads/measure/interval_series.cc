// Cutting windows, and adding intervals up.
#include "workloads/measure/interval_series.h"

#include <cassert>
#include <utility>

namespace verbena::workloads {

IntervalSeries::IntervalSeries(Nanoseconds from, Nanoseconds until)
    : from_(from),
      until_(until),
      width_(std::max<std::int64_t>(1, (until - from).count() / kIntervals)) {
  counts_.resize(static_cast<std::size_t>(std::min(kIntervals, (until - from).count())));
}

IntervalSeries::IntervalSeries(Nanoseconds width, std::vector<IntervalCounts> counts)
    : until_(width * static_cast<std::int64_t>(counts.size())),
      width_(width),
      counts_(std::move(counts)) {}

IntervalSeries IntervalSeries::open(Nanoseconds from, Nanoseconds width) {
  IntervalSeries series(from, from + width * kIntervals);
  series.open_ = true;
  return series;
}

void IntervalSeries::grow(Nanoseconds at) {
  while (at >= until_) widen();
}

void IntervalSeries::widen() {
  const std::size_t half = counts_.size() / 2;
  for (std::size_t i = 0; i < half; ++i) {
    IntervalCounts pair = counts_[2 * i];
    pair.merge(counts_[2 * i + 1]);
    counts_[i] = pair;
  }
  std::fill(counts_.begin() + static_cast<std::ptrdiff_t>(half), counts_.end(), IntervalCounts());
  width_ += width_;
  until_ = from_ + width_ * kIntervals;
}

void IntervalSeries::merge(const IntervalSeries& other) {
  if (other.counts_.empty()) return;
  if (counts_.empty()) {
    *this = other;
    return;
  }
  assert(open_ == other.open_);
  if (open_ && other.width_ < width_) {
    IntervalSeries wide = other;
    while (wide.width_ < width_) wide.widen();
    return merge(wide);
  }
  while (open_ && width_ < other.width_) widen();
  assert(other.width_ == width_ && other.counts_.size() == counts_.size());
  for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i].merge(other.counts_[i]);
}

IntervalSeries IntervalSeries::closed(Nanoseconds passed) const {
  if (counts_.empty()) return *this;
  IntervalSeries whole = *this;
  if (open_ && passed > 0) whole.grow(from_ + passed - 1_ns);
  whole.open_ = false;
  whole.counts_.resize(std::min(counts_.size(), static_cast<std::size_t>(passed / whole.width_)));
  whole.until_ = from_ + whole.width_ * static_cast<std::int64_t>(whole.counts_.size());
  return whole;
}

IntervalSeries IntervalSeries::coarser(std::size_t count) const {
  if (counts_.size() <= count) return *this;
  const std::size_t together = (counts_.size() + count - 1) / count;
  IntervalSeries wide;
  wide.from_ = from_;
  wide.width_ = width_ * static_cast<std::int64_t>(together);
  wide.counts_.resize(counts_.size() / together);
  wide.until_ = from_ + wide.width_ * static_cast<std::int64_t>(wide.counts_.size());
  for (std::size_t i = 0; i < wide.counts_.size() * together; ++i) {
    wide.counts_[i / together].merge(counts_[i]);
  }
  return wide;
}

}  // namespace verbena::workloads
