// Student's distribution by the incomplete beta function.
#include "experiments/points/runs.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "experiments/points/quantity.h"

namespace verbena::experiments {
namespace {

// The continued fraction of the incomplete beta function (Lentz), which converges quickly for x
// below (a + 1) / (a + b + 2).
double beta_fraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300;
  const auto bounded = [](double value) { return std::abs(value) < kTiny ? kTiny : value; };
  double c = 1;
  double d = 1 / bounded(1 - (a + b) * x / (a + 1));
  double fraction = d;
  for (int m = 1; m <= 300; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / bounded(1 + even * d);
    c = bounded(1 + even / c);
    fraction *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / bounded(1 + odd * d);
    c = bounded(1 + odd / c);
    const double change = d * c;
    fraction *= change;
    if (std::abs(change - 1) < 1e-14) break;
  }
  return fraction;
}

// The regularized incomplete beta function.
double incomplete_beta(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double front = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) +
                                a * std::log(x) + b * std::log1p(-x));
  return x < (a + 1) / (a + b + 2) ? front * beta_fraction(a, b, x) / a
                                   : 1 - front * beta_fraction(b, a, 1 - x) / b;
}

// The mean that a single run tells of itself; nothing if it has no interval for the quantity.
std::optional<SampledMean> of_single(const PointResult& run, const std::string& quantity) {
  std::optional<OwnInterval> own;
  double unit = 1;
  if (quantity == "throughput" || quantity == "throughput_per_node") {
    own = run.throughput_interval;
    unit = quantity == "throughput" ? 1e6 : 1e6 * run.computing_nodes;
  } else if (quantity == "mean") {
    own = run.mean_interval_us;
  } else if (quantity == "abort_rate") {
    own = run.abort_share_interval;
  }
  if (!own) return std::nullopt;
  // A series without any scatter has no degrees of freedom, and no width either.
  const double freedom = std::max(1.0, own->degrees_of_freedom);
  return SampledMean{.mean = quantity_of(run, quantity),
                     .standard_error = own->half_width / unit / student_95(freedom),
                     .degrees_of_freedom = freedom};
}

// The difference that one transaction more or less makes.
double resolution(const PointResult& run, const std::string& quantity) {
  if (run.attempts == 0) return 0;
  if (quantity == "throughput") return quantity_of(run, quantity) / run.attempts;
  return quantity == "abort_rate" && run.aborted != 0 ? 1 / run.attempts : 0;
}

}  // namespace

double student_two_sided(double t, double degrees_of_freedom) {
  return incomplete_beta(degrees_of_freedom / 2, 0.5,
                         degrees_of_freedom / (degrees_of_freedom + t * t));
}

double student_95(double degrees_of_freedom) {
  double low = 0;
  double high = 1000;
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (student_two_sided(middle, degrees_of_freedom) > 0.05 ? low : high) = middle;
  }
  return high;
}

double SampledMean::half_width() const {
  return standard_error == 0 ? 0 : standard_error * student_95(degrees_of_freedom);
}

SampledMean mean_of(const std::vector<double>& values) {
  const auto count = static_cast<double>(values.size());
  double sum = 0;
  for (const double value : values) sum += value;
  const double mean = sum / count;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return {.mean = mean,
          .standard_error = std::sqrt(squares / (count - 1) / count),
          .degrees_of_freedom = count - 1};
}

double abort_share(const PointResult& result) {
  return result.attempts == 0 ? 0 : result.aborted / result.attempts;
}

std::optional<SampledMean> sampled(const std::vector<const PointResult*>& runs,
                                   const std::string& quantity) {
  if (runs.size() == 1) return of_single(*runs.front(), quantity);
  std::vector<double> values;
  values.reserve(runs.size());
  for (const PointResult* run : runs) values.push_back(quantity_of(*run, quantity));
  const bool known =
      std::none_of(values.begin(), values.end(), [](double value) { return std::isnan(value); });
  if (values.size() < 2 || !known) return std::nullopt;
  SampledMean mean = mean_of(values);
  // Few runs may have the same count by chance.
  const double counts = std::sqrt(12 * static_cast<double>(values.size()));
  mean.standard_error = std::max(mean.standard_error, resolution(*runs.front(), quantity) / counts);
  return mean;
}

double mean_quantity(const std::vector<const PointResult*>& runs, const std::string& quantity) {
  double sum = 0;
  for (const PointResult* run : runs) sum += quantity_of(*run, quantity);
  return runs.empty() ? std::numeric_limits<double>::quiet_NaN()
                      : sum / static_cast<double>(runs.size());
}

}  // namespace verbena::experiments
