// Commits and latencies so far, over all workers of a running run.
#pragma once

#include "rdma/base/time.h"
#include "workloads/measure/interval_series.h"
#include "workloads/run/hosted_node.h"

namespace verbena::workloads {

/// Sums over the workers of the hosted nodes.
struct SeriesSoFar {
  IntervalSeries course;    ///< since the workers' start
  IntervalSeries measured;  ///< in the measured window
  Nanoseconds oldest = 0;   ///< age of the oldest transaction in flight
};

/// Sums at `now`, in time since the workers' start. Only where one thread runs all workers.
SeriesSoFar series_so_far(const HostedNodes& nodes, Nanoseconds now);

}  // namespace verbena::workloads
