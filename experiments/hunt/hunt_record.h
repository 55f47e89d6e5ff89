// Records of hunts, with grounds and findings, of one machine or several.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "experiments/hunt/campaign.h"

namespace verbena::experiments {

/// Seeds from `first` to `last`, both included.
struct SeedRange {
  std::uint64_t first = 1;
  std::uint64_t last = 1;

  std::uint64_t size() const { return last - first + 1; }
  bool operator==(const SeedRange&) const = default;
};

/// A HuntedFailure with command lines instead of runs.
struct RecordedFailure {
  std::uint64_t seed = 1;
  std::string system;
  std::string workload;
  Outcome outcome = Outcome::kCrashed;
  std::string why;
  std::string as_drawn;
  std::string smallest;  ///< empty: not searched for

  bool operator==(const RecordedFailure&) const = default;
};

struct HuntRecord {
  std::string commit;
  HuntGround ground;
  std::vector<SeedRange> seeds;  ///< seeds that were tried, in ascending order
  std::uint64_t runs = 0;
  std::uint64_t refused = 0;
  std::uint64_t twice = 0;
  OutcomeCounts by_system;    ///< of the runs
  OutcomeCounts by_workload;  ///< likewise
  std::set<std::string, std::less<>> reached;
  std::vector<RecordedFailure> failures;  ///< in the order of seeds
  bool interrupted = false;
  double wall_seconds = 0;  ///< summed over machines

  std::uint64_t seeds_tried() const;
};

/// Makes the record of a hunt that has ended.
HuntRecord record_of(const CampaignOptions& options, const CampaignResult& result,
                     double wall_seconds);

/// Merges records, each paired with its origin (such as a file's name). Throws ConfigurationError,
/// naming two of them, when their programs or grounds differ or they have seeds in common.
HuntRecord merged(const std::vector<std::pair<std::string, HuntRecord>>& records);

/// Returns the exit code of the worst failure; kSuccess when there are none.
int exit_code_of(const HuntRecord& record);

}  // namespace verbena::experiments
