// A mean with its 95 % interval, estimated from a series.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace verbena::workloads {

/// A mean; the true mean lies within `half_width` of it in about 95 of 100 repetitions.
struct Estimate {
  double mean = 0;
  double half_width = 0;
  double standard_error = 0;  ///< of the mean; half_width is Student's t times this
  double degrees_of_freedom = 0;
  /// Correlation of neighbouring batches. Close to 1 for a series that is moving to another mean;
  /// the interval is then meaningless.
  double correlation = 0;
};

/// Number of batches in an estimate.
inline constexpr std::size_t kBatches = 24;

/// Estimates the quotient of the sums of `numerators` and `denominators`, pairs that follow one
/// another in time: "latencies over commits", "commits over intervals". For the interval, the
/// series is cut into kBatches batches (batch means, as in Law and Kelton). Their deviations from
/// the common quotient are modelled as a first-order autoregressive process (as in Fishman), which
/// widens the interval where neighbours are correlated. It does not cover processes that remember
/// longer than a quarter of the series.
///
/// `lasting` is a lower bound, from knowledge besides the series, on the part of a deviation that
/// remains a batch later; so few batches estimate it badly.
///
/// Returns nothing when there are fewer elements than batches or the denominators sum up to zero.
std::optional<Estimate> estimate_quotient(std::span<const double> numerators,
                                          std::span<const double> denominators, double lasting = 0);

/// Half the 95 % interval of the same quotient, from the deviations of `groups` groups of
/// neighbours (at least 4), taken as independent. It shows effects longer than a batch and shorter
/// than a group, which hardly show in the correlation of batches. The denominators must not sum up
/// to zero, and there must be at least as many elements as groups.
double grouped_half_width(std::span<const double> numerators, std::span<const double> denominators,
                          std::size_t groups);

}  // namespace verbena::workloads
