// Directories and documents of commands that measure many points.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "experiments/points/measure_points.h"
#include "experiments/sweep/sweep.h"

namespace verbena::experiments {

/// A directory of its own that is gone afterwards.
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

/// `jobs` at once; without it as many simulations as fit the cores and the free memory, and of
/// hardware, which they would share, one.
PointMeasuring measuring_of(std::optional<std::uint32_t> jobs, bool simulated);

/// Throws ConfigurationError for the first point that no memory of this machine can hold.
void check_memory(const Sweep& sweep);

/// The code of a command some of whose points failed: that of all failures, where it is one and
/// nothing succeeded; kSuccess when there are none.
int exit_code_of(const MeasuredPoints& points);

/// "verbena: TEXT" on standard error.
void say(const std::string& text);

}  // namespace verbena::experiments
