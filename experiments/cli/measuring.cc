// How much at once, and where to.
#include "experiments/cli/measuring.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <system_error>
#include <thread>

#include "experiments/config/keys/units.h"
#include "experiments/report/exit_code.h"
#include "experiments/session/memory_need.h"

namespace verbena::experiments {

namespace fs = std::filesystem;

TemporaryDirectory::TemporaryDirectory()
    : path_((fs::temp_directory_path() / "verbena-XXXXXX").string()) {
  if (mkdtemp(path_.data()) == nullptr) {
    throw std::runtime_error(path_ + ": cannot create this directory");
  }
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code error;
  fs::remove_all(path_, error);
}

PointMeasuring measuring_of(std::optional<std::uint32_t> jobs, bool simulated) {
  PointMeasuring how;
  how.available_bytes = available_memory_bytes();
  if (jobs) {
    how.limits.processes = *jobs;
  } else if (simulated) {
    how.limits.processes = std::max(1U, std::thread::hardware_concurrency());
    how.limits.memory_bytes = how.available_bytes;
    how.memory_bytes = [](const MeasuringCommand& command) {
      return expected_memory_bytes(command.common().cluster, command.run() != nullptr);
    };
  }
  return how;
}

void check_memory(const Sweep& sweep) {
  if (!sweep.record.simulated) return;
  for (const MeasuringCommand& point : sweep.points) {
    const BenchCommand* bench = point.bench();
    check_memory_need(point.common().cluster, physical_memory_bytes(),
                      bench != nullptr ? bench->bench.threads_per_queue_pair : 1);
  }
}

int exit_code_of(const MeasuredPoints& points) {
  if (points.failures.empty()) return kSuccess;
  const int first = points.failures.front().code;
  const bool alike = std::all_of(points.failures.begin(), points.failures.end(),
                                 [&](const FailedPoint& failed) { return failed.code == first; });
  return alike && first > 0 && points.finished + points.reused == 0 ? first : kFailure;
}

void say(const std::string& text) {
  // Not by fmt, which throws when standard error is closed.
  std::fputs(fmt::format("verbena: {}\n", text).c_str(), stderr);
}

void say_changed_files(const CommandLine& line, const ConfigurationRecord& record) {
  for (const auto& [path, digest] : record.files) {
    const auto before = line.files.find(path);
    if (before == line.files.end() || before->second == digest) continue;
    say(fmt::format("note: {} is not as it was when {} was written: results may differ",
                    printable(path), printable(line.results)));
  }
}

}  // namespace verbena::experiments
