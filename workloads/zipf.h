// Random ranks by Zipf's law with any coefficient.
#pragma once

#include <cstdint>

#include "rdma/base/random.h"

namespace verbena::workloads {

/// Random ranks 1 to n: rank k has a probability proportional to h(k) = k^-s, for any s >= 0. 0 is
/// uniform. At 1 and above, the series of h converges slowly or not at all, and may not fit a
/// table.
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
/// Immutable; draw may be called by several threads. The same generator gives the same ranks on
/// every machine (zipf_functions.h).
class Zipf {
 public:
  /// `n` > 0, `s` >= 0.
  Zipf(std::uint64_t n, double s);

  /// A rank; rank 1 is the most frequent.
  std::uint64_t draw(Random& random) const;

 private:
  double weight(double x) const;
  double integral(double x) const;
  double inverse(double y) const;

  double n_;
  double s_;
  double begin_;
  double end_;
  double sure_;
};

}  // namespace verbena::workloads
