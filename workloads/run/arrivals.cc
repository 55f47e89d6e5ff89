// Intervals between arrivals.
#include "workloads/run/arrivals.h"

#include <cmath>

namespace verbena::workloads {

Arrivals::Arrivals(Nanoseconds start, double per_second, bool poisson, Random random)
    : mean_ns_(1e9 / per_second), poisson_(poisson), random_(random), start_(start) {
  next_ns_ = poisson_ ? interval() : mean_ns_ * uniform();
}

Nanoseconds Arrivals::next() const {
  return start_ + Nanoseconds(static_cast<std::int64_t>(next_ns_));
}

Nanoseconds Arrivals::take() {
  const Nanoseconds due = next();
  next_ns_ += interval();
  return due;
}

double Arrivals::interval() { return poisson_ ? -mean_ns_ * std::log(1 - uniform()) : mean_ns_; }

// In [0, 1).
double Arrivals::uniform() { return static_cast<double>(random_.next() >> 11) * 0x1p-53; }

}  // namespace verbena::workloads
