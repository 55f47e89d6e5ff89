// Sums by part, and their means.
#include "experiments/paths/critical_path.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace verbena::experiments {
namespace {

constexpr double kSlowestShare = 0.01;

double ns(Picoseconds time) { return static_cast<double>(time.count()) / 1000; }

int group_of(Picoseconds latency) {
  constexpr double kGroupsPerDoubling = 64;
  const auto ps = static_cast<double>(std::max<std::int64_t>(1, latency.count()));
  return static_cast<int>(std::floor(kGroupsPerDoubling * std::log2(ps)));
}

}  // namespace

void PathSums::add(const Way& way, Picoseconds decided) {
  Group& group = groups_[group_of(decided - way.begin())];
  ++group.transactions;
  Picoseconds from = way.begin();
  for (const Way::Segment& segment : way.segments()) {
    if (from >= decided) break;
    const Picoseconds until = std::min(segment.until, decided);
    group.parts[segment.part] += until - from;
    if (segment.begins_request) ++group.requests;
    from = until;
  }
}

CriticalPath PathSums::means() const {
  CriticalPath path;
  for (const auto& [latency, group] : groups_) path.transactions += group.transactions;
  if (path.transactions == 0) return path;
  struct Sums {
    Picoseconds all = 0;
    Picoseconds slowest = 0;
  };
  std::map<Part, Sums> sums;
  double requests = 0;
  double slowest_requests = 0;
  const double wanted = kSlowestShare * static_cast<double>(path.transactions);
  for (auto group = groups_.rbegin(); group != groups_.rend(); ++group) {
    const bool slow = static_cast<double>(path.slowest) < wanted;
    if (slow) path.slowest += group->second.transactions;
    requests += static_cast<double>(group->second.requests);
    if (slow) slowest_requests = requests;
    for (const auto& [part, time] : group->second.parts) {
      sums[part].all += time;
      if (slow) sums[part].slowest += time;
    }
  }
  const auto all = static_cast<double>(path.transactions);
  const auto slowest = static_cast<double>(path.slowest);
  path.requests = requests / all;
  path.slowest_requests = slowest_requests / slowest;
  for (const auto& [part, sum] : sums) {
    path.rows.push_back({part, ns(sum.all) / all, ns(sum.slowest) / slowest});
    path.mean_ns += path.rows.back().mean_ns;
    path.slowest_mean_ns += path.rows.back().slowest_mean_ns;
  }
  std::stable_sort(path.rows.begin(), path.rows.end(),
                   [](const CriticalPath::Row& a, const CriticalPath::Row& b) {
                     return a.part.place != b.part.place ? a.part.place < b.part.place
                                                         : a.mean_ns > b.mean_ns;
                   });
  return path;
}

}  // namespace verbena::experiments
