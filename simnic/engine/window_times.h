// How much faster more threads would go through the windows of a run.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "rdma/seam/fabric.h"

namespace verbena::simnic {

/// Processor time that one thread takes for each node in each window, and what that allows: several
/// threads take nodes as they come free, and wait at each window's end for the last. The exchange
/// between threads is left out, so these are bounds.
class WindowTimes {
 public:
  static constexpr std::array<unsigned, 4> kThreads = {2, 4, 16, 64};

  /// To be called around the windows of a run, which begins and ends with what one thread does.
  void begin_run() { last_ = processor_seconds(); }
  void end_run() { serial_ += lap(); }
  /// To be called when a window begins, after each of its nodes, and when it ends.
  void begin_window() { serial_ += lap(); }
  void end_node() { nodes_.push_back(lap()); }
  void end_window();

  /// Returns the bounds for kThreads; none before the first window.
  std::vector<rdma::ThreadBound> bounds() const;

 private:
  /// Returns the time that this thread has run so far.
  static double processor_seconds();
  double lap();
  double longest(unsigned threads) const;

  double last_ = 0;
  double serial_ = 0;  ///< seconds between windows
  double parallel_ = 0;
  std::array<double, kThreads.size()> shared_{};  ///< the same, shared by threads
  std::vector<double> nodes_;                     ///< of the current window
};

}  // namespace verbena::simnic
