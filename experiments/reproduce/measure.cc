// From points to processes, and from their result files to numbers.
#include "experiments/reproduce/measure.h"

#include <fmt/format.h>

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
  const Nanoseconds time = cluster.duration.value_or(kUsuallyEnough) +
                           cluster.warmup.value_or(kUsuallyEnough);
  return cores * time / kMicrosecond + 1;
}

Process process_of(const Task& task) {
  Process process{.program = "/proc/self/exe",
                  .arguments = task.command->record().arguments(),
                  .directory = ""};
  process.arguments.insert(process.arguments.end(), {"--json", task.file});
  return process;
}

template <typename Visitor>
void for_each_point(const std::vector<Figure>& figures, Visitor visit) {
  for (std::size_t f = 0; f < figures.size(); ++f) {
    for (std::size_t s = 0; s < figures[f].series.size(); ++s) {
      const auto& points = figures[f].series[s].points;
      for (std::size_t p = 0; p < points.size(); ++p) visit(points[p], f, s, p);
    }
  }
}

void run_tasks(const ReproduceCommand& command, std::vector<Task>& tasks, const ProcessPool& pool,
               Measuring& measuring) {
  std::vector<Process> processes;
  std::int64_t total = 0;
  for (const Task& task : tasks) {
    processes.push_back(process_of(task));
    total += cost_of(*task.command);
  }
  Progress progress(fmt::format("{} points", tasks.size()), std::max<std::int64_t>(1, total));
  measuring.signal =
      pool.run(processes, command.jobs, [&](std::size_t index, const ProcessEnd& end) {
        progress.position() += cost_of(*tasks[index].command);
        if (end.succeeded) {
          ++measuring.finished;
          tasks[index].succeeded = true;
          return;
        }
        std::string_view why = end.error;
        if (why.starts_with(kOwnName)) why.remove_prefix(kOwnName.size());
        measuring.failures.push_back(
            fmt::format("{}: {}", tasks[index].command->record().command_line(), why));
      });
}

}  // namespace

Measuring measure(const ReproduceCommand& command, const std::vector<Figure>& figures,
                  PointStore& store, const ProcessPool& pool) {
  Measuring measuring;
  std::map<std::string, std::optional<PointResult>> results;  // by file
  std::vector<Task> tasks;
  for_each_point(figures, [&](const FigurePoint& point, auto...) {
    const std::string file = store.file_of(point.command);
    const auto [entry, added] = results.emplace(file, std::nullopt);
    if (!added) return;
    if (!command.fresh) entry->second = PointStore::find(file, point.command);
    if (!entry->second) tasks.push_back({.command = &point.command, .file = file});
  });
  measuring.points = results.size();
  measuring.reused = results.size() - tasks.size();
  run_tasks(command, tasks, pool, measuring);
  if (measuring.signal != 0) return measuring;

  for (const Task& task : tasks) {
    // Where one failed there may be the file of an earlier run.
    if (task.succeeded) results[task.file] = PointStore::find(task.file, *task.command);
  }
  for (const Figure& figure : figures) {
    MeasuredFigure measured{.figure = &figure, .results = {}};
    for (const FigureSeries& series : figure.series) {
      measured.results.emplace_back(series.points.size());
    }
    measuring.figures.push_back(std::move(measured));
  }
  for_each_point(figures,
                 [&](const FigurePoint& point, std::size_t f, std::size_t s, std::size_t p) {
                   measuring.figures[f].results[s][p] = results[store.file_of(point.command)];
                 });
  return measuring;
}

}  // namespace verbena::experiments
