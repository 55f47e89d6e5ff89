// Looked up by what the quantity's name ends in.
#include "experiments/points/quantity_interval.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "experiments/points/quantity.h"
#include "experiments/points/runs.h"

namespace verbena::experiments {
namespace {

constexpr double kNormal = 1.96;  // for 95 %

std::optional<QuantityInterval> from_range(const std::optional<Interval95>& range) {
  if (!range) return std::nullopt;
  return QuantityInterval{.low = range->low, .high = range->high};
}

// The name without `ending`; nothing where it ends in something else.
std::optional<std::string> before(const std::string& quantity, std::string_view ending) {
  if (!quantity.ends_with(ending)) return std::nullopt;
  return quantity.substr(0, quantity.size() - ending.size());
}

const PhaseResult* phase_of(const PointResult& result, const std::string& name) {
  if (const auto found = result.phases.find(name); found != result.phases.end()) {
    return &found->second;
  }
  const auto found = result.times.find(name);
  return found == result.times.end() ? nullptr : &found->second;
}

// Counts of a kind among all are at most as uneven as if each transaction drew its own.
std::optional<QuantityInterval> kind_throughput(const PointResult& result, const KindResult& kind) {
  const double committed = result.attempts - result.aborted;
  if (!result.throughput_interval || result.throughput_per_s <= 0 || committed <= 0) {
    return std::nullopt;
  }
  const double share = kind.throughput_per_s / result.throughput_per_s;
  if (share <= 0) return std::nullopt;
  const double whole = result.throughput_interval->half_width / result.throughput_per_s;
  const double drawn = kNormal * std::sqrt(std::max(0.0, 1 - share) / (share * committed));
  const double value = kind.throughput_per_s / 1e6;
  const double width = value * std::sqrt(whole * whole + drawn * drawn);
  return QuantityInterval{
      .low = value - width,
      .high = value + width,
      .degrees_of_freedom = std::max(1.0, result.throughput_interval->degrees_of_freedom)};
}

}  // namespace

std::optional<QuantityInterval> interval_of(const PointResult& result,
                                            const std::string& quantity) {
  if (const auto mean = sampled({&result}, quantity)) {
    const double width = mean->half_width();
    return QuantityInterval{.low = mean->mean - width,
                            .high = mean->mean + width,
                            .degrees_of_freedom = mean->degrees_of_freedom};
  }
  if (const auto found = result.percentile_intervals_us.find(quantity);
      found != result.percentile_intervals_us.end()) {
    return from_range(found->second);
  }
  if (const auto name = before(quantity, "_p50")) {
    const PhaseResult* phase = phase_of(result, *name);
    return phase == nullptr ? std::nullopt : from_range(phase->p50_interval_us);
  }
  if (const auto name = before(quantity, "_mean")) {
    const PhaseResult* phase = phase_of(result, *name);
    return phase == nullptr ? std::nullopt : from_range(phase->mean_interval_us);
  }
  if (const auto name = before(quantity, "_latency")) {
    const auto kind = result.kinds.find(*name);
    return kind == result.kinds.end() ? std::nullopt : from_range(kind->second.mean_interval_us);
  }
  if (const auto name = before(quantity, "_throughput")) {
    const auto kind = result.kinds.find(*name);
    return kind == result.kinds.end() ? std::nullopt : kind_throughput(result, kind->second);
  }
  return std::nullopt;
}

}  // namespace verbena::experiments
