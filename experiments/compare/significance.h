// The test that tells if two means differ by more than chance.
#pragma once

#include <optional>
#include <vector>

#include "experiments/points/runs.h"

namespace verbena::experiments {

/// How a mean has changed, in a unit that the function which made it tells.
struct Change {
  double by = 0;              ///< 0: not at all
  double standard_error = 0;  ///< of `by`
  double degrees_of_freedom = 1;

  /// Half of the width of its 95 % interval.
  double half_width() const;

  /// How probable it is that chance alone makes it differ as far from `than` as it does, in the
  /// same direction or the other; by Welch's test.
  double probability(double than = 0) const;
};

/// The logarithm of the quotient of `after` and `before`, both above 0: small ones are relative
/// changes.
Change relative_change(const SampledMean& before, const SampledMean& after);

/// The difference of `after` and `before`.
Change absolute_change(const SampledMean& before, const SampledMean& after);

/// Which of several probabilities are too small for chance, when together no more than 5 of 100
/// such sets are to have one that is so by chance (Holm's method).
std::vector<bool> significant(const std::vector<double>& probabilities);

}  // namespace verbena::experiments
