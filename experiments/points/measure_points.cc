// From points to processes, and from their result files to numbers.
#include "experiments/points/measure_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>

#include "experiments/report/progress.h"

namespace verbena::experiments {
namespace {

// What all complaints of the program begin with.
constexpr std::string_view kOwnName = "verbena: ";

// One of the different points.
struct Task {
  const MeasuringCommand* command;
  std::string file;
  bool succeeded = false;
};

/// For warm-up, and for measuring, where a point finds that out itself.
constexpr Nanoseconds kUsuallyEnough = 3 * kMillisecond;

// Simulated core time: about what the wall time of a point is proportional to.
std::int64_t cost_of(const MeasuringCommand& command) {
  const ClusterOptions& cluster = command.common().cluster;
  const std::int64_t cores = std::int64_t{cluster.nodes} * cluster.endpoint.workers;
  const Nanoseconds time =
      cluster.duration.value_or(kUsuallyEnough) + cluster.warmup.value_or(kUsuallyEnough);
  return cores * time / kMicrosecond + 1;
}

Process process_of(const Task& task, const PointMeasuring& how) {
  Process process{.program = "/proc/self/exe",
                  .arguments = task.command->record().arguments(),
                  .directory = "",
                  .memory_bytes = how.memory_bytes ? how.memory_bytes(*task.command) : 0};
  process.arguments.insert(process.arguments.end(), {"--json", task.file});
  return process;
}

void run_tasks(std::vector<Task>& tasks, const PointMeasuring& how, const ProcessPool& pool,
               MeasuredPoints& measured) {
  std::vector<Process> processes;
  std::int64_t total = 0;
  for (const Task& task : tasks) {
    processes.push_back(process_of(task, how));
    total += cost_of(*task.command);
  }
  Progress progress(fmt::format("{} points", tasks.size()), std::max<std::int64_t>(1, total),
                    how.tell_progress);
  progress.position() = 0;
  measured.signal = pool.run(processes, how.limits, [&](std::size_t index, const ProcessEnd& end) {
    progress.position() += cost_of(*tasks[index].command);
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

}  // namespace

MeasuredPoints measure_points(const std::vector<const MeasuringCommand*>& points,
                              const PointMeasuring& how, PointStore& store,
                              const ProcessPool& pool) {
  MeasuredPoints measured;
  std::map<std::string, std::optional<PointResult>> results;  // by file
  std::vector<std::string> files;
  std::vector<Task> tasks;
  for (const MeasuringCommand* point : points) {
    files.push_back(store.file_of(*point));
    const auto [entry, added] = results.emplace(files.back(), std::nullopt);
    if (!added) continue;
    if (!how.fresh) entry->second = PointStore::find(files.back(), *point);
    if (!entry->second) tasks.push_back({.command = point, .file = files.back()});
  }
  measured.different = results.size();
  measured.reused = results.size() - tasks.size();
  run_tasks(tasks, how, pool, measured);
  for (const Task& task : tasks) {
    // Where one failed there may be the file of an earlier run.
    if (task.succeeded) results[task.file] = PointStore::find(task.file, *task.command);
  }
  for (const std::string& file : files) measured.results.push_back(results[file]);
  return measured;
}

}  // namespace verbena::experiments
