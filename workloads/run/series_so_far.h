// Commits and latencies so far of all workers of a run that goes on.
#pragma once

#include "rdma/base/time.h"
#include "workloads/measure/interval_series.h"
#include "workloads/run/hosted_node.h"

namespace verbena::workloads {

/// Sums over the workers of the hosted nodes.
struct SeriesSoFar {
  IntervalSeries course;    ///< since the workers' start
  IntervalSeries measured;  ///< in the measured window
  Nanoseconds oldest = 0;   ///< age of the transaction that is in flight for longest
};

/// At `now`, since the workers' start. Only where one thread runs all of them.
SeriesSoFar series_so_far(const HostedNodes& nodes, Nanoseconds now);

}  // namespace verbena::workloads
