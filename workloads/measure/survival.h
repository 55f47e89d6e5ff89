// Latencies, with what was in flight when measuring began and ended taken into account.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "rdma/base/histogram.h"

namespace verbena::workloads {

/// The distribution of latencies by Kaplan's and Meier's product-limit estimator: of a transaction
/// that was still in flight at the end only its age then is known, as a least value of its latency
/// (it is censored); one that had begun before the beginning was seen from its age then on (it
/// entered late). Where all that begins ends soon, this is the distribution of the latencies
/// themselves; where something waits for a time-out, its tail is longer.
class Survival {
 public:
  /// The distribution of no latencies.
  Survival() = default;

  /// `ended`: latencies of what was committed in the window; `censored`: ages at its end of what
  /// was not decided; `entered`: ages at its beginning of those among both that had begun before.
  Survival(const Histogram& ended, const Histogram& censored, const Histogram& entered);

  bool empty() const { return steps_.empty(); }

  /// The latency that `fraction` of them do not exceed; nothing when it is longer than anything
  /// that was seen, or nothing was seen.
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
