// Latencies with the times at which they were measured, for how precise percentiles are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "rdma/base/time.h"

namespace verbena::workloads {

/// Latencies of one worker, in the order in which they ended; of so many that they do not fit, each
/// second one, each fourth one, and so on. Takes 16 B for each, which are reserved at once, so that
/// no record() takes longer than others. Not thread-safe: each worker has its own.
class LatencySamples {
 public:
  struct Sample {
    Nanoseconds at;
    Nanoseconds latency;
  };

  /// Takes none.
  LatencySamples() = default;
  /// Keeps at most so many, an even number.
  explicit LatencySamples(std::size_t most);

  void record(Nanoseconds at, Nanoseconds latency) {
    if (most_ == 0 || ++passed_ < stride_) return;
    passed_ = 0;
    if (samples_.size() == most_) return thin_out();
    samples_.push_back({at, latency});
  }

  /// Room for one of so many workers, which keep about two million together and 256 each at least.
  static LatencySamples of_one_of(std::uint32_t workers);

  /// Forgets all.
  void begin_again();

  const std::vector<Sample>& samples() const { return samples_; }
  /// The number of latencies that each of samples() stands for.
  std::uint64_t stride() const { return stride_; }

 private:
  void thin_out();

  std::size_t most_ = 0;
  std::uint64_t stride_ = 1;
  std::uint64_t passed_ = 0;  // since the last that was kept
  std::vector<Sample> samples_;
};

}  // namespace verbena::workloads
