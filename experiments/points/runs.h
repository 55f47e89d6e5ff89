// Several runs of the same point: their mean and its standard error.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "experiments/points/point_result.h"

namespace verbena::experiments {

/// A mean and its standard error.
struct SampledMean {
  double mean = 0;
  double standard_error = 0;
  double degrees_of_freedom = 0;

  /// Half the width of the 95 % interval, by Student's distribution.
  double half_width() const;
};

/// Computes the mean of two or more independent values, and its standard error from their scatter.
SampledMean mean_of(const std::vector<double>& values);

/// The quantile t of Student's distribution for which 95 % lie between -t and t.
double student_95(double degrees_of_freedom);

/// Probability that |t| of Student's distribution is at least `t`.
double student_two_sided(double t, double degrees_of_freedom);

/// Share of attempts that did not commit.
double abort_share(const PointResult& result);

/// Mean of a quantity over runs of a point that differ in their seeds; of a single run, with the
/// standard error that it computed from its own course. Nothing where the effect of chance is
/// unknown: a single run without an interval. Accepts all quantity_names (quantity.h), in their
/// units; of a single run only throughput, mean and abort_rate.
std::optional<SampledMean> sampled(const std::vector<const PointResult*>& runs,
                                   const std::string& quantity);

/// Mean of a quantity over `runs`, also where the effect of chance is unknown.
double mean_quantity(const std::vector<const PointResult*>& runs, const std::string& quantity);

}  // namespace verbena::experiments
