// Records kept of hunts, with their grounds and what they found: of one machine, or of several.
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

/// A failure as HuntedFailure, with command lines.
struct RecordedFailure {
  std::uint64_t seed = 1;
  std::string system;
  std::string workload;
  Outcome outcome = Outcome::kCrashed;
  std::string why;
  std::string as_drawn;
  std::string smallest;  ///< empty: it was not looked for

  bool operator==(const RecordedFailure&) const = default;
};

struct HuntRecord {
  std::string commit;
  HuntGround ground;
  std::vector<SeedRange> seeds;  ///< that were tried, in their order
  std::uint64_t runs = 0;
  std::uint64_t refused = 0;
  std::uint64_t twice = 0;
  OutcomeCounts by_system;    ///< of the runs
  OutcomeCounts by_workload;  ///< likewise
  std::set<std::string, std::less<>> reached;
  std::vector<RecordedFailure> failures;  ///< in the order of seeds
  bool interrupted = false;
  double wall_seconds = 0;  ///< of several machines the sum

  std::uint64_t seeds_tried() const;
};

/// The record of a hunt that has ended.
HuntRecord record_of(const CampaignOptions& options, const CampaignResult& result,
                     double wall_seconds);

/// One record of several, each with where it is from. Throws ConfigurationError, naming two of
/// them, where they are of different programs or grounds, or have seeds in common.
HuntRecord merged(const std::vector<std::pair<std::string, HuntRecord>>& records);

/// The exit code that tells the worst of the failures; kSuccess when there are none.
int exit_code_of(const HuntRecord& record);

}  // namespace verbena::experiments
