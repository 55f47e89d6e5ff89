// Shares of threads.
#include "simnic/engine/window_times.h"

#include <algorithm>
#include <ctime>
#include <numeric>
#include <utility>

namespace verbena::simnic {

double WindowTimes::processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double WindowTimes::lap() {
  const double now = processor_seconds();
  return now - std::exchange(last_, now);
}

double WindowTimes::longest(unsigned threads) const {
  std::vector<double> busy(std::min<std::size_t>(threads, nodes_.size()));
  if (busy.empty()) return 0;
  for (const double time : nodes_) *std::ranges::min_element(busy) += time;
  return *std::ranges::max_element(busy);
}

void WindowTimes::end_window() {
  parallel_ += std::accumulate(nodes_.begin(), nodes_.end(), 0.0);
  for (std::size_t i = 0; i < kThreads.size(); ++i) shared_[i] += longest(kThreads[i]);
  nodes_.clear();
  last_ = processor_seconds();  // what this took is no part of the run
}

std::vector<rdma::ThreadBound> WindowTimes::bounds() const {
  std::vector<rdma::ThreadBound> bounds;
  if (parallel_ == 0) return bounds;
  for (std::size_t i = 0; i < kThreads.size(); ++i) {
    bounds.push_back({kThreads[i], (serial_ + parallel_) / (serial_ + shared_[i])});
  }
  return bounds;
}

}  // namespace verbena::simnic
