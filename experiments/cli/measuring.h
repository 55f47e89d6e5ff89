// Directories and documents of commands that measure many points.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "experiments/config/resolve.h"
#include "experiments/points/measure_points.h"
#include "experiments/sweep/sweep.h"

namespace verbena::experiments {

/// A new temporary directory. The destructor removes it.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// Measures `jobs` points at once. Without `jobs`: as many simulations as fit the cores and the
/// free memory; on hardware, one.
PointMeasuring measuring_of(std::optional<std::uint32_t> jobs, bool simulated);

/// Throws ConfigurationError for the first point that is too large for this machine's memory.
void check_memory(const Sweep& sweep);

/// Exit code of a command that measured `points`: kSuccess when none failed; the failures' common
/// code when all points failed alike; otherwise kFailure.
int exit_code_of(const MeasuredPoints& points);

/// Prints "verbena: TEXT" to standard error.
void say(const std::string& text);

/// Says which files of `record` changed since the results that --config of `line` names were
/// written.
void say_changed_files(const CommandLine& line, const ConfigurationRecord& record);

}  // namespace verbena::experiments
