// A lower bound, queue pairs, which grow with the square of the nodes; and an estimate.
#include "experiments/session/memory_need.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "experiments/config/keys/units.h"
#include "rdma/base/errors.h"
#include "rdma/device/cluster_links.h"

namespace verbena::experiments {
namespace {

// Growth of peak memory for each queue pair that nothing has been posted to yet, rounded down: 266
// bytes were measured from 2.5 to 6.3 million of them, and 40 have been saved since.
constexpr std::uint64_t kQueuePairBytes = 216;

// The rest was measured on simulations of 4 to 500 nodes with 4 to 24 threads each, 0.07 to 5 ms
// long.
constexpr std::uint64_t kMib = 1ULL << 20;
constexpr std::uint64_t kProcessBytes = 72 * kMib;
constexpr std::uint64_t kNodeBytes = 820ULL << 10;
// A queue pair with the log ring of a worker at a backup, at first; what it grows by in its first
// millisecond, by messages and records; and one of a bench.
constexpr std::uint64_t kLoggingPairBytes = 358;
constexpr std::uint64_t kLoggingPairGrowth = 170;
constexpr std::uint64_t kUsedPairBytes = 280;
// Runs that find out their time themselves end after about as many transactions, whatever the
// cluster is like.
constexpr std::uint64_t kAutomaticBytes = 64 * kMib;

/// Memory of a worker in KiB: at the beginning, and for each millisecond, in which it touches more
/// of the database.
struct Share {
  std::string_view work;  ///< workload, or operation of a bench
  std::uint64_t first;
  std::uint64_t millisecond;
};
constexpr Share kShares[] = {
    {"smallbank", 160, 129}, {"tatp", 200, 80},         {"tpcc-no", 540, 520},
    {"tpcc", 786, 125},      {"ycsb", 430, 150},        {"tpce-cp", 1056, 250},
    {"stress", 160, 20},     {"rpc", 115, 0},           {"send", 290, 0},
    {"allocate", 200, 0},    {"indirect-read", 145, 0}, {"prism-write", 145, 0},
    {"prism-cas", 125, 0},   {"write-rpc", 161, 0},
};
constexpr Share kOneSidedOperation = {"", 48, 0};

Share share_of(std::string_view work) {
  const auto* found = std::ranges::find(kShares, work, &Share::work);
  return found == std::end(kShares) ? kOneSidedOperation : *found;
}

/// Memory that grows by `bytes` each millisecond, for the first `longest` of `time`.
std::uint64_t grown(std::uint64_t bytes, Nanoseconds time, Nanoseconds longest) {
  return bytes * static_cast<std::uint64_t>(std::min(time, longest) / kMicrosecond) / 1000;
}

/// Memory that transactions of all workers touch until the end.
std::uint64_t growth(const ClusterOptions& cluster, const Share& share) {
  if (share.millisecond == 0) return 0;
  const std::uint64_t pairs = queue_pairs_of(cluster) * kLoggingPairGrowth;
  if (!cluster.duration) return kAutomaticBytes + pairs;
  // A warm-up that finds out its own end is mostly shorter than this.
  const Nanoseconds time = cluster.warmup.value_or(kMillisecond) + *cluster.duration;
  const std::uint64_t workers = std::uint64_t{cluster.nodes} * cluster.endpoint.workers;
  // Later the rest of the database is hardly touched.
  return grown(workers * share.millisecond * 1024, time, 10 * kMillisecond) +
         grown(pairs, time, kMillisecond);
}

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

std::uint64_t expected_memory_bytes(const ClusterOptions& cluster, const ExpectedWork& work) {
  const Share share = share_of(work.name);
  const std::uint64_t workers = std::uint64_t{cluster.nodes} * cluster.endpoint.workers;
  return kProcessBytes + cluster.nodes * kNodeBytes +
         workers * (share.first * 1024 + work.buffers_bytes) + growth(cluster, share) +
         queue_pairs_of(cluster) * (share.millisecond != 0 ? kLoggingPairBytes : kUsedPairBytes);
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
  // A worker took 3.5 MiB beside what its node has touched (64 x 24 of them, TPC-C/no).
  const std::uint64_t others = std::min(available, workers * 4 * kMib);
  return std::max<std::uint64_t>(1, (available - others) / 5 * 3 / kMib) * kMib;
}

std::uint64_t physical_memory_bytes() {
  return static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace verbena::experiments
