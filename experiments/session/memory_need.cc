// A lower bound: queue pairs, which grow with the square of the nodes.
#include "experiments/session/memory_need.h"

#include <fmt/format.h>
#include <unistd.h>

#include "experiments/config/units.h"
#include "rdma/base/errors.h"
#include "rdma/device/cluster_links.h"

namespace verbena::experiments {
namespace {

// What peak memory grows by for each queue pair that nothing has been posted to yet (334 bytes from
// 4.9 to 9.8 million of them), rounded down.
constexpr std::uint64_t kQueuePairBytes = 320;

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

std::uint64_t physical_memory_bytes() {
  return static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace verbena::experiments
