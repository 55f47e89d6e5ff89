// In the steady state neither requests nor RPCs allocate memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "rdma/one_sided/request_batch.h"
#include "rdma/rpc/rpc_batch.h"
#include "tests/support/rpc_payloads.h"
#include "tests/support/test_fabric.h"

namespace {

std::atomic<std::uint64_t> allocations = 0;

void* counted(std::size_t bytes) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  void* memory = std::malloc(bytes);
  if (memory == nullptr) std::abort();
  return memory;
}

}  // namespace

// Operators of all the program's allocations; those of libraries written in C go past them.
void* operator new(std::size_t bytes) { return counted(bytes); }
void* operator new[](std::size_t bytes) { return counted(bytes); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*bytes*/) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t /*bytes*/) noexcept { std::free(memory); }

namespace verbena::rdma {
namespace {

using testing::by_fabric;
using testing::bytes_of;
using testing::Cluster;
using testing::FabricShape;

constexpr RpcMethod kEcho = 1;

/// Worker 0 of node 1 serves what `worker` asks; how much is allocated while it asks again and
/// again.
std::uint64_t allocated_in_rounds(Cluster& cluster, Worker& worker) {
  cluster.for_each_worker([](Worker& each) {
    each.rpc().serve(kEcho,
                     [](const RpcCaller&, std::span<const std::byte> request, RpcReply& reply) {
                       std::ranges::copy(request, reply.allocate(request.size()).begin());
                     });
  });
  std::uint64_t counted_in_rounds = UINT64_MAX;
  worker.spawn([&] {
    std::byte* buffer = worker.allocate_scratch(4096).data();
    RequestBatch batch(worker.connections());
    RpcBatch calls(worker.rpc());
    std::vector<std::byte> large(500);
    const auto rounds = [&](int count) {
      const std::uint64_t before = allocations;
      for (int round = 0; round < count; ++round) {
        std::uint64_t found = 0;
        batch.read({1, 0, 0}, buffer, 64);
        batch.fetch_and_add({1, 0, 128}, 1, &found);
        batch.write({0, 0, 64}, large.data(), 500);
        batch.post();
        batch.wait();
        batch.write({1, 0, 1024}, large.data(), 500);
        batch.post_passive();
        calls.clear();
        calls.add(1, kEcho, bytes_of(found));
        calls.add(1, kEcho, large);
        calls.post();
        worker.rpc().notify(1, kEcho, large);
        calls.wait();
      }
      return allocations - before;
    };
    rounds(by_fabric(3000, 100));  // vectors, pools and windows grow to what is needed
    counted_in_rounds = rounds(by_fabric(1000, 50));
  });
  cluster.run();
  return counted_in_rounds;
}

void add_store(Endpoint& endpoint) { endpoint.add_region("store", 65536, {}); }

// The simulated fabric's queue of events still grows now and then, and on a device pools do when
// answers come late; a request or call that allocated would do so in each round.
std::uint64_t allowed() { return by_fabric(250U, 10U); }

TEST(SteadyState, AllocatesNothing) {
  const FabricShape shape{.nodes = 2};
  Cluster cluster(shape, testing::options_for(shape), add_store);
  EXPECT_LE(allocated_in_rounds(cluster, cluster.worker(0)), allowed());
}

TEST(SteadyState, AllocatesNothingWhereANodeHasFewerWorkers) {
  const FabricShape shape{.nodes = 2, .workers = 3};
  EndpointOptions options = testing::options_for(shape);
  options.links = std::make_shared<const ClusterLinks>(
      ClusterLinks({{.name = "large", .workers = 3}, {.name = "small", .workers = 1}}, {0, 1},
                   [](std::size_t, std::size_t) { return true; }));
  Cluster cluster(shape, options, add_store);
  EXPECT_LE(allocated_in_rounds(cluster, cluster.worker(0, 2)), allowed());
}

}  // namespace
}  // namespace verbena::rdma
