// Taking records from results, and putting several together.
#include "experiments/hunt/hunt_record.h"

#include <fmt/format.h>

#include <algorithm>

#include "experiments/report/build_info.h"
#include "experiments/report/exit_code.h"
#include "rdma/base/errors.h"

namespace verbena::experiments {
namespace {

void add(const OutcomeCounts& counts, OutcomeCounts& sum) {
  for (const auto& [name, outcomes] : counts) {
    for (const auto& [outcome, count] : outcomes) sum[name][outcome] += count;
  }
}

bool same(const HuntGround& a, const HuntGround& b) {
  const auto said = [](const HuntGround& ground) {
    std::map<std::string, std::string> sets;
    for (const Assignment& one : ground.sets) sets[one.key] = one.value;
    return sets;
  };
  return a.systems == b.systems && a.workloads == b.workloads && said(a) == said(b);
}

// Both with where they are from.
using Sourced = std::pair<std::string, HuntRecord>;

void check_alike(const Sourced& one, const Sourced& other) {
  const std::string both = fmt::format("hunt --merge: {} and {}", one.first, other.first);
  if (one.second.commit != other.second.commit) {
    throw ConfigurationError(fmt::format("{}: were made by different programs (commits {} and {})",
                                         both, one.second.commit, other.second.commit));
  }
  if (!same(one.second.ground, other.second.ground)) {
    throw ConfigurationError(
        fmt::format("{}: were made with different systems, workloads or settings", both));
  }
  for (const SeedRange& a : one.second.seeds) {
    for (const SeedRange& b : other.second.seeds) {
      if (a.last < b.first || b.last < a.first) continue;
      throw ConfigurationError(
          fmt::format("{}: both have tried seed {}", both, std::max(a.first, b.first)));
    }
  }
}

// Ranges that follow one another are one.
std::vector<SeedRange> joined(std::vector<SeedRange> ranges) {
  std::ranges::sort(ranges, {}, &SeedRange::first);
  std::vector<SeedRange> all;
  for (const SeedRange& range : ranges) {
    if (!all.empty() && all.back().last + 1 == range.first) {
      all.back().last = range.last;
    } else {
      all.push_back(range);
    }
  }
  return all;
}

}  // namespace

std::uint64_t HuntRecord::seeds_tried() const {
  std::uint64_t all = 0;
  for (const SeedRange& range : seeds) all += range.size();
  return all;
}

HuntRecord record_of(const CampaignOptions& options, const CampaignResult& result,
                     double wall_seconds) {
  HuntRecord record{.commit = build_commit(),
                    .ground = options.ground,
                    .seeds = {},
                    .runs = result.runs,
                    .refused = result.refused,
                    .twice = result.twice,
                    .by_system = result.by_system,
                    .by_workload = result.by_workload,
                    .reached = result.reached,
                    .failures = {},
                    .interrupted = result.signal != 0,
                    .wall_seconds = wall_seconds};
  const std::uint64_t tried = result.runs + result.refused;
  if (tried > 0) {
    record.seeds.push_back({.first = options.first_seed, .last = options.first_seed + tried - 1});
  }
  for (const HuntedFailure& failure : result.failures) {
    record.failures.push_back(
        {.seed = failure.run.seed,
         .system = failure.run.value_of("system"),
         .workload = failure.run.value_of("workload"),
         .outcome = failure.outcome,
         .why = failure.why,
         .as_drawn = failure.run.command_line(),
         .smallest = failure.smallest ? failure.smallest->command_line() : ""});
  }
  return record;
}

HuntRecord merged(const std::vector<std::pair<std::string, HuntRecord>>& records) {
  HuntRecord all;
  for (auto one = records.begin(); one != records.end(); ++one) {
    for (auto other = records.begin(); other != one; ++other) check_alike(*other, *one);
    const HuntRecord& record = one->second;
    all.commit = record.commit;
    all.ground = record.ground;
    all.seeds.insert(all.seeds.end(), record.seeds.begin(), record.seeds.end());
    all.runs += record.runs;
    all.refused += record.refused;
    all.twice += record.twice;
    add(record.by_system, all.by_system);
    add(record.by_workload, all.by_workload);
    all.reached.insert(record.reached.begin(), record.reached.end());
    all.failures.insert(all.failures.end(), record.failures.begin(), record.failures.end());
    all.interrupted |= record.interrupted;
    all.wall_seconds += record.wall_seconds;
  }
  all.seeds = joined(std::move(all.seeds));
  std::ranges::stable_sort(all.failures, {}, &RecordedFailure::seed);
  return all;
}

int exit_code_of(const HuntRecord& record) {
  for (const Outcome outcome :
       {Outcome::kUnsafe, Outcome::kNotDeterministic, Outcome::kCrashed, Outcome::kStuck}) {
    const bool occurred = std::ranges::any_of(
        record.failures, [&](const RecordedFailure& one) { return one.outcome == outcome; });
    if (occurred) return exit_code_of(outcome);
  }
  return kSuccess;
}

}  // namespace verbena::experiments
