// From points to processes, and from their result files to numbers.
#include "experiments/points/measure_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <string_view>
#include <utility>

#include "experiments/points/memory_share.h"
#include "experiments/points/points_progress.h"
#include "experiments/points/progress_board.h"
#include "experiments/report/exit_code.h"
#include "experiments/report/progress.h"
#include "rdma/base/errors.h"
#include "rdma/base/text/counted.h"

namespace verbena::experiments {
namespace {

// Beginning of all complaints of the program.
constexpr std::string_view kOwnName = "verbena: ";

// One of the different points.
struct Task {
  const MeasuringCommand* command;
  std::string file;
  bool succeeded = false;
  bool own = true;  // of this shard
};

using Ended = std::function<void(std::size_t, const ProcessEnd&)>;

std::vector<std::string> arguments_of(const Task& task) {
  std::vector<std::string> arguments = task.command->record().arguments();
  arguments.insert(arguments.end(), {"--json", task.file});
  return arguments;
}

// The lines of what is measured, for as long as it lives.
std::unique_ptr<Progress> progress_of(const std::vector<Task>& tasks, const PointMeasuring& how,
                                      const ProgressBoard& board) {
  std::vector<PointCost> costs;
  costs.reserve(tasks.size());
  for (const Task& task : tasks) costs.push_back(cost_of(*task.command));
  const auto source = [costs = std::move(costs), at_once = how.limits.processes, &board,
                       began = std::chrono::steady_clock::now(), told = 0.0]() mutable {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - began;
    ProgressText text =
        series_progress_text(courses_of(costs, board), at_once, passed.count(), told);
    told = text.fraction;
    return text;
  };
  return std::make_unique<Progress>(how.name + counted(tasks.size(), "point"), source,
                                    how.tell_progress);
}

std::size_t at_once(const std::vector<Task>& tasks, const PointMeasuring& how) {
  return std::min(tasks.size(), how.limits.processes);
}

// Each by a process of its own.
int run_processes(const std::vector<Task>& tasks, const PointMeasuring& how,
                  const ProcessPool& pool, ProgressBoard& board, const Ended& ended) {
  std::vector<Process> processes;
  processes.reserve(tasks.size());
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const MeasuringCommand& command = *tasks[i].command;
    const std::uint64_t expected = how.memory_bytes ? how.memory_bytes(command) : 0;
    const std::uint64_t share = memory_share(how.available_bytes, at_once(tasks, how), expected);
    processes.push_back({.program = "/proc/self/exe",
                         .arguments = arguments_of(tasks[i]),
                         .directory = "",
                         .memory_bytes = expected,
                         .environment = {board.place_of(i), memory_share_line(share)},
                         .descriptor = board.descriptor()});
  }
  return pool.run(processes, how.limits, ended);
}

int run_by_workers(const std::vector<Task>& tasks, const PointMeasuring& how,
                   const ProcessPool& pool, ProgressBoard& board, const Ended& ended) {
  std::vector<PointRun> runs;
  runs.reserve(tasks.size());
  for (const Task& task : tasks) runs.push_back(arguments_of(task));
  PointWorkers workers(std::move(runs), board);
  return workers.run({.program = how.program,
                      .processes = how.limits.processes,
                      .memory_bytes = memory_share(how.available_bytes, at_once(tasks, how), 0)},
                     pool, ended);
}

std::string failure_text(const MeasuringCommand& command, std::string_view why) {
  return fmt::format("{}: {}", command.record().command_line(), why);
}

void run_tasks(std::vector<Task>& tasks, const PointMeasuring& how, const ProcessPool& pool,
               MeasuredPoints& measured) {
  const bool follow = std::ranges::all_of(
      tasks, [](const Task& task) { return task.command->common().fabric.platform.empty(); });
  const auto run = how.program && follow ? run_by_workers : run_processes;
  ProgressBoard board(tasks.size());
  const auto progress = progress_of(tasks, how, board);
  measured.signal = run(tasks, how, pool, board, [&](std::size_t index, const ProcessEnd& end) {
    using workloads::RunStage;
    board.of(index).enter(end.succeeded ? RunStage::kEnded : RunStage::kFailed);
    if (end.succeeded) {
      ++measured.finished;
      tasks[index].succeeded = true;
      return;
    }
    std::string_view why = end.error;
    if (why.starts_with(kOwnName)) why.remove_prefix(kOwnName.size());
    measured.failures.push_back({failure_text(*tasks[index].command, why), end.code});
  });
}

// Puts those of other shards aside: tasks are dealt out in turn, the most costly first.
void deal_out(std::vector<Task>& tasks, const Shard& shard) {
  if (shard.is_whole()) return;
  if (shard.count > tasks.size()) {
    throw ConfigurationError(fmt::format("--shard {}: of {} there are no more than {}",
                                         shard.text(), counted(tasks.size(), "point"),
                                         counted(tasks.size(), "shard")));
  }
  std::vector<std::size_t> order(tasks.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t index) {
    const PointCost cost = cost_of(*tasks[index].command);
    return cost.set_up_seconds + cost.work_seconds;
  });
  for (std::size_t i = 0; i < order.size(); ++i) tasks[order[i]].own = shard.has(i);
}

}  // namespace

std::string MeasuredPoints::shard_text() const {
  if (shard.is_whole()) return "";
  return fmt::format("{}: {} of {} missing, which other shards measure", shard.text(),
                     missing.size(), counted(different + missing.size(), "point is", "points are"));
}

MeasuredPoints measure_points(const std::vector<const MeasuringCommand*>& points,
                              const PointMeasuring& how, const PointStore& store,
                              const ProcessPool& pool) {
  MeasuredPoints measured;
  std::map<std::string, std::optional<PointResult>> results;  // by file
  std::vector<std::string> files;
  std::vector<Task> tasks;
  for (const MeasuringCommand* point : points) {
    files.push_back(store.file_of(*point));
    if (!results.emplace(files.back(), std::nullopt).second) continue;
    tasks.push_back({.command = point, .file = files.back()});
  }
  deal_out(tasks, how.shard);
  measured.shard = how.shard;
  std::set<std::string> absent;
  std::erase_if(tasks, [&](const Task& task) {
    std::optional<PointResult>& result = results[task.file];
    if (!how.fresh || !task.own) result = PointStore::find(task.file, *task.command);
    if (result) ++measured.reused;
    if (!result && !task.own) absent.insert(task.file);
    return result || !task.own;
  });
  measured.different = results.size() - absent.size();
  for (std::size_t i = 0; i < points.size(); ++i) {
    // Points on files of the same contents share a result.
    if (absent.contains(files[i])) measured.missing.insert(points[i]->record().command_line());
  }
  run_tasks(tasks, how, pool, measured);
  for (const Task& task : tasks) {
    // Where one failed there may be the file of an earlier run.
    if (!task.succeeded) continue;
    try {
      results[task.file] = PointStore::read(task.file, *task.command);
    } catch (const ConfigurationError& error) {
      --measured.finished;
      measured.failures.push_back({failure_text(*task.command, error.what()), kFailure});
    }
  }
  for (const std::string& file : files) measured.results.push_back(results[file]);
  return measured;
}

}  // namespace verbena::experiments
