// Merged worker by worker.
#include "workloads/run/series_so_far.h"

#include <algorithm>

namespace verbena::workloads {

SeriesSoFar series_so_far(const HostedNodes& nodes, Nanoseconds now) {
  SeriesSoFar sum;
  for (const auto& node : nodes) {
    for (const WorkerRun& worker : node->workers) {
      sum.course.merge(worker.course);
      sum.measured.merge(worker.series);
      for (const Nanoseconds begun : worker.begun) {
        sum.oldest = std::max(sum.oldest, now - (begun - worker.start));
      }
    }
  }
  return sum;
}

}  // namespace verbena::workloads
