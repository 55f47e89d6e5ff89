// Rejection-inversion.
#include "workloads/zipf.h"

#include <algorithm>
#include <cmath>

#include "workloads/zipf_functions.h"

namespace verbena::workloads {

Zipf::Zipf(std::uint64_t n, double s)
    : n_(static_cast<double>(n)),
      s_(s),
      begin_(integral(1.5) - 1),
      end_(integral(n_ + 0.5)),
      sure_(2 - inverse(integral(2.5) - weight(2))) {}

std::uint64_t Zipf::draw(Random& random) const {
  for (;;) {
    const double uniform = static_cast<double>(random.next() >> 11) * 0x1p-53;
    const double u = end_ + uniform * (begin_ - end_);
    const double x = inverse(u);
    const double k = std::clamp(std::floor(x + 0.5), 1.0, n_);
    if (k - x <= sure_ || u >= integral(k + 0.5) - weight(k)) return static_cast<std::uint64_t>(k);
  }
}

double Zipf::weight(double x) const { return exponential(-s_ * natural_log(x)); }

// H: ln x * (e^t - 1) / t for t = (1 - s) ln x.
double Zipf::integral(double x) const {
  const double log_x = natural_log(x);
  return log_x * expm1_ratio((1 - s_) * log_x);
}

// The x with H(x) = y: e^(ln(1 + t) / t * y) for t = (1 - s) y.
double Zipf::inverse(double y) const {
  // Rounding may lead to what H does not reach, or beyond.
  const double t = std::max((1 - s_) * y, -1 + 0x1p-53);
  return exponential(y * log1p_ratio(t));
}

}  // namespace verbena::workloads
