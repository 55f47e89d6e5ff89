// Points of the code that random runs should reach now and then.
#pragma once

#include <mutex>
#include <set>
#include <string>
#include <string_view>

namespace verbena {

/// Set of the points that a run reached. A point is a literal of the code, "ROOM: what happened";
/// what no run reaches, no run has tried. Thread-safe.
class ReachedPoints {
 public:
  void add(std::string_view point) {
    const std::lock_guard guard(mutex_);
    if (!points_.contains(point)) points_.emplace(point);
  }

  /// Returns the set. Not to be called while `add` may still be.
  const std::set<std::string, std::less<>>& points() const { return points_; }

 private:
  std::mutex mutex_;
  std::set<std::string, std::less<>> points_;
};

}  // namespace verbena
