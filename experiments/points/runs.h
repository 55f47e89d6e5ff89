// Several runs of the same point: their mean, and how far chance moves it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "experiments/points/point_result.h"

namespace verbena::experiments {

/// A mean and its standard error, estimated with so many degrees of freedom.
struct SampledMean {
  double mean = 0;
  double standard_error = 0;
  double degrees_of_freedom = 0;

  /// Half of the width of the 95 % interval, by Student's distribution.
  double half_width() const;
};

/// Mean of independent values, two or more; its standard error follows from how they
/// differ.
SampledMean mean_of(const std::vector<double>& values);

/// The quantile of Student's distribution between whose negative and which lies 95 %.
double student_95(double degrees_of_freedom);

/// How probable it is that |t| of Student's distribution is at least `t`.
double student_two_sided(double t, double degrees_of_freedom);

/// The share of attempts that did not commit.
double abort_share(const PointResult& result);

/// Means over several runs of a point that differ in their seeds; or what a single one tells of
/// itself by what happened over time. Nothing where chance is unknown: a single one that tells
/// nothing. Of quantity_names (quantity.h), in their units; of a single run only throughput, mean
/// and abort_rate.
std::optional<SampledMean> sampled(const std::vector<const PointResult*>& runs,
                                   const std::string& quantity);

/// The mean of `runs`, whether or not chance is known.
double mean_quantity(const std::vector<const PointResult*>& runs, const std::string& quantity);

}  // namespace verbena::experiments
