// Progress of points that other processes measure.
#pragma once

#include <cstddef>
#include <string>

#include "workloads/measure/run_progress.h"

namespace verbena::experiments {

/// Shared memory with the progress of each point of a series. The process that measures a point
/// writes its progress; the one that started that process reads it. Forked processes inherit the
/// memory; started programs get its descriptor (Process::descriptor).
class ProgressBoard {
 public:
  /// Creates a board on which no point has begun. Throws std::runtime_error without memory.
  explicit ProgressBoard(std::size_t points);
  ~ProgressBoard();
  ProgressBoard(const ProgressBoard&) = delete;
  ProgressBoard& operator=(const ProgressBoard&) = delete;

  std::size_t size() const { return size_; }
  workloads::RunProgress& of(std::size_t point) { return points_[point]; }
  const workloads::RunProgress& of(std::size_t point) const { return points_[point]; }

  /// Names the place of `point` for a program to start, as a line "NAME=VALUE" of its environment.
  std::string place_of(std::size_t point) const;
  /// The memory's descriptor. It must stay open in such a program.
  int descriptor() const { return descriptor_; }

  /// The place that this program was given when it was started; null if none was. It is valid as
  /// long as the process lives.
  static workloads::RunProgress* inherited();

 private:
  std::size_t size_;
  int descriptor_;
  workloads::RunProgress* points_;
};

}  // namespace verbena::experiments
