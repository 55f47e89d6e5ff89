// Sentences from estimates, columns from a series.
#include "experiments/report/text/precision_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "experiments/config/keys/texts.h"
#include "experiments/config/keys/units.h"
#include "experiments/report/result/shown_percentiles.h"

namespace verbena::experiments {
namespace {

using workloads::Course;
using workloads::Drift;
using workloads::JudgedMean;

std::string percent_text(double share) {
  const double percent = 100 * share;
  return percent < 10 ? fmt::format("{:.2g}", percent) : fmt::format("{:.0f}", percent);
}

/// Few values, as commits that come at a fixed rate, may not differ at all.
constexpr const char* kBlind = "- (its parts are all alike, which tells no width)";

// No width: that of a rounding error.
bool is_blind(const workloads::Estimate& estimate) {
  return estimate.half_width <= 1e-9 * estimate.mean;
}

// Half of the width, of the mean.
std::string relative_text(const char* name, const std::optional<JudgedMean>& mean) {
  if (!mean || mean->estimate.mean == 0) return "";
  if (mean->estimate.half_width >= mean->estimate.mean) return fmt::format("{} unknown", name);
  if (is_blind(mean->estimate)) return fmt::format("{} {}", name, kBlind);
  return fmt::format("{} +-{} %{}", name,
                     percent_text(mean->estimate.half_width / mean->estimate.mean),
                     mean->comes_to_rest() ? "" : " or more");
}

// A share and half of its width, with as many decimals as that deserves.
std::string share_text(const workloads::Estimate& share) {
  if (is_blind(share)) return fmt::format("{:.2f} % {}", 100 * share.mean, kBlind);
  const double width = 100 * share.half_width;
  const int decimals = std::clamp(1 - static_cast<int>(std::floor(std::log10(width))), 0, 4);
  return fmt::format("{:.{}f} +-{:.{}f} %", 100 * share.mean, decimals, width, decimals);
}

const char* drift_text(Drift drift) {
  switch (drift) {
    case Drift::kRises:
      return ": it rises";
    case Drift::kFalls:
      return ": it falls";
    case Drift::kSwings:
      return ": it swings";
    default:
      return "";
  }
}

std::string remedy_text(const char* name, const std::optional<JudgedMean>& mean,
                        std::optional<Nanoseconds> warm_up) {
  if (!mean || mean->course == Course::kSteady) return "";
  if (!mean->comes_to_rest()) {
    return fmt::format("{} does not come to rest in this time{}", name, drift_text(mean->drift));
  }
  if (!warm_up) return fmt::format("the first {} of {} differ", time_text(mean->beginning), name);
  const Nanoseconds enough =
      (*warm_up + mean->beginning + kMicrosecond - 1_ns) / 1000 * std::int64_t{1000};
  return fmt::format("the first {} of {} differ: leave them out, --warmup {}",
                     time_text(mean->beginning), name, format_duration(enough));
}

// How often, for how long, and how high.
std::string bursts_text(const workloads::Bursts& bursts) {
  const auto count = static_cast<std::int64_t>(bursts.count);
  return fmt::format(
      "throughput comes in bursts: {} in {}, each for {} on average and {:.1f} times as high as "
      "the "
      "mean",
      count, time_text(bursts.time), time_text(bursts.lasting / count), bursts.height);
}

bool is_changing(const std::optional<JudgedMean>& mean) {
  return mean && mean->course != Course::kSteady;
}

// Nothing says otherwise: where there is too little to say, rest is not what is missing.
bool is_at_rest(const workloads::Precision& precision) {
  return !is_changing(precision.throughput_per_s) && !is_changing(precision.mean_latency_ns);
}

// Tells whether the intervals are as asked for, whatever they promise.
bool is_narrow(const workloads::Precision& precision, double goal) {
  const auto narrow = [&](const std::optional<JudgedMean>& mean) {
    return mean && mean->estimate.half_width <= goal * mean->estimate.mean;
  };
  return narrow(precision.throughput_per_s) && narrow(precision.mean_latency_ns) &&
         (!precision.abort_share || precision.abort_share->estimate.half_width <= goal);
}

}  // namespace

std::string time_text(Nanoseconds time) {
  constexpr std::array<std::pair<double, const char*>, 4> kUnits = {
      {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}}};
  const auto ns = static_cast<double>(time.count());
  for (const auto& [unit, name] : kUnits) {
    if (ns < unit && unit != 1) continue;
    const double value = ns / unit;
    return fmt::format("{:.{}f} {}", value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0, name);
  }
  return "";
}

std::string precision_text(const workloads::Precision& precision) {
  std::vector<std::string> parts = {relative_text("throughput", precision.throughput_per_s),
                                    relative_text("mean latency", precision.mean_latency_ns)};
  std::erase(parts, "");
  if (parts.empty()) return "too short, or too few of them, for 95 % intervals";
  if (precision.abort_share) {
    parts.push_back("aborts " + share_text(precision.abort_share->estimate));
  }
  return fmt::format("{} (95 %)", fmt::join(parts, ", "));
}

const char* end_name(const Measurement& measurement, bool interrupted) {
  using workloads::WindowEnd;
  if (measurement.ended_by == WindowEnd::kPrecision) return "precision";
  if (interrupted) return "interruption";
  if (measurement.ended_by == WindowEnd::kCommits) return "max-commits";
  return measurement.ended_by == WindowEnd::kMemory ? "max-memory" : "max-duration";
}

namespace {

// The limit, as users set it. By default that of memory is another one on each machine.
std::string limit_text(const Measurement& measurement, bool interrupted) {
  if (interrupted) return "the interruption";
  std::string flag = fmt::format("--{}", end_name(measurement, interrupted));
  if (measurement.ended_by != workloads::WindowEnd::kMemory) return flag;
  return fmt::format("{} {}", flag, format_memory_size(measurement.most_memory_bytes));
}

}  // namespace

std::string goal_text(const Measurement& measurement, bool interrupted) {
  if (!measurement.goal || measurement.ended_by == workloads::WindowEnd::kPrecision) return "";
  const double goal = *measurement.goal;
  const std::string asked = fmt::format("+-{:.2g} % was asked for", 100 * goal);
  const std::string first = limit_text(measurement, interrupted);
  const bool narrow = is_narrow(measurement.precision, goal);
  if (!is_at_rest(measurement.precision)) {
    return fmt::format("; it had not come to rest{} when {} ended it",
                       narrow ? "" : ", and " + asked + ",", first);
  }
  // As narrow as that for a moment may be luck: see workloads::RunWindow.
  if (narrow) return fmt::format("; {}, and not yet confirmed when {} ended it", asked, first);
  return fmt::format("; {}: {} came first", asked, first);
}

std::string unsteady_text(const workloads::Precision& precision,
                          std::optional<Nanoseconds> warm_up) {
  std::vector<std::string> parts = {
      remedy_text("throughput", precision.throughput_per_s, warm_up),
      remedy_text("mean latency", precision.mean_latency_ns, warm_up)};
  if (precision.abort_share && precision.abort_share->course != Course::kSteady) {
    parts.emplace_back("the share of aborts is on its way to somewhere else");
  }
  std::erase(parts, "");
  if (precision.bursts.count > 0) {
    parts.push_back(bursts_text(precision.bursts));
  } else if (precision.stalled > 0) {
    parts.push_back(
        fmt::format("for {} throughput was below half of the usual", time_text(precision.stalled)));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::string over_time_text(const workloads::IntervalSeries& series, std::string_view unit) {
  constexpr std::array kColumns = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  constexpr std::uint64_t kHighest = kColumns.size() - 1;
  const workloads::IntervalSeries shown = series.coarser(kShownIntervals);
  if (shown.counts().empty()) return "nothing";
  std::uint64_t most = 0;
  for (const auto& counts : shown.counts()) most = std::max<std::uint64_t>(most, counts.committed);
  std::string text;
  for (const auto& counts : shown.counts()) {
    const std::uint64_t eighths =
        most == 0 ? 0 : (2 * counts.committed * kHighest + most) / (2 * most);
    // Any count but zero is seen.
    text += kColumns[counts.committed == 0 ? 0 : std::max<std::uint64_t>(1, eighths)];
  }
  return fmt::format("{}  {} each, up to {}{}/s", text, time_text(shown.width()),
                     format_scaled(static_cast<double>(most) / to_seconds(shown.width())), unit);
}

std::string in_flight_text(const Measurement& measurement) {
  const Histogram& ages = measurement.in_flight;
  if (ages.count() == 0) return "nothing at the end";
  const auto time = [](std::uint64_t ns) { return time_text(Nanoseconds(ns)); };
  const std::string waiting =
      measurement.backlog == 0 ? ""
                               : fmt::format(", {} of them due and not begun", measurement.backlog);
  const std::string median = time(ages.percentile(0.5)) + " (p50) to ";
  return fmt::format("{} at the end{}, for {}{}{}; the last ended {} later", ages.count(), waiting,
                     is_bounded(ages, 0.5) ? median : "up to ", time(ages.max()),
                     ages.max() > measurement.latency.max() ? ", longer than any latency" : "",
                     time_text(measurement.in_flight_until));
}

}  // namespace verbena::experiments
