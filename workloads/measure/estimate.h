// A mean with its 95 % interval, from a series.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace verbena::workloads {

/// The true mean lies within `half_width` of `mean` in about 95 of 100 repetitions.
struct Estimate {
  double mean = 0;
  double half_width = 0;
  double standard_error = 0;  ///< of the mean; half_width is Student's t times it
  double degrees_of_freedom = 0;
  /// Correlation of neighbouring batches: close to 1 in a series that is on its way to another
  /// mean, of which the interval then says nothing.
  double correlation = 0;
};

/// Number of batches of which an estimate is made.
inline constexpr std::size_t kBatches = 24;

/// The quotient of the sums of `numerators` and `denominators`, elements of which belong together
/// and follow one another in time: "latencies over commits", "commits over intervals". For its
/// interval the series is cut into kBatches batches (batch means, as Law and Kelton
/// have them), whose deviations from the common quotient are taken for those of a first-order
/// autoregressive process (as Fishman does): the interval is wider where neighbours are alike. A
/// process that remembers longer than a quarter of the series is beyond that.
///
/// `lasting`: by what is known beside the series, the part of a deviation that is left a batch
/// later. So few batches tell badly how long that goes on.
///
/// Nothing when there are fewer elements than batches, or when the denominators sum up to zero.
std::optional<Estimate> estimate_quotient(std::span<const double> numerators,
                                          std::span<const double> denominators, double lasting = 0);

/// Half of the 95 % interval of the same quotient, from the deviations of `groups` groups of
/// neighbours, at least 4, which are taken for independent. What lasts for longer than a batch and
/// not as long as a group shows here, and hardly in how alike neighbouring batches are. The
/// denominators must not sum up to zero, and there must be as many elements as groups.
double grouped_half_width(std::span<const double> numerators, std::span<const double> denominators,
                          std::size_t groups);

}  // namespace verbena::workloads
