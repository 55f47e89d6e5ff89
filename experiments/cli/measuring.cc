// How much at once, and where to.
#include "experiments/cli/measuring.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <thread>

#include "experiments/config/contents_digest.h"
#include "experiments/config/keys/units.h"
#include "experiments/report/exit_code.h"
#include "experiments/session/memory_need.h"

namespace verbena::experiments {

namespace fs = std::filesystem;

namespace {

ExpectedWork work_of(const MeasuringCommand& command) {
  if (const RunCommand* run = command.run()) return {.name = run->workload};
  const BenchCommand& bench = *command.bench();
  const BenchOptions& options = bench.bench;
  const std::uint64_t loops = bench.raw_loop ? 1 : options.fibers;
  return {.name = options.two_sided ? "rpc" : std::string_view(bench.record.operation),
          .buffers_bytes = options.payload_bytes * loops * options.window};
}

}  // namespace

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
      // Systems differ by some, and no run may take what others have.
      return expected_memory_bytes(command.common().cluster, work_of(command)) * 5 / 4;
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
  const std::string said_again = record.command_line();
  const bool shares_files = std::ranges::any_of(
      line.files, [&](const auto& before) { return record.files.contains(before.first); });
  for (const auto& [path, digest] : line.files) {
    const auto now = record.files.find(path);
    const bool is_gone = now == record.files.end();
    // Others are no longer named, by the command line or by a file that it names.
    const bool is_named = !is_gone || shares_files || said_again.find(path) != std::string::npos;
    if (!is_named || (is_gone ? !contents_digest(path).empty() : now->second == digest)) continue;
    say(fmt::format("note: {} is {} {} was written: results may differ", printable(path),
                    is_gone ? "gone since" : "not as it was when", printable(line.results)));
  }
}

}  // namespace verbena::experiments
