// One-sided requests: what they do to memory, in which order, and what they cost.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "rdma/base/errors.h"
#include "rdma/one_sided/request_batch.h"
#include "tests/support/test_fabric.h"

namespace verbena::rdma {
namespace {

using testing::by_fabric;
using testing::Cluster;
using testing::FabricShape;

constexpr std::uint64_t kRegionBytes = 1 << 16;

void add_store(Endpoint& endpoint) {
  const NodeId node = endpoint.node();
  endpoint.add_region("store", kRegionBytes,
                      [node](std::uint64_t offset, std::span<std::byte> page) {
                        for (std::size_t i = 0; i < page.size(); i += 8) {
                          const std::uint64_t value = (std::uint64_t{node} << 48) + offset + i;
                          std::memcpy(page.data() + i, &value, sizeof value);
                        }
                      });
}

std::uint64_t initial(NodeId node, std::uint64_t offset) {
  return (std::uint64_t{node} << 48) + offset;
}

std::uint64_t word(Endpoint& endpoint, std::uint64_t offset) {
  std::uint64_t value;
  std::memcpy(&value, endpoint.region(0).at(offset, 8), 8);
  return value;
}

template <typename T>
T* scratch(Worker& worker, std::size_t count) {
  return reinterpret_cast<T*>(worker.allocate_scratch(count * sizeof(T)).data());
}

/// How requests are posted, and who carries them out: NICs, or cores, also where what they are
/// asked by is interrupted everywhere and lost.
struct Way {
  std::string name;
  Doorbell doorbell = Doorbell::kBatched;
  PrismMode prism = PrismMode::kAuto;
  bool chaos = false;
  std::string datagrams_lost = "0";

  FabricShape shape(const FabricShape& plain) const {
    FabricShape shape = plain;
    shape.chaos = chaos;
    if (datagrams_lost != "0") shape.overrides["fabric.ud_loss"] = datagrams_lost;
    return shape;
  }
  EndpointOptions options(const FabricShape& shape) const {
    EndpointOptions options = testing::options_for(shape);
    options.prism = prism;
    return options;
  }
};

class OneSided : public ::testing::TestWithParam<Way> {
 protected:
  static FabricShape shape(const FabricShape& plain) { return GetParam().shape(plain); }
  static EndpointOptions options(const FabricShape& shape) { return GetParam().options(shape); }
  static Doorbell doorbell() { return GetParam().doorbell; }
};

TEST_P(OneSided, ReadsReturnEachPeersContentIncludingTheOwnNodes) {
  const FabricShape shape = this->shape({.nodes = 3});
  Cluster cluster(shape, options(shape), add_store);
  std::atomic<std::uint32_t> checked = 0;
  cluster.for_each_worker([&](Worker& worker) {
    worker.spawn([&] {
      auto* values = scratch<std::uint64_t>(worker, 3);
      RequestBatch batch(worker.connections());
      for (NodeId peer = 0; peer < 3; ++peer) {
        batch.read({peer, 0, 4096U + 8U * peer}, &values[peer], 8);
      }
      batch.post(doorbell());
      batch.wait();
      for (NodeId peer = 0; peer < 3; ++peer) {
        EXPECT_EQ(values[peer], initial(peer, 4096U + 8U * peer));
      }
      ++checked;
    });
  });
  cluster.run();
  EXPECT_EQ(checked, 3U);
}

TEST_P(OneSided, WritesOfAllLengthsArriveFromScratchAndFromElsewhere) {
  const FabricShape shape = this->shape({.nodes = 2});
  Cluster cluster(shape, options(shape), add_store);
  const std::vector<std::uint32_t> lengths = {1, 8, 63, 64, 65, 256, 4000, 9000};
  cluster.worker(0).spawn([&] {
    Worker& worker = cluster.worker(0);
    auto* registered = scratch<std::byte>(worker, 9000);
    std::vector<std::byte> elsewhere(9000);
    for (std::size_t i = 0; i < 9000; ++i) {
      registered[i] = static_cast<std::byte>(i * 7);
      elsewhere[i] = static_cast<std::byte>(i * 13);
    }
    RequestBatch batch(worker.connections());
    std::uint64_t at = 0;
    for (const std::uint32_t length : lengths) {
      batch.write({1, 0, at}, registered, length);
      batch.write({1, 0, at + 10000}, elsewhere.data(), length);
      batch.post(doorbell());
      batch.wait();
      std::byte* written = cluster.endpoint(1).region(0).at(at, 20000);
      EXPECT_EQ(std::memcmp(written, registered, length), 0) << length;
      EXPECT_EQ(std::memcmp(written + 10000, elsewhere.data(), length), 0) << length;
      at += 64;
    }
  });
  cluster.run();
}

TEST_P(OneSided, SourcesThatAreCopiedMayChangeAfterPost) {
  const FabricShape shape = this->shape({.nodes = 2});
  Cluster cluster(shape, options(shape), add_store);
  cluster.worker(0).spawn([&] {
    RequestBatch batch(cluster.worker(0).connections());
    std::vector<std::uint64_t> source(32, 7);
    std::uint64_t small = 9;
    batch.write({1, 0, 0}, source.data(), 256);
    batch.write({1, 0, 512}, &small, 8);
    batch.post(doorbell());
    source.assign(32, 0);
    small = 0;
    batch.wait();
  });
  cluster.run();
  EXPECT_EQ(word(cluster.endpoint(1), 0), 7U);
  EXPECT_EQ(word(cluster.endpoint(1), 248), 7U);
  EXPECT_EQ(word(cluster.endpoint(1), 512), 9U);
}

TEST_P(OneSided, AtomicsTellWhatTheyFound) {
  const FabricShape shape = this->shape({.nodes = 2});
  Cluster cluster(shape, options(shape), add_store);
  cluster.worker(0).spawn([&] {
    Worker& worker = cluster.worker(0);
    RequestBatch batch(worker.connections());
    std::uint64_t on_stack = 0;
    auto* in_scratch = scratch<std::uint64_t>(worker, 1);
    batch.compare_and_swap({1, 0, 8}, initial(1, 8), 1234, &on_stack);
    batch.compare_and_swap({1, 0, 8}, initial(1, 8), 5678, in_scratch);
    batch.fetch_and_add({1, 0, 16}, 5, nullptr);
    batch.post(doorbell());
    batch.wait();
    EXPECT_EQ(on_stack, initial(1, 8));
    EXPECT_EQ(*in_scratch, 1234U);
  });
  cluster.run();
  EXPECT_EQ(word(cluster.endpoint(1), 8), 1234U);
  EXPECT_EQ(word(cluster.endpoint(1), 16), initial(1, 16) + 5);
}

TEST_P(OneSided, RequestsOfABatchToOneNodeKeepTheirOrder) {
  const FabricShape shape = this->shape({.nodes = 2});
  EndpointOptions options = this->options(shape);
  options.qps_per_peer = 3;
  Cluster cluster(shape, options, add_store);
  const int rounds = by_fabric(200, 20);
  cluster.worker(0).spawn([&] {
    Worker& worker = cluster.worker(0);
    auto* seen = scratch<std::uint64_t>(worker, 2);
    RequestBatch batch(worker.connections());
    for (int round = 1; round <= rounds; ++round) {
      const std::uint64_t value = static_cast<std::uint64_t>(round);
      batch.write({1, 0, 64}, &value, 8);
      batch.read({1, 0, 64}, &seen[0], 8);
      batch.fetch_and_add({1, 0, 64}, 1000, nullptr);
      batch.read({1, 0, 64}, &seen[1], 8);
      batch.post(doorbell());
      batch.wait();
      ASSERT_EQ(seen[0], value);
      ASSERT_EQ(seen[1], value + 1000);
    }
  });
  cluster.run();
}

TEST_P(OneSided, AnyNumberOfRequestsFitsThroughAShortSendQueue) {
  const FabricShape shape = this->shape({.nodes = 2});
  EndpointOptions options = this->options(shape);
  options.send_queue_depth = 8;
  options.signal_interval = 4;
  Cluster cluster(shape, options, add_store);
  const int fibers = 4;
  const int requests = by_fabric(500, 50);
  for (int fiber = 0; fiber < fibers; ++fiber) {
    cluster.worker(0).spawn([&] {
      RequestBatch batch(cluster.worker(0).connections());
      for (int i = 0; i < requests; ++i) batch.fetch_and_add({1, 0, 32}, 1, nullptr);
      batch.post(doorbell());
      batch.wait();
    });
  }
  cluster.run();
  EXPECT_EQ(word(cluster.endpoint(1), 32), initial(1, 32) + fibers * requests);
  if (GetParam().prism == PrismMode::kAuto) {
    EXPECT_GT(cluster.worker(0).counters().send_queue_waits, 0U);
  }
}

TEST_P(OneSided, PassiveWritesAreDoneWhenTheRunHasEnded) {
  const FabricShape shape = this->shape({.nodes = 2});
  EndpointOptions options = this->options(shape);
  options.staging_bytes = 65536;  // so little that it has to be reused
  Cluster cluster(shape, options, add_store);
  const int rounds = by_fabric(1000, 100);
  cluster.worker(0).spawn([&] {
    RequestBatch batch(cluster.worker(0).connections());
    std::vector<std::uint64_t> large(128);
    for (int round = 0; round < rounds; ++round) {
      large.assign(128, static_cast<std::uint64_t>(round));
      const std::uint64_t small = static_cast<std::uint64_t>(round);
      batch.write({1, 0, 1024U * (1U + static_cast<unsigned>(round) % 32U)}, large.data(), 1024);
      batch.write({1, 0, 8U * (static_cast<unsigned>(round) % 32U)}, &small, 8);
      batch.post_passive(doorbell());
    }
  });
  cluster.run();
  for (int round = rounds - 32; round < rounds; ++round) {
    const auto value = static_cast<std::uint64_t>(round);
    const std::uint64_t slot = value % 32;
    EXPECT_EQ(word(cluster.endpoint(1), 8 * slot), value);
    EXPECT_EQ(word(cluster.endpoint(1), 1024 * (1 + slot)), value);
    EXPECT_EQ(word(cluster.endpoint(1), 1024 * (1 + slot) + 1016), value);
  }
}

std::vector<Way> ways() {
  std::vector<Way> all = {
      {.name = "Each", .doorbell = Doorbell::kEach},
      {.name = "Batched"},
      {.name = "EachByCores", .doorbell = Doorbell::kEach, .prism = PrismMode::kSoftware},
      {.name = "ByCores", .prism = PrismMode::kSoftware}};
  if (testing::on_hardware()) return all;
  all.push_back({.name = "ByCoresInChaos", .prism = PrismMode::kSoftware, .chaos = true});
  all.push_back({.name = "ByCoresWithLoss",
                 .prism = PrismMode::kSoftware,
                 .chaos = true,
                 .datagrams_lost = "0.05"});
  return all;
}

INSTANTIATE_TEST_SUITE_P(Ways, OneSided, ::testing::ValuesIn(ways()),
                         [](const auto& info) { return info.param.name; });

TEST(OneSidedCost, ABatchCostsOneDoorbellPerQueuePairAndOneSignal) {
  Cluster cluster({.nodes = 3}, testing::options_for({.nodes = 3}), add_store);
  cluster.worker(0).spawn([&] {
    Worker& worker = cluster.worker(0);
    auto* values = scratch<std::uint64_t>(worker, 6);
    RequestBatch batch(worker.connections());
    const auto count = [&](Doorbell doorbell) {
      const WorkerCounters before = worker.counters();
      for (std::uint64_t i = 0; i < 6; ++i) {
        batch.read({static_cast<NodeId>(1 + i % 2), 0, 8 * i}, &values[i], 8);
      }
      batch.post(doorbell);
      batch.wait();
      const WorkerCounters after = worker.counters();
      return std::pair(after.post_calls - before.post_calls, after.signaled - before.signaled);
    };
    EXPECT_EQ(count(Doorbell::kBatched), std::pair(std::uint64_t{2}, std::uint64_t{2}));
    EXPECT_EQ(count(Doorbell::kEach), std::pair(std::uint64_t{6}, std::uint64_t{2}));
  });
  cluster.run();
}

TEST(OneSidedCost, PassiveRequestsAreSignaledOnceInAnInterval) {
  FabricShape shape{.nodes = 2};
  EndpointOptions options = testing::options_for(shape);
  options.signal_interval = 16;
  Cluster cluster(shape, options, add_store);
  cluster.worker(0).spawn([&] {
    Worker& worker = cluster.worker(0);
    RequestBatch batch(worker.connections());
    const std::uint64_t value = 1;
    for (int i = 0; i < 160; ++i) {
      batch.write({1, 0, 0}, &value, 8);
      batch.post_passive();
    }
    EXPECT_EQ(worker.counters().signaled, 10U);
  });
  cluster.run();
}

// Fibers that wait for room have it before fibers whose requests have just been completed.
TEST(Fairness, WhoseRequestsAreCompletedDoesNotKeepOthersFromTheirs) {
  const FabricShape shape{.nodes = 2};
  EndpointOptions options = testing::options_for(shape);
  options.send_queue_depth = 2;
  options.signal_interval = 1;
  Cluster cluster(shape, options, add_store);
  Worker& worker = cluster.worker(0);
  constexpr int kPatience = 1000;
  bool written = false;
  int read = 0;
  for (int reader = 0; reader < 2; ++reader) {
    worker.spawn([&] {
      auto* value = scratch<std::uint64_t>(worker, 1);
      RequestBatch batch(worker.connections());
      for (; !written && read < kPatience; ++read) {
        batch.read({1, 0, 0}, value, 8);
        batch.post();
        batch.wait();
      }
    });
  }
  worker.spawn([&] {
    RequestBatch batch(worker.connections());
    const std::uint64_t value = 1;
    batch.write({1, 0, 64}, &value, 8);
    batch.post();
    batch.wait();
    written = true;
  });
  cluster.run();
  EXPECT_TRUE(written);
  EXPECT_LT(read, 10);
}

TEST(OneSidedErrors, AccessOutsideOfARegionIsRefused) {
  Cluster cluster({.nodes = 2}, testing::options_for({.nodes = 2}), add_store);
  cluster.worker(0).spawn([&] {
    Worker& worker = cluster.worker(0);
    auto* value = scratch<std::uint64_t>(worker, 1);
    RequestBatch batch(worker.connections());
    EXPECT_THROW(batch.read({1, 0, kRegionBytes - 7}, value, 8), std::logic_error);
    EXPECT_THROW(batch.read({2, 0, 0}, value, 8), std::logic_error);
    EXPECT_THROW(batch.read({1, 2, 0}, value, 8), std::logic_error);
    std::uint64_t on_stack = 0;
    EXPECT_THROW(batch.read({1, 0, 0}, &on_stack, 8), std::logic_error);
    EXPECT_THROW(batch.fetch_and_add({1, 0, 4}, 1, nullptr), std::logic_error);
  });
  cluster.run();
}

TEST(Nics, WorkersAreSpreadOverThemAndReachEachOther) {
  const FabricShape shape{.nodes = 2, .workers = 4, .nics = by_fabric(2U, 1U)};
  Cluster cluster(shape, testing::options_for(shape), add_store);
  cluster.for_each_worker([](Worker& worker) {
    worker.spawn([&worker] {
      RequestBatch batch(worker.connections());
      batch.fetch_and_add({static_cast<NodeId>(1 - worker.node()), 0, 8U * worker.id()}, 1,
                          nullptr);
      batch.post();
      batch.wait();
    });
  });
  cluster.run();
  for (NodeId node = 0; node < 2; ++node) {
    for (std::uint64_t worker = 0; worker < 4; ++worker) {
      EXPECT_EQ(word(cluster.endpoint(node), 8 * worker), initial(node, 8 * worker) + 1);
    }
  }
}

TEST(Contention, FetchAndAddFromAllWorkersCountsEveryOne) {
  const NodeId nodes = by_fabric<NodeId>(4, 2);
  const FabricShape shape{.nodes = nodes, .workers = 2};
  Cluster cluster(shape, testing::options_for(shape), add_store);
  const int rounds = by_fabric(200, 20);
  cluster.for_each_worker([&](Worker& worker) {
    for (int fiber = 0; fiber < 3; ++fiber) {
      worker.spawn([&worker, rounds, nodes] {
        RequestBatch batch(worker.connections());
        for (int round = 0; round < rounds; ++round) {
          for (NodeId peer = 0; peer < nodes; ++peer) {
            batch.fetch_and_add({peer, 0, 0}, 1, nullptr);
          }
          batch.post();
          batch.wait();
        }
      });
    }
  });
  cluster.run();
  for (NodeId node = 0; node < nodes; ++node) {
    EXPECT_EQ(word(cluster.endpoint(node), 0) - initial(node, 0), nodes * 2 * 3 * rounds);
  }
}

}  // namespace
}  // namespace verbena::rdma
