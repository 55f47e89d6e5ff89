// Latencies with the times of their measurement, from which the precision of percentiles follows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "rdma/base/time.h"

namespace verbena::workloads {

/// Latencies of one worker, in the order of their ends. If there are too many, it keeps every
/// second one, every fourth one, and so on. Reserves 16 B for each in advance, so that no record()
/// takes longer than others. Not thread-safe: each worker has its own.
class LatencySamples {
 public:
  struct Sample {
    Nanoseconds at;
    Nanoseconds latency;
  };

  /// Creates an object that keeps no samples.
  LatencySamples() = default;
  /// Keeps at most `most` samples, an even number.
  explicit LatencySamples(std::size_t most);

  void record(Nanoseconds at, Nanoseconds latency) {
    if (most_ == 0 || ++passed_ < stride_) return;
    passed_ = 0;
    if (samples_.size() == most_) return thin_out();
    samples_.push_back({at, latency});
  }

  /// Makes room for one of `workers` workers, which keep about two million samples together and at
  /// least 256 each.
  static LatencySamples of_one_of(std::uint32_t workers);

  /// Discards all samples.
  void begin_again();

  const std::vector<Sample>& samples() const { return samples_; }
  /// The number of latencies that each of samples() stands for.
  std::uint64_t stride() const { return stride_; }

 private:
  void thin_out();

  std::size_t most_ = 0;
  std::uint64_t stride_ = 1;
  std::uint64_t passed_ = 0;  // since the last sample that was kept
  std::vector<Sample> samples_;
};

}  // namespace verbena::workloads
