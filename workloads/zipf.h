// Ranks by Zipf's law, of any coefficient.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "rdma/base/random.h"

namespace verbena::workloads {

/// Ranks 1 to n of which rank k has a probability proportional to h(k) = k^-s, for any s >= 0: 0 is
/// uniform, at 1 and above the series of h would converge only slowly or not fit a table.
///
/// By rejection-inversion (W. Hörmann, G. Derflinger: Rejection-inversion to generate variates from
/// monotone discrete distributions, ACM TOMACS 6(3), 1996), which needs no table and constant time
/// for any n. H(x) is the integral of h from 1 to x. As h is convex, the area below it between
/// k - 1/2 and k + 1/2 is at least h(k). So a uniform point u of the whole area, inverted to x and
/// rounded to k, is accepted if it lies in the last h(k) of k's part, H(k + 1/2) - h(k) <= u: then
/// every k is accepted with a probability proportional to exactly h(k). Rank 1 begins where it has
/// no more than its h(1) = 1. Most points need no second evaluation of H: when x is not further
/// below k than where rank 2 begins to be accepted, no rank refuses it, since the accepted part of
/// higher ranks begins further below.
///
/// H is (x^(1-s) - 1) / (1-s), and ln x at s = 1; it is computed so that it is precise near 1 too.
///
/// Immutable; draw may be called by several threads. Numbers are double: another mathematical
/// library, one whose last bits differ, moves one draw in some 10^11 to a neighbouring rank.
class Zipf {
 public:
  /// `n` > 0, `s` >= 0.
  Zipf(std::uint64_t n, double s)
      : n_(static_cast<double>(n)),
        s_(s),
        begin_(integral(1.5) - 1),
        end_(integral(n_ + 0.5)),
        sure_(2 - inverse(integral(2.5) - weight(2))) {}

  /// A rank; rank 1 is the most frequent.
  std::uint64_t draw(Random& random) const {
    for (;;) {
      const double uniform = static_cast<double>(random.next() >> 11) * 0x1p-53;
      const double u = end_ + uniform * (begin_ - end_);
      const double x = inverse(u);
      const double k = std::clamp(std::floor(x + 0.5), 1.0, n_);
      if (k - x <= sure_ || u >= integral(k + 0.5) - weight(k))
        return static_cast<std::uint64_t>(k);
    }
  }

 private:
  double weight(double x) const { return std::exp(-s_ * std::log(x)); }

  // H: ln x * (e^t - 1) / t for t = (1 - s) ln x.
  double integral(double x) const {
    const double log_x = std::log(x);
    const double t = (1 - s_) * log_x;
    return t == 0 ? log_x : log_x * (std::expm1(t) / t);
  }

  // The x with H(x) = y: e^(ln(1 + t) / t * y) for t = (1 - s) y.
  double inverse(double y) const {
    // Rounding may lead beyond what H can reach.
    const double t = std::max((1 - s_) * y, -1.0);
    return std::exp(t == 0 ? y : y * (std::log1p(t) / t));
  }

  double n_;
  double s_;
  double begin_;
  double end_;
  double sure_;
};

}  // namespace verbena::workloads
