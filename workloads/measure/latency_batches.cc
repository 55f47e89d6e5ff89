// Batch means of shares.
#include "workloads/measure/latency_batches.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <span>

namespace verbena::workloads {
namespace {

/// Groups of neighbouring batches: waves of conflicts last for longer than one batch.
constexpr std::size_t kGroups = 4;

/// Variance that kBatches batches of independent latencies exceed by chance in one of 8000 cases,
/// relative to the true one (chi-square of 23 degrees of freedom): both ends of four percentiles'
/// buckets may each do so, hence at most one of 1000 measurements.
constexpr double kChance = 2.43;

struct Powers {
  double squares = 0;
  double cubes = 0;

  void add(const Histogram& times) {
    for (std::size_t bucket = 0; bucket < Histogram::kBuckets; ++bucket) {
      const double middle =
          static_cast<double>(Histogram::lowest_of(bucket) + Histogram::highest_of(bucket)) / 2;
      const double square = static_cast<double>(times.in_bucket(bucket)) * middle * middle;
      squares += square;
      cubes += square * middle;
    }
  }
};

// Variance of the share that `parts` are of `counts`, between batches, relative to that of
// independent ones; 0 where they are none or all.
double scatter(const std::array<double, kBatches>& parts,
               const std::array<double, kBatches>& counts) {
  const double count = std::reduce(counts.begin(), counts.end());
  const double share = std::reduce(parts.begin(), parts.end()) / count;
  double squares = 0;
  double independent = 0;
  for (std::size_t b = 0; b < kBatches; ++b) {
    const double deviation = parts[b] - share * counts[b];
    squares += deviation * deviation;
    independent += share * (1 - share) * counts[b] * (1 - counts[b] / count);
  }
  return independent > 0 ? squares / independent : 0;
}

}  // namespace

void LatencyBatches::add(const LatencySamples& samples, Nanoseconds from, Nanoseconds until) {
  if (samples.samples().empty() || until <= from) return;
  batches_.resize(kBatches);
  const double batch_ns =
      static_cast<double>((until - from).count()) / static_cast<double>(kBatches);
  for (const LatencySamples::Sample& sample : samples.samples()) {
    if (sample.at < from || sample.at >= until) continue;
    const auto batch =
        static_cast<std::size_t>(static_cast<double>((sample.at - from).count()) / batch_ns);
    const auto stands_for = static_cast<double>(samples.stride());
    batches_[std::min(batch, kBatches - 1)][Histogram::bucket_of(sample.latency)] += stands_for;
    squares_ += stands_for * stands_for;
  }
}

void LatencyBatches::merge(const LatencyBatches& other) {
  batches_.resize(std::max(batches_.size(), other.batches_.size()));
  squares_ += other.squares_;
  for (std::size_t b = 0; b < other.batches_.size(); ++b) {
    std::ranges::transform(batches_[b], other.batches_[b], batches_[b].begin(), std::plus());
  }
}

std::vector<double> LatencyBatches::share_half_widths(double lasting) const {
  if (batches_.empty()) return {};
  std::array<double, kBatches> counts{};
  for (std::size_t b = 0; b < kBatches; ++b) {
    counts[b] = std::reduce(batches_[b].begin(), batches_[b].end());
  }
  std::array<double, kBatches> up_to{};
  double width = 0;
  std::vector<double> widths;
  widths.reserve(Histogram::kBuckets);
  for (std::size_t bucket = 0; bucket < Histogram::kBuckets; ++bucket) {
    bool grows = false;
    for (std::size_t b = 0; b < kBatches; ++b) {
      up_to[b] += batches_[b][bucket];
      grows |= batches_[b][bucket] > 0;
    }
    const auto share =
        grows ? estimate_quotient(up_to, counts, lasting) : std::optional<Estimate>();
    if (share) width = std::max(share->half_width, grouped_half_width(up_to, counts, kGroups));
    widths.push_back(width);
  }
  return widths;
}

double LatencyBatches::proven_inflation(std::size_t bucket) const {
  std::array<double, kBatches> up_to{};
  std::array<double, kBatches> counts{};
  for (std::size_t b = 0; b < batches_.size(); ++b) {
    const auto before = std::span(batches_[b]).first(bucket);
    up_to[b] = std::reduce(before.begin(), before.end());
    counts[b] = std::reduce(batches_[b].begin(), batches_[b].end());
  }
  double inflation = scatter(up_to, counts);
  for (std::size_t b = 0; b < batches_.size(); ++b) up_to[b] += batches_[b][bucket];
  inflation = std::max(inflation, scatter(up_to, counts));
  // Samples that stand for several latencies scatter as many times as much.
  const double count = std::reduce(counts.begin(), counts.end());
  const double thinning = count > 0 ? squares_ / count : 1;
  return std::max(1.0, inflation / kChance / thinning);
}

double lasting_share(const Histogram& latencies, const Histogram& in_flight, double seconds) {
  Powers powers;
  powers.add(latencies);
  powers.add(in_flight);
  if (powers.squares == 0) return 0;
  // Half the mean of how long what is in flight goes on, each counted by just that, so that it is
  // what lasts that tells; of an exponential distribution its mean.
  const double rest_ns = powers.cubes / (3 * powers.squares);
  return std::exp(-seconds * 1e9 / kBatches / rest_ns);
}

}  // namespace verbena::workloads
