// Welch's t and Holm's step-down.
#include "experiments/compare/significance.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace verbena::experiments {
namespace {

constexpr double kLevel = 0.05;

Change change_of(double by, double error_before, double degrees_before, double error_after,
                 double degrees_after) {
  const double before = error_before * error_before;
  const double after = error_after * error_after;
  const double all = before + after;
  if (all == 0) return {.by = by};
  return {.by = by,
          .standard_error = std::sqrt(all),
          .degrees_of_freedom =
              all * all / (before * before / degrees_before + after * after / degrees_after)};
}

}  // namespace

double Change::half_width() const {
  return standard_error == 0 ? 0 : standard_error * student_95(degrees_of_freedom);
}

double Change::probability(double than) const {
  if (standard_error == 0) return by == than ? 1 : 0;
  return student_two_sided((by - than) / standard_error, degrees_of_freedom);
}

Change relative_change(const SampledMean& before, const SampledMean& after) {
  return change_of(std::log(after.mean / before.mean), before.standard_error / before.mean,
                   before.degrees_of_freedom, after.standard_error / after.mean,
                   after.degrees_of_freedom);
}

Change absolute_change(const SampledMean& before, const SampledMean& after) {
  return change_of(after.mean - before.mean, before.standard_error, before.degrees_of_freedom,
                   after.standard_error, after.degrees_of_freedom);
}

std::vector<bool> significant(const std::vector<double>& probabilities) {
  std::vector<std::size_t> order(probabilities.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return probabilities[a] < probabilities[b]; });
  std::vector<bool> all(probabilities.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (probabilities[order[i]] > kLevel / static_cast<double>(order.size() - i)) break;
    all[order[i]] = true;
  }
  return all;
}

}  // namespace verbena::experiments
