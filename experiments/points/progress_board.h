// How far points are that processes of their own measure.
#pragma once

#include <cstddef>
#include <string>

#include "workloads/measure/run_progress.h"

namespace verbena::experiments {

/// Memory that processes share, with the progress of each point of a series: the process that
/// measures a point writes it, the one that started it reads. Forked processes have it as it is;
/// programs that are started get its descriptor (Process::descriptor).
class ProgressBoard {
 public:
  /// None of the points has begun. Throws std::runtime_error without memory.
  explicit ProgressBoard(std::size_t points);
  ~ProgressBoard();
  ProgressBoard(const ProgressBoard&) = delete;
  ProgressBoard& operator=(const ProgressBoard&) = delete;

  std::size_t size() const { return size_; }
  workloads::RunProgress& of(std::size_t point) { return points_[point]; }
  const workloads::RunProgress& of(std::size_t point) const { return points_[point]; }

  /// Names the place of `point` for a program that is started, as a line of its environment.
  std::string place_of(std::size_t point) const;
  /// The descriptor, which has to stay open in such a program.
  int descriptor() const { return descriptor_; }

  /// The place that was named for this program when it was started; null if none was. It lasts as
  /// long as the process.
  static workloads::RunProgress* inherited();

 private:
  std::size_t size_;
  int descriptor_;
  workloads::RunProgress* points_;
};

}  // namespace verbena::experiments
