// Room for what a worker measures.
#include "workloads/run/worker_run.h"

#include <cstddef>

namespace verbena::workloads {

void WorkerRun::set_up(std::size_t kinds, std::uint32_t streams, std::uint32_t clients) {
  latencies = LatencySamples::of_one_of(clients);
  committed_by_kind.resize(kinds);
  latency_by_kind.resize(kinds);
  squares_by_kind.resize(kinds);
  begun.resize(streams, kNever);
  tried.resize(streams);
}

}  // namespace verbena::workloads
