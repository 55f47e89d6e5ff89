// Simulations one after another in the same memory do what each does in memory of its own.
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "rdma/seam/page_arena.h"
#include "tests/support/test_fabric.h"
#include "tests/workloads/run/small_workload.h"
#include "txn/registry/load_system.h"
#include "workloads/run/cluster_run.h"

namespace verbena::testing {
namespace {

struct Point {
  std::string system;
  std::string workload;
  std::uint32_t nodes = 3;
  std::uint64_t seed = 1;
  rdma::MessagePath transport = rdma::MessagePath::kDatagrams;
};

std::uint64_t digest_of(const Point& point, rdma::PageArena* arena) {
  const FabricShape shape{.nodes = point.nodes,
                          .workers = 2,
                          .seed = point.seed,
                          .transport = point.transport,
                          .page_arena = arena};
  const auto fabric = make_fabric(shape);
  const auto system = txn::load_system(point.system);
  const std::uint32_t replicas = system->info().replicates ? 2 : 1;
  const auto workload =
      small_workload(point.workload, *system, shape.nodes, replicas, shape.workers);
  workloads::RunOptions options;
  options.endpoint = options_for(shape);
  options.fibers = 3;
  options.replicas = replicas;
  options.duration = 500 * kMicrosecond;
  options.seed = point.seed;
  const workloads::RunResult result =
      workloads::ClusterRun(*fabric, *workload, *system, options).run();
  EXPECT_TRUE(result.verification.ok()) << point.system << ", " << point.workload;
  return result.trace_digest;
}

TEST(UsedArena, ChangesNoTrace) {
  if (!std::ifstream("/proc/self/pagemap")) {
    GTEST_SKIP() << "this kernel does not tell which pages were touched, so nothing is kept";
  }
  // Enough for all, so that whatever was given back is taken again.
  const auto arena = rdma::PageArena::reserve(std::uint64_t{1} << 30);
  if (arena == nullptr) GTEST_SKIP() << "no address space for an arena";
  const Point points[] = {
      {.system = "drtmh", .workload = "tpcc"},
      {.system = "farm", .workload = "stress", .seed = 2},
      {.system = "fasst-occ", .workload = "tpcc", .transport = rdma::MessagePath::kWriteRing},
      {.system = "drtmh", .workload = "smallbank", .nodes = 4},
      {.system = "nam", .workload = "tpcc"},
      {.system = "drtmh", .workload = "tpcc", .transport = rdma::MessagePath::kWriteRing},
  };
  for (int round = 0; round < 3; ++round) {
    for (const Point& point : points) {
      EXPECT_EQ(digest_of(point, arena.get()), digest_of(point, nullptr))
          << point.system << ", " << point.workload << ", round " << round;
    }
  }
  EXPECT_GT(arena->mappings().touched_bytes(), 0U) << "nothing was given back";
}

}  // namespace
}  // namespace verbena::testing
