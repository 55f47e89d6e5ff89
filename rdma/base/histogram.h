// Latency histogram that merges without loss.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "rdma/base/time.h"

namespace verbena {

/// Counts of durations in log-linear buckets: exact below 64 ns, then 32 buckets per power of two,
/// so that a reported percentile is at most 1/32 (3.2 %) off the true one. Merging histograms of
/// several workers gives the histogram of all their values; percentiles are only ever taken from a
/// merged one. Costs memory for the powers of two that its values have. Not thread-safe: each
/// worker records into its own.
class Histogram {
  static constexpr unsigned kSubBits = 5;  // 32 buckets per power of two
  static constexpr unsigned kMaxBits = 42;

 public:
  static constexpr std::size_t kBuckets = (kMaxBits - kSubBits + 1) << kSubBits;

  /// All counts in one piece, as processes exchange them.
  struct Exported {
    std::array<std::uint64_t, kBuckets> buckets;
    std::uint64_t sum;
    std::uint64_t max;
  };

  Histogram() = default;
  explicit Histogram(const Exported& exported) : sum_(exported.sum), max_(exported.max) {
    for (std::size_t i = 0; i < kBuckets; ++i) {
      if (exported.buckets[i] == 0) continue;
      block(i >> kSubBits)[i % kBlock] = exported.buckets[i];
      count_ += exported.buckets[i];
    }
  }
  Exported exported() const {
    Exported all{.buckets = {}, .sum = sum_, .max = max_};
    for (std::size_t i = 0; i < kBuckets; ++i) all.buckets[i] = in_bucket(i);
    return all;
  }

  /// Adds one value. Negative values count as zero; values beyond 2^42 ns (73 minutes) count in the
  /// last bucket.
  void record(Nanoseconds value) {
    const std::uint64_t v = value_of(value);
    const std::size_t bucket = bucket_of(v);
    ++block(bucket >> kSubBits)[bucket % kBlock];
    ++count_;
    sum_ += v;
    if (v > max_) max_ = v;
  }

  void merge(const Histogram& other) {
    for (std::size_t power = 0; power < kPowers; ++power) {
      if (other.places_[power] == kNowhere) continue;
      const Block& added = other.blocks_[other.places_[power]];
      Block& own = block(power);
      for (std::size_t i = 0; i < kBlock; ++i) own[i] += added[i];
    }
    count_ += other.count_;
    sum_ += other.sum_;
    if (other.max_ > max_) max_ = other.max_;
  }

  std::uint64_t count() const { return count_; }
  std::uint64_t max() const { return max_; }
  std::uint64_t sum() const { return sum_; }  ///< exact: of the values, not of buckets
  double mean() const {
    return count_ == 0 ? 0.0 : static_cast<double>(sum_) / static_cast<double>(count_);
  }

  /// Returns the value that `fraction` (0 to 1) of the values do not exceed; never above max(), 0
  /// when empty. Takes the values of one bucket as evenly spread.
  std::uint64_t percentile(double fraction) const {
    if (count_ == 0) return 0;
    auto rank = static_cast<std::uint64_t>(fraction * static_cast<double>(count_));
    if (static_cast<double>(rank) < fraction * static_cast<double>(count_)) ++rank;
    if (rank == 0) rank = 1;
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < kBuckets; ++i) {
      const std::uint64_t here = in_bucket(i);
      if (seen + here >= rank) {
        const std::uint64_t lowest = lowest_of(i);
        const auto width = static_cast<double>(highest_of(i) - lowest);
        const double share = static_cast<double>(rank - seen) / static_cast<double>(here);
        const std::uint64_t value = lowest + static_cast<std::uint64_t>(width * share);
        return value < max_ ? value : max_;
      }
      seen += here;
    }
    return max_;
  }

  /// Returns the index, below kBuckets, of the bucket that counts `value`.
  static std::size_t bucket_of(Nanoseconds value) { return bucket_of(value_of(value)); }
  /// Number of values in a bucket, which spans lowest_of to highest_of.
  std::uint64_t in_bucket(std::size_t bucket) const {
    const std::uint8_t place = places_[bucket >> kSubBits];
    return place == kNowhere ? 0 : blocks_[place][bucket % kBlock];
  }
  static std::uint64_t lowest_of(std::size_t bucket) {
    return bucket == 0 ? 0 : highest_of(bucket - 1) + 1;
  }
  static std::uint64_t highest_of(std::size_t bucket) {
    if (bucket < (2U << kSubBits)) return bucket;
    const std::uint64_t exponent = (bucket >> kSubBits) - 1;
    const std::uint64_t mantissa = bucket - (exponent << kSubBits);
    return ((mantissa + 1) << exponent) - 1;
  }

 private:
  static constexpr std::size_t kBlock = std::size_t{1} << kSubBits;
  static constexpr std::size_t kPowers = kBuckets / kBlock;
  static constexpr std::uint8_t kNowhere = UINT8_MAX;
  using Block = std::array<std::uint64_t, kBlock>;

  static constexpr std::array<std::uint8_t, kPowers> nowhere() {
    std::array<std::uint8_t, kPowers> places{};
    places.fill(kNowhere);
    return places;
  }

  /// Counts of the `power`-th 32 buckets.
  Block& block(std::size_t power) {
    std::uint8_t& place = places_[power];
    if (place == kNowhere) [[unlikely]] {
      place = static_cast<std::uint8_t>(blocks_.size());
      blocks_.emplace_back();
    }
    return blocks_[place];
  }

  static std::uint64_t value_of(Nanoseconds value) {
    return value < 0 ? 0 : static_cast<std::uint64_t>(value.count());
  }

  static std::size_t bucket_of(std::uint64_t v) {
    if (v < (2U << kSubBits)) return v;
    const auto exponent = static_cast<unsigned>(std::bit_width(v)) - 1 - kSubBits;  // >= 1
    const std::size_t bucket = (std::size_t{exponent} << kSubBits) + (v >> exponent);
    return bucket < kBuckets ? bucket : kBuckets - 1;
  }

  std::array<std::uint8_t, kPowers> places_ = nowhere();  // in blocks_, or kNowhere
  std::vector<Block> blocks_;                             // zero when added
  std::uint64_t count_ = 0;
  std::uint64_t sum_ = 0;
  std::uint64_t max_ = 0;
};

}  // namespace verbena
