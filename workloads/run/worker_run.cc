// Room for what a worker measures.
#include "workloads/run/worker_run.h"

#include <cstddef>

namespace verbena::workloads {
namespace {

/// Latencies that all workers keep together, and that each of them keeps at least, see
/// LatencySamples.
constexpr std::size_t kSamples = std::size_t{1} << 21;
constexpr std::size_t kLeastSamples = 256;

}  // namespace

void WorkerRun::set_up(std::size_t kinds, std::uint32_t streams, std::uint32_t clients) {
  latencies = LatencySamples(std::max(kLeastSamples, kSamples / clients / 2 * 2));
  committed_by_kind.resize(kinds);
  latency_by_kind.resize(kinds);
  squares_by_kind.resize(kinds);
  begun.resize(streams, kNever);
  tried.resize(streams);
}

}  // namespace verbena::workloads
