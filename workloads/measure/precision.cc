// The means of a run and what its course does to them.
#include "workloads/measure/precision.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "workloads/measure/steadiness.h"

namespace verbena::workloads {
namespace {

/// Fewer of what is counted say nothing about how precise its count is.
constexpr double kLeastCount = 2.0 * kBatches;

/// Neighbouring batches of a process that forgets within the series are rarely so much alike.
constexpr double kTrend = 0.6;

/// By how much of its usual scatter a beginning stands out.
constexpr double kOutstanding = 4;

/// By how much of its usual scatter what is like the rest may differ from it.
constexpr double kLike = 2;

/// Throughput of an interval with fewer commits is not looked at alone.
constexpr std::uint64_t kLeastToStall = 100;
constexpr std::size_t kStallIntervals = 60;

/// Elements of a quotient over time.
struct Quotient {
  std::vector<double> above;
  std::vector<double> below;

  void add(double numerator, double denominator) {
    above.push_back(numerator);
    below.push_back(denominator);
  }
  std::size_t size() const { return above.size(); }
  std::optional<Estimate> estimate(std::size_t first) const { return estimate(first, size()); }
  std::optional<Estimate> estimate(std::size_t first, std::size_t last) const {
    return estimate_quotient(std::span(above).subspan(first, last - first),
                             std::span(below).subspan(first, last - first));
  }
  Quotient reversed() const {
    return {{above.rbegin(), above.rend()}, {below.rbegin(), below.rend()}};
  }
  /// Mean of the elements in [first, last); `otherwise` when there is nothing below.
  double mean(std::size_t first, std::size_t last, double otherwise) const {
    const auto sum = [&](const std::vector<double>& values) {
      return std::reduce(values.begin() + static_cast<std::ptrdiff_t>(first),
                         values.begin() + static_cast<std::ptrdiff_t>(last));
    };
    const double denominator = sum(below);
    return denominator == 0 ? otherwise : sum(above) / denominator;
  }
};

// The usual distance of groups of neighbours from the mean, from `first` on.
double scatter_of(const Quotient& quotient, std::size_t first, double mean) {
  const std::size_t groups = (quotient.size() - first) / kTogether;
  double squares = 0;
  for (std::size_t i = 0; i < groups; ++i) {
    const std::size_t begin = first + i * kTogether;
    const double deviation = quotient.mean(begin, begin + kTogether, mean) - mean;
    squares += deviation * deviation;
  }
  return std::sqrt(squares / static_cast<double>(groups));
}

// Number of elements to leave out at the beginning, because they differ from the rest and change
// the mean; none for one that is merely odd somewhere in between.
std::size_t beginning_of(const Quotient& quotient, const Estimate& all) {
  std::vector<double> values;
  for (std::size_t i = 0; i < quotient.size(); ++i) {
    values.push_back(quotient.mean(i, i + 1, all.mean));
  }
  const std::size_t transient = transient_of(values);
  const std::optional<Estimate> rest = quotient.estimate(transient);
  if (transient <= kTogether || !rest) return 0;
  const double difference = std::abs(quotient.mean(0, kTogether, rest->mean) - rest->mean);
  const bool stands_out = difference > kOutstanding * scatter_of(quotient, transient, rest->mean);
  return stands_out && std::abs(rest->mean - all.mean) > rest->half_width ? transient : 0;
}

// Fewest elements to leave out, of those that beginning_of() found, so that what is left of these
// is like the rest. The rule MSER-5 takes the more for a beginning the longer the series is: it
// also leaves out chance.
std::size_t shortest_beginning(const Quotient& quotient, std::size_t beginning,
                               const Estimate& rest) {
  const double scatter = scatter_of(quotient, beginning, rest.mean);
  const auto distance = [&](std::size_t first, std::size_t last) {
    return std::abs(quotient.mean(first, last, rest.mean) - rest.mean);
  };
  for (std::size_t first = 1; first < beginning; ++first) {
    const double groups = static_cast<double>(beginning - first) / kTogether;
    if (distance(first, first + kTogether) <= kLike * scatter &&
        distance(first, beginning) <= rest.half_width + kLike * scatter / std::sqrt(groups)) {
      return first;
    }
  }
  return beginning;
}

// Tells the way by the quarters of a series that does not come to rest.
Drift drift_of(const Quotient& quotient, const Estimate& all) {
  constexpr int kQuarters = 4;
  const std::size_t length = quotient.size() / kQuarters;
  int steps = 0;
  double before = quotient.mean(0, length, all.mean);
  for (std::size_t begin = length; begin + length <= quotient.size(); begin += length) {
    const double mean = quotient.mean(begin, begin + length, all.mean);
    steps += mean > before ? 1 : -1;
    before = mean;
  }
  if (steps == kQuarters - 1) return Drift::kRises;
  if (steps == 1 - kQuarters) return Drift::kFalls;
  return all.correlation > kTrend ? Drift::kSwings : Drift::kNone;
}

// Compares the halves of the series from `first` on: no drift if they differ by chance.
Drift drift_of_rest(const Quotient& quotient, std::size_t first) {
  const std::size_t middle = first + (quotient.size() - first) / 2;
  const std::optional<Estimate> earlier = quotient.estimate(first, middle);
  const std::optional<Estimate> later = quotient.estimate(middle);
  if (!earlier || !later) return Drift::kNone;
  const double difference = later->mean - earlier->mean;
  if (std::abs(difference) <= std::hypot(later->half_width, earlier->half_width)) {
    return Drift::kNone;
  }
  return difference > 0 ? Drift::kRises : Drift::kFalls;
}

JudgedMean judge(const Quotient& quotient, const Estimate& all, Nanoseconds width) {
  JudgedMean mean{.estimate = all};
  const std::size_t beginning = beginning_of(quotient, all);
  const std::optional<Estimate> rest = quotient.estimate(beginning);
  const bool comes_to_rest =
      rest && rest->correlation <= kTrend && rest->mean > 0 && 2 * beginning < quotient.size();
  if (beginning > 0 && comes_to_rest) {
    mean.course = Course::kBeginning;
    mean.beginning =
        width * static_cast<std::int64_t>(shortest_beginning(quotient, beginning, *rest));
    mean.drift = drift_of_rest(quotient, beginning);
  } else if (!comes_to_rest || beginning_of(quotient.reversed(), all) > 0) {
    mean.course = Course::kChanging;
    mean.drift = drift_of(quotient, all);
  }
  return mean;
}

std::optional<JudgedMean> judged(const Quotient& quotient, Nanoseconds width) {
  const std::optional<Estimate> all = quotient.estimate(0);
  return all ? std::optional(judge(quotient, *all, width)) : std::nullopt;
}

/// Fewer than so many separate bursts, or less of the time below half, and it is that some time was
/// lost.
constexpr std::uint32_t kLeastBursts = 4;
constexpr double kLeastBetween = 0.25;

/// Commits in equal intervals, without those of a beginning.
struct Coarse {
  Nanoseconds width = 0;
  std::vector<std::uint64_t> commits;
};

Coarse coarse_of(const IntervalSeries& series, Nanoseconds beginning) {
  const IntervalSeries coarse = series.coarser(kStallIntervals);
  Coarse rest;
  rest.width = coarse.width();
  Nanoseconds at = 0;
  for (const IntervalCounts& counts : coarse.counts()) {
    if (at >= beginning) rest.commits.push_back(counts.committed);
    at += coarse.width();
  }
  return rest;
}

// A count of the fastest tenth, so that stalls do not count as usual; 0 where that is too few to
// tell.
std::uint64_t usual_of(std::vector<std::uint64_t> commits) {
  if (commits.empty()) return 0;
  std::ranges::sort(commits);
  const std::uint64_t usual = commits[commits.size() * 9 / 10];
  return usual < kLeastToStall ? 0 : usual;
}

Bursts bursts_of(const Coarse& coarse, std::uint64_t usual) {
  Bursts bursts;
  bursts.time = coarse.width * static_cast<std::int64_t>(coarse.commits.size());
  std::uint64_t within = 0;
  std::uint64_t all = 0;
  bool high_before = false;
  for (const std::uint64_t commits : coarse.commits) {
    const bool high = 2 * commits >= usual;
    if (high && !high_before) ++bursts.count;
    if (high) bursts.lasting += coarse.width;
    if (high) within += commits;
    all += commits;
    high_before = high;
  }
  const double part = static_cast<double>(bursts.lasting.count()) /
                      static_cast<double>(std::max(bursts.time, 1_ns).count());
  if (bursts.count < kLeastBursts || part > 1 - kLeastBetween) return {};
  bursts.height = static_cast<double>(within) / static_cast<double>(all) / part;
  return bursts;
}

void add_stalls(const IntervalSeries& series, Nanoseconds beginning, Precision& precision) {
  const Coarse coarse = coarse_of(series, beginning);
  const std::uint64_t usual = usual_of(coarse.commits);
  if (usual == 0) return;
  const auto slow =
      std::ranges::count_if(coarse.commits, [&](auto count) { return 2 * count < usual; });
  precision.stalled = coarse.width * static_cast<std::int64_t>(slow);
  precision.bursts = bursts_of(coarse, usual);
}

bool is_precise(const JudgedMean& mean, double half_width) {
  return mean.course == Course::kSteady &&
         mean.estimate.half_width <= half_width * mean.estimate.mean;
}

}  // namespace

bool is_precise(const Precision& precision, double half_width) {
  return precision.throughput_per_s && precision.mean_latency_ns &&
         is_precise(*precision.throughput_per_s, half_width) &&
         is_precise(*precision.mean_latency_ns, half_width) &&
         (!precision.abort_share || precision.abort_share->estimate.half_width <= half_width);
}

Precision precision_of(const IntervalSeries& series) {
  Quotient throughput;
  Quotient latency;
  Quotient aborts;
  double committed = 0;
  double aborted = 0;
  for (const IntervalCounts& counts : series.counts()) {
    const auto commits = static_cast<double>(counts.committed);
    const auto failures = static_cast<double>(counts.aborted);
    throughput.add(commits, 1);
    latency.add(static_cast<double>(counts.latency_ns), commits);
    aborts.add(failures, failures + commits);
    committed += commits;
    aborted += failures;
  }
  Precision precision;
  if (aborted >= kLeastCount) precision.abort_share = judged(aborts, series.width());
  if (committed < kLeastCount) return precision;
  precision.throughput_per_s = judged(throughput, series.width());
  precision.mean_latency_ns = judged(latency, series.width());
  if (!precision.throughput_per_s) return precision;
  // Whole numbers until here, which rounding leaves alone.
  Estimate& per_interval = precision.throughput_per_s->estimate;
  per_interval.mean /= to_seconds(series.width());
  per_interval.half_width /= to_seconds(series.width());
  per_interval.standard_error /= to_seconds(series.width());
  add_stalls(series, precision.throughput_per_s->beginning, precision);
  return precision;
}

}  // namespace verbena::workloads
