// Tests whether two means differ by more than chance.
#pragma once

#include <optional>
#include <vector>

#include "experiments/points/runs.h"

namespace verbena::experiments {

/// Change of a mean. Its unit depends on the function that made it.
struct Change {
  double by = 0;              ///< 0: no change
  double standard_error = 0;  ///< of `by`
  double degrees_of_freedom = 1;

  /// Half the width of the 95 % interval of the change.
  double half_width() const;

  /// Two-sided p-value of the hypothesis that the true change is `than`, by Welch's test.
  double probability(double than = 0) const;
};

/// Logarithm of `after` / `before`, both above 0. Small values are about the relative change.
Change relative_change(const SampledMean& before, const SampledMean& after);

/// Difference `after` - `before`.
Change absolute_change(const SampledMean& before, const SampledMean& after);

/// Tells which of several p-values are significant by Holm's method: the probability that any of
/// them is so by chance alone is at most 5 %.
std::vector<bool> significant(const std::vector<double>& probabilities);

}  // namespace verbena::experiments
