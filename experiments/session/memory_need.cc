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

std::uint64_t simulated_queue_pairs(const Options& options) {
  const std::uint64_t sharing =
      options.command == Command::kBench ? options.threads_per_queue_pair : 1;
  const std::uint64_t owners = (options.threads + sharing - 1) / sharing;
  const auto alike = rdma::ClusterLinks::alike(static_cast<std::uint32_t>(options.nodes),
                                               static_cast<std::uint32_t>(owners), 1);
  return alike.all_links() * options.connections;
}

void check_memory_need(const Options& options, std::uint64_t memory_bytes) {
  if (!options.simulated()) return;
  const std::uint64_t queue_pairs = simulated_queue_pairs(options);
  const std::uint64_t need = queue_pairs * kQueuePairBytes;
  if (need <= memory_bytes) return;
  throw ConfigurationError(fmt::format(
      "--nodes {} with --threads {} and --connections {} have {} queue pairs, which need more than "
      "{} of memory; this machine has {}",
      options.nodes, options.threads, options.connections, queue_pairs, format_bytes(need),
      format_bytes(memory_bytes)));
}

std::uint64_t physical_memory_bytes() {
  return static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace verbena::experiments
