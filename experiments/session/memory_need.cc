// A lower bound: queue pairs, which grow with the square of the nodes.
#include "experiments/session/memory_need.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>

#include "experiments/config/keys/units.h"
#include "rdma/base/errors.h"
#include "rdma/device/cluster_links.h"

namespace verbena::experiments {
namespace {

// Growth of peak memory for each queue pair that nothing has been posted to yet (334 bytes from 4.9
// to 9.8 million of them), rounded down.
constexpr std::uint64_t kQueuePairBytes = 320;

// Memory that a process takes before it has a worker.
constexpr std::uint64_t kProcessBytes = 64ULL << 20;
// A worker took 1.0 MiB (SmallBank) and 2.3 MiB (TPC-C/no) after 0.2 ms, and 0.1 MiB of a bench;
// 2.3 MiB after 2.5 ms of SmallBank.
constexpr std::uint64_t kWorkerBytes = 2ULL << 20;
constexpr std::uint64_t kWorkerMillisecondBytes = 1ULL << 20;
constexpr std::uint64_t kBenchWorkerBytes = 256ULL << 10;
// After that the rest of the database is hardly touched.
constexpr std::int64_t kMostMilliseconds = 10;

}  // namespace

std::uint64_t queue_pairs_of(const ClusterOptions& cluster, std::uint32_t sharing) {
  const std::uint32_t owners = (cluster.endpoint.workers + sharing - 1) / sharing;
  const auto alike = rdma::ClusterLinks::alike(cluster.nodes, owners, 1);
  return alike.all_links() * cluster.endpoint.qps_per_peer;
}

void check_memory_need(const ClusterOptions& cluster, std::uint64_t memory_bytes,
                       std::uint32_t sharing) {
  const std::uint64_t queue_pairs = queue_pairs_of(cluster, sharing);
  const std::uint64_t need = queue_pairs * kQueuePairBytes;
  if (need <= memory_bytes) return;
  throw ConfigurationError(fmt::format(
      "--nodes {} with --threads {} and --connections {} have {} queue pairs, which need more than "
      "{} of memory; this machine has {}",
      cluster.nodes, cluster.endpoint.workers, cluster.endpoint.qps_per_peer, queue_pairs,
      format_bytes(need), format_bytes(memory_bytes)));
}

std::uint64_t expected_memory_bytes(const ClusterOptions& cluster, bool transactions) {
  const std::uint64_t workers = std::uint64_t{cluster.nodes} * cluster.endpoint.workers;
  // Times that a run finds out itself are rarely longer.
  constexpr Nanoseconds kUsuallyEnough = 5 * kMillisecond;
  const Nanoseconds time =
      cluster.warmup.value_or(kUsuallyEnough) + cluster.duration.value_or(kUsuallyEnough);
  const auto milliseconds = static_cast<std::uint64_t>(
      std::min<std::int64_t>(kMostMilliseconds, time / kMillisecond + 1));
  const std::uint64_t each =
      transactions ? kWorkerBytes + milliseconds * kWorkerMillisecondBytes : kBenchWorkerBytes;
  return kProcessBytes + workers * each + queue_pairs_of(cluster) * kQueuePairBytes;
}

std::uint64_t available_memory_bytes() {
  std::ifstream file("/proc/meminfo");
  for (std::string name; file >> name;) {
    std::uint64_t kib = 0;
    if (name == "MemAvailable:" && file >> kib) return kib * 1024;
  }
  return physical_memory_bytes();
}

std::uint64_t usual_most_memory_bytes(std::uint64_t available, std::uint64_t workers) {
  constexpr std::uint64_t kMib = 1ULL << 20;
  // A worker took 3.5 MiB beside what its node has touched (64 x 24 of them, TPC-C/no).
  const std::uint64_t others = std::min(available, workers * 4 * kMib);
  return std::max<std::uint64_t>(1, (available - others) / 5 * 3 / kMib) * kMib;
}

std::uint64_t physical_memory_bytes() {
  return static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace verbena::experiments
