// Latencies, corrected for transactions in flight at the window's beginning and end.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "rdma/base/histogram.h"

namespace verbena::workloads {

/// The distribution of latencies by Kaplan and Meier's product-limit estimator. For a transaction
/// in flight at the end only a lower bound on its latency is known, its age (it is censored). One
/// that began before the window was observed only from its age at the window's beginning on (it
/// entered late). Where all transactions are short, this equals the measured distribution; where
/// some wait for a time-out, its tail is longer.
class Survival {
 public:
  /// Creates the distribution of no latencies.
  Survival() = default;

  /// `ended`: latencies of transactions committed in the window. `censored`: ages of undecided ones
  /// at its end. `entered`: ages at its beginning of those of both groups that had begun before.
  Survival(const Histogram& ended, const Histogram& censored, const Histogram& entered);

  bool empty() const { return steps_.empty(); }

  /// The latency that `fraction` of the transactions do not exceed; nothing when it is longer than
  /// any observed one, or none was observed.
  std::optional<std::uint64_t> percentile(double fraction) const;

 private:
  struct Step {
    std::uint64_t lowest;
    std::uint64_t highest;
    double done;  // share of the latencies up to `highest`
  };
  std::vector<Step> steps_;  // ascending
};

}  // namespace verbena::workloads
