// From points to processes, and from their result files to numbers.
#include "experiments/points/measure_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <numeric>
#include <string_view>
#include <utility>

#include "experiments/report/progress.h"
#include "rdma/base/errors.h"
#include "rdma/base/text/counted.h"

namespace verbena::experiments {
namespace {

// What all complaints of the program begin with.
constexpr std::string_view kOwnName = "verbena: ";

// One of the different points.
struct Task {
  const MeasuringCommand* command;
  std::string file;
  bool succeeded = false;
  bool own = true;  // of this shard
};

/// For warm-up, and for measuring, where a point finds that out itself.
constexpr Nanoseconds kUsuallyEnough = 3 * kMillisecond;

// Simulated core time: about what the wall time of a point is proportional to.
std::int64_t cost_of(const MeasuringCommand& command) {
  const ClusterOptions& cluster = command.common().cluster;
  const std::int64_t cores = std::int64_t{cluster.nodes} * cluster.endpoint.workers;
  const RunCommand* run = command.run();
  Nanoseconds measured = kUsuallyEnough;
  if (run != nullptr && !cluster.duration) {
    // As the square of the width that is asked for, of 1 % that is usual.
    const double finer = 1 / (run->precision_percent * run->precision_percent);
    measured = Nanoseconds(
        static_cast<std::int64_t>(std::min(static_cast<double>(run->run.goal.longest.count()),
                                           finer * static_cast<double>(kUsuallyEnough.count()))));
  }
  const Nanoseconds time = cluster.duration.value_or(measured) +
                           cluster.warmup.value_or(std::min(measured, kUsuallyEnough));
  return cores * time / kMicrosecond + 1;
}

using Ended = std::function<void(std::size_t, const ProcessEnd&)>;

std::vector<std::string> arguments_of(const Task& task) {
  std::vector<std::string> arguments = task.command->record().arguments();
  arguments.insert(arguments.end(), {"--json", task.file});
  return arguments;
}

std::int64_t cost_of(const std::vector<Task>& tasks) {
  std::int64_t cost = 0;
  for (const Task& task : tasks) cost += cost_of(*task.command);
  return std::max<std::int64_t>(1, cost);
}

std::string name_of(const std::vector<Task>& tasks, const PointMeasuring& how) {
  return how.name + counted(tasks.size(), "point");
}

// Each by a process of its own.
int run_processes(const std::vector<Task>& tasks, const PointMeasuring& how,
                  const ProcessPool& pool, const Ended& ended) {
  std::vector<Process> processes;
  processes.reserve(tasks.size());
  for (const Task& task : tasks) {
    processes.push_back({.program = "/proc/self/exe",
                         .arguments = arguments_of(task),
                         .directory = "",
                         .memory_bytes = how.memory_bytes ? how.memory_bytes(*task.command) : 0});
  }
  Progress progress(name_of(tasks, how), cost_of(tasks), how.tell_progress);
  progress.position() = 0;
  return pool.run(processes, how.limits, [&](std::size_t index, const ProcessEnd& end) {
    progress.position() += cost_of(*tasks[index].command);
    ended(index, end);
  });
}

int run_by_workers(const std::vector<Task>& tasks, const PointMeasuring& how,
                   const ProcessPool& pool, const Ended& ended) {
  std::vector<PointRun> runs;
  runs.reserve(tasks.size());
  for (const Task& task : tasks) {
    runs.push_back({.arguments = arguments_of(task), .cost = cost_of(*task.command)});
  }
  PointWorkers workers(std::move(runs));
  const Progress progress(name_of(tasks, how), cost_of(tasks), how.tell_progress,
                          &workers.position());
  return workers.run({.program = how.program, .processes = how.limits.processes}, pool, ended);
}

void run_tasks(std::vector<Task>& tasks, const PointMeasuring& how, const ProcessPool& pool,
               MeasuredPoints& measured) {
  const bool follow = std::ranges::all_of(
      tasks, [](const Task& task) { return task.command->common().fabric.platform.empty(); });
  const auto run = how.program && follow ? run_by_workers : run_processes;
  measured.signal = run(tasks, how, pool, [&](std::size_t index, const ProcessEnd& end) {
    if (end.succeeded) {
      ++measured.finished;
      tasks[index].succeeded = true;
      return;
    }
    std::string_view why = end.error;
    if (why.starts_with(kOwnName)) why.remove_prefix(kOwnName.size());
    measured.failures.push_back(
        {fmt::format("{}: {}", tasks[index].command->record().command_line(), why), end.code});
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
  std::ranges::stable_sort(order, std::greater(),
                           [&](std::size_t index) { return cost_of(*tasks[index].command); });
  for (std::size_t i = 0; i < order.size(); ++i) tasks[order[i]].own = shard.has(i);
}

}  // namespace

std::string MeasuredPoints::shard_text() const {
  if (shard.is_whole()) return "";
  return fmt::format("{}: {} of {} missing, which other shards measure", shard.text(),
                     missing.size(), counted(different + missing.size(), "point is", "points are"));
}

MeasuredPoints measure_points(const std::vector<const MeasuringCommand*>& points,
                              const PointMeasuring& how, PointStore& store,
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
  std::erase_if(tasks, [&](const Task& task) {
    std::optional<PointResult>& result = results[task.file];
    if (!how.fresh || !task.own) result = PointStore::find(task.file, *task.command);
    if (result) ++measured.reused;
    if (!result && !task.own) measured.missing.insert(task.command->record().command_line());
    return result || !task.own;
  });
  measured.different = results.size() - measured.missing.size();
  run_tasks(tasks, how, pool, measured);
  for (const Task& task : tasks) {
    // Where one failed there may be the file of an earlier run.
    if (task.succeeded) results[task.file] = PointStore::find(task.file, *task.command);
  }
  for (const std::string& file : files) measured.results.push_back(results[file]);
  return measured;
}

}  // namespace verbena::experiments
