// The rule MSER-5, from the end of the series to its beginning.
#include "workloads/measure/steadiness.h"

#include <cstdint>
#include <limits>
#include <vector>

namespace verbena::workloads {

std::size_t transient_of(std::span<const double> series) {
  std::vector<double> means(series.size() / kTogether);
  for (std::size_t i = 0; i < means.size() * kTogether; ++i) {
    means[i / kTogether] += series[i] / kTogether;
  }
  double least = std::numeric_limits<double>::infinity();
  std::size_t best = 0;
  // From the end: the sums grow by one element at a time.
  double sum = 0;
  double squares = 0;
  for (std::size_t left_out = means.size(); left_out-- > 0;) {
    sum += means[left_out];
    squares += means[left_out] * means[left_out];
    if (2 * left_out > means.size()) continue;
    const auto rest = static_cast<double>(means.size() - left_out);
    const double error = (squares - sum * sum / rest) / (rest * rest);
    if (error > least) continue;
    least = error;
    best = left_out;
  }
  return best * kTogether;
}

}  // namespace verbena::workloads
