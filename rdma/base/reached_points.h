// Places in the code that random runs should come to now and then.
#pragma once

#include <mutex>
#include <set>
#include <string>
#include <string_view>

namespace verbena {

/// Which of them a run came to. A point is a literal of the code, "ROOM: what happened"; what no
/// run reaches, no run has tried. Thread-safe.
class ReachedPoints {
 public:
  void add(std::string_view point) {
    const std::lock_guard guard(mutex_);
    if (!points_.contains(point)) points_.emplace(point);
  }

  /// Without further calls of `add`.
  const std::set<std::string, std::less<>>& points() const { return points_; }

 private:
  std::mutex mutex_;
  std::set<std::string, std::less<>> points_;
};

}  // namespace verbena
