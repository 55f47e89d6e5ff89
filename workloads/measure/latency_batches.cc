// Batch means of shares.
#include "workloads/measure/latency_batches.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>

namespace verbena::workloads {
namespace {

/// Groups of neighbouring batches: waves of conflicts last for longer than one batch.
constexpr std::size_t kGroups = 4;

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
    batches_[std::min(batch, kBatches - 1)][Histogram::bucket_of(sample.latency)] +=
        static_cast<double>(samples.stride());
  }
}

void LatencyBatches::merge(const LatencyBatches& other) {
  batches_.resize(std::max(batches_.size(), other.batches_.size()));
  for (std::size_t b = 0; b < other.batches_.size(); ++b) {
    std::ranges::transform(batches_[b], other.batches_[b], batches_[b].begin(), std::plus());
  }
}

std::optional<double> LatencyBatches::share_half_width(double fraction) const {
  if (batches_.empty()) return std::nullopt;
  std::array<double, kBatches> counts{};
  for (std::size_t b = 0; b < kBatches; ++b) {
    counts[b] = std::reduce(batches_[b].begin(), batches_[b].end());
  }
  // Latencies of the bucket in which the percentile lies count in part, as spread evenly.
  double rest = fraction * std::reduce(counts.begin(), counts.end());
  std::array<double, kBatches> up_to{};
  for (std::size_t bucket = 0; rest > 0 && bucket < Histogram::kBuckets; ++bucket) {
    double here = 0;
    for (const Counts& batch : batches_) here += batch[bucket];
    if (here == 0) continue;
    const double part = std::min(1.0, rest / here);
    for (std::size_t b = 0; b < kBatches; ++b) up_to[b] += part * batches_[b][bucket];
    rest -= here;
  }
  const auto share = estimate_quotient(up_to, counts);
  if (!share) return std::nullopt;
  return std::max(share->half_width, grouped_half_width(up_to, counts, kGroups));
}

}  // namespace verbena::workloads
