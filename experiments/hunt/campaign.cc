// Batches of processes, and a closer look at those that fail.
#include "experiments/hunt/campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "experiments/hunt/draw/draw.h"
#include "experiments/hunt/shrink.h"
#include "experiments/report/files/reached_file.h"
#include "rdma/base/random.h"

namespace verbena::experiments {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// Runs of a batch for each job: enough to keep all jobs busy, and few enough to stop soon.
constexpr std::uint64_t kFirstBatch = 4;
constexpr std::uint64_t kLargestBatch = 48;
constexpr double kBatchSeconds = 5;

// Limit of a seed's draws until the settings go together. Where many are set by hand they may never
// do.
constexpr std::uint64_t kDraws = 8;

// The complaint without the name with which all of the program begin.
std::string without_name(const std::string& error) {
  constexpr std::string_view kName = "verbena: ";
  return error.starts_with(kName) ? error.substr(kName.size()) : error;
}

class Campaign {
 public:
  Campaign(const CampaignOptions& options, std::string directory, const ProcessPool& pool,
           const std::function<void(const CampaignResult&)>& told)
      : options_(options), directory_(std::move(directory)), pool_(pool), told_(told) {}

  CampaignResult run() {
    const Clock::time_point began = Clock::now();
    const std::uint64_t end = options_.first_seed + options_.seeds;
    for (std::uint64_t seed = options_.first_seed; seed < end && result_.signal == 0;) {
      const std::uint64_t next = std::min(end, seed + batch_size());
      run_batch(seed, next);
      seed = next;
      told_(result_);
      if (!result_.failures.empty() && !options_.goes_on) break;
      const std::chrono::duration<double> passed = Clock::now() - began;
      if (options_.wall_seconds && passed.count() >= *options_.wall_seconds) break;
      seeds_a_second_ = static_cast<double>(seed - options_.first_seed) / passed.count();
    }
    return std::move(result_);
  }

 private:
  struct Ended {
    Outcome outcome = Outcome::kPassed;
    std::string why;
  };

  // Which seeds a batch has makes no difference to what is found.
  std::uint64_t batch_size() const {
    const auto soon_done = static_cast<std::uint64_t>(kBatchSeconds * seeds_a_second_);
    return std::clamp(soon_done, kFirstBatch * options_.jobs, kLargestBatch * options_.jobs);
  }

  bool is_made_twice(std::uint64_t seed) const {
    return static_cast<double>(mix64(~seed) % 10'000) < 100 * options_.twice_percent;
  }

  std::string file_of(std::size_t index) const {
    return (fs::path(directory_) / fmt::format("{}.json", index)).string();
  }

  std::string points_file_of(std::size_t index) const {
    return (fs::path(directory_) / fmt::format("{}.points", index)).string();
  }

  /// Runs beside each other simulate on one thread each where they say nothing else.
  Process process_of(HuntedRun run) const {
    if (run.value_of("sim-threads").empty()) run = on_threads(std::move(run), "1");
    return {.program = "/proc/self/exe",
            .inside = options_.program,
            .arguments = run.arguments(),
            .directory = "",
            .limit_seconds = options_.run_seconds};
  }

  static HuntedRun on_threads(HuntedRun run, const char* threads) {
    std::erase_if(run.settings, [](const auto& setting) { return setting.key == "sim-threads"; });
    run.settings.push_back({.key = "sim-threads", .value = threads});
    return run;
  }

  // Once a signal has come nothing is started, not even by those that are still looking for less.
  std::vector<Ended> make(const std::vector<Process>& processes) {
    std::vector<Ended> ends(processes.size());
    if (result_.signal != 0) return ends;
    const int signal = pool_.run(processes, {.processes = options_.jobs},
                                 [&](std::size_t index, const ProcessEnd& end) {
                                   ends[index] = {outcome_of(end), without_name(end.error)};
                                 });
    if (signal != 0) result_.signal = signal;
    return ends;
  }

  struct Made {
    HuntedRun run;
    Ended ended;
    bool twice = false;
  };

  // A seed's run is the first of its draws that can be made.
  void run_batch(std::uint64_t first, std::uint64_t end) {
    std::vector<Made> made(end - first);
    std::vector<std::size_t> refused(made.size());
    std::iota(refused.begin(), refused.end(), 0);
    for (std::uint64_t draw = 0; draw < kDraws && !refused.empty(); ++draw) {
      for (const std::size_t i : refused) {
        made[i].run = draw_run(first + i, options_.ground, draw);
        made[i].twice = is_made_twice(first + i);
      }
      run_draws(made, refused);
      if (result_.signal != 0) return;
      std::erase_if(refused,
                    [&](std::size_t i) { return made[i].ended.outcome != Outcome::kRefused; });
    }
    for (const Made& one : made) {
      take(one);
      if (result_.signal != 0 || (!options_.goes_on && !result_.failures.empty())) return;
    }
  }

  // Runs the draws with these places in `made`.
  void run_draws(std::vector<Made>& made, const std::vector<std::size_t>& places) {
    std::vector<Process> processes;
    for (const std::size_t place : places) {
      add_process(made[place], false, processes);
      if (made[place].twice) add_process(made[place], true, processes);
    }
    const std::vector<Ended> ends = make(processes);
    if (result_.signal != 0) return;
    std::size_t index = 0;
    for (const std::size_t place : places) {
      Made& one = made[place];
      one.ended = one.twice ? compared(index, ends) : ends[index];
      add_reached(points_file_of(index), result_.reached);
      index += one.twice ? 2 : 1;
    }
  }

  // The first of one run, or the second (`again`).
  void add_process(const Made& made, bool again, std::vector<Process>& processes) const {
    const std::size_t index = processes.size();
    // Nothing may depend on the threads that simulate.
    Process& process =
        processes.emplace_back(process_of(again ? on_threads(made.run, "4") : made.run));
    process.arguments.insert(process.arguments.end(), {"--reached", points_file_of(index)});
    if (made.twice) {
      process.arguments.insert(process.arguments.end(), {"--json", file_of(index)});
    }
    // A program of its own has other addresses, on which nothing may depend either.
    if (again) process.inside = nullptr;
  }

  // The common end of processes i and i + 1, which are alike.
  Ended compared(std::size_t i, const std::vector<Ended>& ends) const {
    if (ends[i].outcome != ends[i + 1].outcome) {
      return {Outcome::kNotDeterministic,
              fmt::format("{} the first time, {} the second, by 4 threads",
                          outcome_name(ends[i].outcome), outcome_name(ends[i + 1].outcome))};
    }
    if (ends[i].outcome != Outcome::kPassed) return ends[i];
    const std::string one = digest_in(file_of(i));
    const std::string other = digest_in(file_of(i + 1));
    if (one == other) return ends[i];
    return {Outcome::kNotDeterministic,
            fmt::format("trace digest {} the first time, {} the second, by 4 threads", one, other)};
  }

  static std::string digest_in(const std::string& file) {
    std::ifstream stream(file);
    const auto document = nlohmann::json::parse(stream, nullptr, false);
    return document.is_object() ? document.value("trace_digest", "") : "";
  }

  // A file of ours that cannot be written is no failure of the run.
  void check_written(const Ended& ended) const {
    const bool is_ours = ended.why.starts_with(directory_ + "/");
    if (is_ours && ended.why.find(": writing failed: ") != std::string::npos) {
      throw std::runtime_error(ended.why);
    }
  }

  void take(const Made& made) {
    const auto& [run, ended, twice] = made;
    check_written(ended);
    if (ended.outcome == Outcome::kRefused) {
      ++result_.refused;
      result_.refusal = ended.why;
      return;
    }
    ++result_.runs;
    result_.twice += twice ? 1 : 0;
    const char* outcome = outcome_name(ended.outcome);
    ++result_.by_system[run.value_of("system")][outcome];
    ++result_.by_workload[run.value_of("workload")][outcome];
    if (!is_failure(ended.outcome)) return;
    HuntedFailure failure{.outcome = ended.outcome, .why = ended.why, .run = run, .smallest = {}};
    // A failure by chance cannot be made smaller.
    if (options_.shrinks && ended.outcome != Outcome::kNotDeterministic) shrink(failure);
    result_.failures.push_back(std::move(failure));
  }

  void shrink(HuntedFailure& failure) {
    const auto fails_alike = [&](const std::vector<HuntedRun>& candidates) {
      std::vector<Process> processes;
      processes.reserve(candidates.size());
      for (const HuntedRun& run : candidates) processes.push_back(process_of(run));
      std::vector<bool> fails;
      for (const Ended& ended : make(processes)) {
        fails.push_back(result_.signal == 0 && ended.outcome == failure.outcome);
      }
      return fails;
    };
    failure.smallest = shrunk(failure.run, fails_alike, options_.shrink_budget);
    const std::vector<Ended> last = make({process_of(*failure.smallest)});
    if (last.front().outcome == failure.outcome) failure.why = last.front().why;
  }

  const CampaignOptions& options_;
  std::string directory_;
  const ProcessPool& pool_;
  const std::function<void(const CampaignResult&)>& told_;
  CampaignResult result_;
  double seeds_a_second_ = 0;
};

}  // namespace

CampaignResult hunt(const CampaignOptions& options, const std::string& directory,
                    const ProcessPool& pool,
                    const std::function<void(const CampaignResult&)>& told) {
  return Campaign(options, directory, pool, told).run();
}

}  // namespace verbena::experiments
