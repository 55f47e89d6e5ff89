// The product-limit estimator over the buckets of histograms.
#include "workloads/measure/survival.h"

#include <algorithm>
#include <cstddef>

namespace verbena::workloads {

Survival::Survival(const Histogram& ended, const Histogram& censored, const Histogram& entered) {
  // At risk of ending: who is seen at that age.
  auto at_risk = static_cast<double>(ended.count() + censored.count() - entered.count());
  double survive = 1;
  for (std::size_t i = 0; i < Histogram::kBuckets; ++i) {
    at_risk += static_cast<double>(entered.in_bucket(i));
    const auto ends = static_cast<double>(ended.in_bucket(i));
    if (ends > 0) {
      survive *= 1 - ends / std::max(at_risk, ends);
      steps_.push_back(
          {Histogram::lowest_of(i), std::min(Histogram::highest_of(i), ended.max()), 1 - survive});
    }
    at_risk -= ends + static_cast<double>(censored.in_bucket(i));
  }
}

std::optional<std::uint64_t> Survival::percentile(double fraction) const {
  const auto step = std::ranges::lower_bound(steps_, fraction, {}, &Step::done);
  if (step == steps_.end()) return std::nullopt;
  const double before = step == steps_.begin() ? 0 : std::prev(step)->done;
  const double share = (fraction - before) / (step->done - before);
  const auto width = static_cast<double>(step->highest - step->lowest);
  return step->lowest + static_cast<std::uint64_t>(width * share);
}

}  // namespace verbena::workloads
