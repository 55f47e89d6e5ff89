// One-sided requests that the peers' cores carry out: order among messages, company and fences.
// All else that they do is in tests/rdma/one_sided.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>
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

constexpr std::uint64_t kBytes = 1 << 14;

EndpointOptions by_cores(const FabricShape& shape) {
  EndpointOptions options = testing::options_for(shape);
  options.prism = PrismMode::kSoftware;
  if (!testing::on_hardware()) options.rpc.timeout = 100 * kMicrosecond;
  if (!testing::on_hardware()) options.rpc.ack_delay = 10 * kMicrosecond;
  return options;
}

void add_zeros(Endpoint& endpoint) { endpoint.add_region("zeros", kBytes, {}); }

std::uint64_t word(Cluster& cluster, NodeId node, std::uint64_t offset) {
  std::uint64_t value = 0;
  std::memcpy(&value, cluster.endpoint(node).region(0).at(offset, 8), 8);
  return value;
}

/// Where requests run: in order, interrupted everywhere, with datagrams lost or reordered.
struct Weather {
  std::string name;
  bool chaos;
  std::string lost = "0";
  std::string reordered = "0";
};

class ByCores : public ::testing::TestWithParam<Weather> {
 protected:
  static FabricShape shape(std::uint32_t nodes, std::uint32_t workers = 1) {
    FabricShape shape{.nodes = nodes, .workers = workers};
    if (testing::on_hardware()) return shape;
    shape.chaos = GetParam().chaos;
    shape.overrides["fabric.ud_loss"] = GetParam().lost;
    shape.overrides["fabric.ud_reorder"] = GetParam().reordered;
    return shape;
  }
};

TEST_P(ByCores, WhatTakesSeveralMessagesIsCarriedOutInItsOrder) {
  const FabricShape shape = this->shape(2);
  Cluster cluster(shape, by_cores(shape), add_zeros);
  Worker& worker = cluster.worker(0);
  worker.spawn([&] {
    constexpr std::uint32_t kLength = 5000;
    const std::span<std::byte> source = worker.allocate_scratch(kLength);
    const std::span<std::byte> seen = worker.allocate_scratch(3 * kLength);
    RequestBatch batch(worker.connections());
    for (int round = 1; round <= 5; ++round) {
      std::ranges::fill(source, std::byte(round));
      std::uint64_t found = 0;
      batch.read({1, 0, 12}, seen.data(), kLength);
      batch.write({1, 0, 12}, source.data(), kLength);
      batch.fetch_and_add({1, 0, 0}, 1, &found);
      batch.read({1, 0, 12}, seen.data() + kLength, kLength);
      batch.write({1, 0, 12}, source.first(100), source.subspan(100, kLength - 100));
      batch.read({1, 0, 12}, seen.data() + 2UL * kLength, kLength);
      batch.post();
      batch.wait();
      EXPECT_EQ(found, static_cast<std::uint64_t>(round - 1));
      const auto all_are = [&](std::size_t first, int value) {
        return std::ranges::all_of(seen.subspan(first, kLength),
                                   [value](std::byte one) { return one == std::byte(value); });
      };
      EXPECT_TRUE(all_are(0, round - 1));
      EXPECT_TRUE(all_are(kLength, round));
      EXPECT_TRUE(all_are(2UL * kLength, round));
    }
  });
  cluster.run();
}

TEST_P(ByCores, ABatchAsksSeveralServersAtOnceItsOwnNodeToo) {
  const FabricShape shape = this->shape(4, 2);
  Cluster cluster(shape, by_cores(shape), add_zeros);
  const std::uint32_t rounds = by_fabric(50U, 5U);
  cluster.for_each_worker([&](Worker& worker) {
    worker.spawn([&worker, rounds] {
      const std::span<std::byte> block = worker.allocate_scratch(1500);
      RequestBatch batch(worker.connections());
      for (std::uint32_t round = 0; round < rounds; ++round) {
        for (NodeId peer = 0; peer < 4; ++peer) {
          batch.fetch_and_add({peer, 0, 0}, 1, nullptr);
          batch.write({peer, 0, 2048U * (1U + worker.id() + worker.node() % 3U)}, block.data(),
                      1500);
        }
        batch.post();
        batch.wait();
      }
    });
  });
  cluster.run();
  for (NodeId node = 0; node < 4; ++node) EXPECT_EQ(word(cluster, node, 0), 4U * 2U * rounds);
}

TEST_P(ByCores, WhatIsPostedPassivelyComesBeforeWhatIsPostedLater) {
  const FabricShape shape = this->shape(3);
  Cluster cluster(shape, by_cores(shape), add_zeros);
  const std::uint64_t rounds = by_fabric(200U, 10U);
  for (std::uint64_t fiber = 0; fiber < 4; ++fiber) {
    cluster.worker(0).spawn([&, fiber] {
      Worker& worker = cluster.worker(0);
      auto* seen = reinterpret_cast<std::uint64_t*>(worker.allocate_scratch(64).data());
      RequestBatch passive(worker.connections());
      RequestBatch batch(worker.connections());
      std::vector<std::uint64_t> large(200);
      for (std::uint64_t round = 1; round <= rounds; ++round) {
        const NodeId peer(round % 3);
        large.assign(large.size(), round);
        passive.write({peer, 0, 2048 * fiber}, large.data(), 1600);
        passive.fetch_and_add({peer, 0, 2048 * fiber + 2000}, 1, nullptr);
        passive.post_passive();
        large.assign(large.size(), 0);  // the source is free
        batch.read({peer, 0, 2048 * fiber}, &seen[0], 8);
        batch.read({peer, 0, 2048 * fiber + 1592}, &seen[1], 8);
        batch.read({peer, 0, 2048 * fiber + 2000}, &seen[2], 8);
        batch.post();
        batch.wait();
        ASSERT_EQ(seen[0], round);
        ASSERT_EQ(seen[1], round);
        ASSERT_EQ(seen[2], (round - 1) / 3 + 1);
      }
    });
  }
  cluster.run();
}

TEST_P(ByCores, PostsOfABatchThatAreNotWaitedForKeepTheirOrder) {
  const FabricShape shape = this->shape(2);
  Cluster cluster(shape, by_cores(shape), add_zeros);
  cluster.worker(0).spawn([&] {
    Worker& worker = cluster.worker(0);
    auto* seen = reinterpret_cast<std::uint64_t*>(worker.allocate_scratch(64).data());
    RequestBatch batch(worker.connections());
    for (std::uint64_t round = 1; round <= 50; ++round) {
      batch.write({1, 0, 0}, &round, 8);
      batch.post();
      batch.fetch_and_add({1, 0, 0}, 1000, nullptr);
      batch.post_passive();
      batch.read({1, 0, 0}, seen, 8);
      batch.post();
      batch.wait();
      ASSERT_EQ(*seen, round + 1000);
    }
  });
  cluster.run();
}

TEST_P(ByCores, AtomicsExcludeTheServersOwn) {
  const FabricShape shape = this->shape(3, 2);
  Cluster cluster(shape, by_cores(shape), add_zeros);
  const std::uint64_t rounds = by_fabric(200U, 20U);
  cluster.for_each_worker([&](Worker& worker) {
    worker.spawn([&, rounds] {
      RequestBatch batch(worker.connections());
      for (std::uint64_t round = 0; round < rounds; ++round) {
        if (worker.node() != 0) {
          batch.fetch_and_add({0, 0, 0}, 1, nullptr);
          batch.post();
          batch.wait();
          continue;
        }
        std::byte* const shared = cluster.endpoint(0).region(0).at(0, 8);
        const std::atomic_ref count(*reinterpret_cast<std::uint64_t*>(shared));
        for (std::uint64_t seen = count.load();;) {
          worker.core().step(shared);
          if (count.compare_exchange_strong(seen, seen + 1)) break;
        }
        worker.yield();
      }
    });
  });
  cluster.run();
  EXPECT_EQ(word(cluster, 0, 0), 6 * rounds);
}

TEST_P(ByCores, LinesAreReadWholeAndSeveralMayBeTorn) {
  const FabricShape shape = this->shape(3, 2);
  Cluster cluster(shape, by_cores(shape), add_zeros);
  constexpr std::uint32_t kWords = 64;
  std::atomic<int> torn = 0;
  const std::uint64_t rounds = by_fabric(300U, 20U);
  cluster.worker(1, WorkerId{0}).spawn([&] {
    RequestBatch batch(cluster.worker(1, WorkerId{0}).connections());
    for (std::uint64_t round = 1; round <= rounds; ++round) {
      const std::vector<std::uint64_t> block(kWords, round);
      batch.write({0, 0, 0}, block.data(), kWords * 8);
      batch.post();
      batch.wait();
    }
  });
  cluster.worker(2, WorkerId{1}).spawn([&] {
    Worker& worker = cluster.worker(2, WorkerId{1});
    auto* seen = reinterpret_cast<std::uint64_t*>(worker.allocate_scratch(kWords * 8).data());
    RequestBatch batch(worker.connections());
    for (std::uint64_t round = 1; round <= rounds; ++round) {
      batch.read({0, 0, 0}, seen, kWords * 8);
      batch.post();
      batch.wait();
      for (std::uint32_t line = 0; line < kWords; line += 8) {
        for (std::uint32_t i = 1; i < 8; ++i) ASSERT_EQ(seen[line + i], seen[line]);
      }
      if (seen[0] != seen[kWords - 8]) ++torn;
    }
  });
  cluster.run();
  if (shape.chaos) {
    EXPECT_GT(torn, 0);
  }
}

/// Fences a peer that writes all the time, and looks whether anything of it changes memory later.
void fence_a_writer(const FabricShape& shape) {
  EndpointOptions options = by_cores(shape);
  options.rpc.retries = 3;
  options.rc_timeout_exponent = testing::on_hardware() ? 14 : 4;
  options.rc_retries = 1;
  Cluster cluster(shape, options, add_zeros);
  bool fenced = false;
  for (WorkerId id = 0; id < 2; ++id) {
    Worker& writer = cluster.worker(1, id);
    for (std::uint64_t fiber = 0; fiber < 3; ++fiber) {
      writer.spawn([&, id, fiber] {
        RequestBatch batch(writer.connections());
        const std::uint64_t at = 4096U * id + 1024 * fiber;
        std::vector<std::uint64_t> block(96);
        try {
          for (std::uint64_t round = 1;; ++round) {
            block.assign(block.size(), round);
            batch.write({0, 0, at}, block.data(), 768);
            batch.fetch_and_add({0, 0, at + 800}, 1, nullptr);
            batch.post();
            batch.wait();
          }
        } catch (const PeerMissing&) {
          cluster.endpoint(1).mark_dead(0);
        }
      });
    }
  }
  Worker& guard = cluster.worker(0);
  guard.spawn([&] {
    while (word(cluster, 0, 800) == 0) guard.sleep_until(guard.now() + 50 * kMicrosecond);
    cluster.endpoint(0).fence(1);
    fenced = true;
    const std::byte* memory = cluster.endpoint(0).region(0).at(0, kBytes);
    const std::vector<std::byte> then(memory, memory + kBytes);
    guard.sleep_until(guard.now() + by_fabric(500 * kMicrosecond, 300 * kMillisecond));
    EXPECT_EQ(std::memcmp(memory, then.data(), kBytes), 0) << "seed " << shape.seed;
  });
  cluster.run();
  EXPECT_TRUE(fenced);
}

// Cores that are interrupted in the midst of a request are fenced off there.
TEST_P(ByCores, NothingOfAFencedPeerIsCarriedOutAfterwards) {
  FabricShape shape = this->shape(2, 2);
  if (!shape.chaos) return fence_a_writer(shape);
  shape.overrides = {{"fabric.chaos_preempt", "0.3"}, {"fabric.chaos_interrupt_ns", "20000"}};
  for (shape.seed = 1; shape.seed <= 30; ++shape.seed) fence_a_writer(shape);
}

TEST_P(ByCores, RequestsCountAsThoseOfNicsDo) {
  const FabricShape shape = this->shape(2);
  Cluster cluster(shape, by_cores(shape), add_zeros);
  Worker& worker = cluster.worker(0);
  worker.spawn([&] {
    RequestBatch batch(worker.connections());
    const std::span<std::byte> block = worker.allocate_scratch(3000);
    batch.read({1, 0, 0}, block.data(), 3000);
    batch.fetch_and_add({1, 0, 0}, 1, nullptr);
    batch.write({1, 0, 0}, block.data(), 8);
    batch.post();
    batch.wait();
    batch.write({1, 0, 0}, block.data(), 8);
    batch.post_passive();
    EXPECT_EQ(worker.counters().reads, 1U);
    EXPECT_EQ(worker.counters().atomics, 1U);
    EXPECT_EQ(worker.counters().writes, 2U);
    EXPECT_EQ(worker.counters().passive_writes, 1U);
    EXPECT_EQ(worker.counters().post_calls, 0U);
  });
  cluster.run();
}

INSTANTIATE_TEST_SUITE_P(Weathers, ByCores,
                         ::testing::ValuesIn(testing::on_hardware()
                                                 ? std::vector<Weather>{{"Fine", false}}
                                                 : std::vector<Weather>{{"Fine", false},
                                                                        {"Chaos", true},
                                                                        {"Loss", false, "0.05"},
                                                                        {"Reordered", true, "0.02",
                                                                         "0.2"}}),
                         [](const auto& info) { return info.param.name; });

// Nobody else of its worker would ever have a turn.
TEST(RequestsByCores, WhoAsksItsOwnNodeAgainAndAgainLeavesTurnsToOthers) {
  const FabricShape shape{.nodes = 2};
  Cluster cluster(shape, by_cores(shape), add_zeros);
  Worker& worker = cluster.worker(0);
  bool over = false;
  worker.spawn([&] {
    RequestBatch batch(worker.connections());
    for (int tries = 0; !over; ++tries) {
      ASSERT_LT(tries, 1000);
      batch.fetch_and_add({0, 0, 0}, 1, nullptr);
      batch.post();
      batch.wait();
    }
  });
  worker.spawn([&] { over = true; });
  cluster.run();
}

TEST(RequestsByCores, NeedMessagesOfACacheLine) {
  const FabricShape shape{.nodes = 2};
  EndpointOptions options = by_cores(shape);
  options.rpc.max_message_bytes = 96;
  EXPECT_THROW(Cluster(shape, options, add_zeros), ConfigurationError);
  options.rpc.max_message_bytes = 104;
  Cluster cluster(shape, options, add_zeros);
  Worker& worker = cluster.worker(0);
  worker.spawn([&] {
    const std::vector<std::byte> block(500, std::byte(7));
    const std::span<std::byte> seen = worker.allocate_scratch(500);
    RequestBatch batch(worker.connections());
    batch.write({1, 0, 3}, block.data(), 500);
    batch.read({1, 0, 3}, seen.data(), 500);
    batch.post();
    batch.wait();
    EXPECT_TRUE(std::ranges::equal(seen, block));
  });
  cluster.run();
}

TEST(RequestsByCores, TheDeathOfAServerShowsToWhoWaitsAndToWhoDoesNot) {
  for (const bool passive : {false, true}) {
    const FabricShape shape{.nodes = 2};
    EndpointOptions options = by_cores(shape);
    options.rpc.retries = 2;
    options.rc_timeout_exponent = testing::on_hardware() ? 14 : 4;
    options.rc_retries = 1;
    Cluster cluster(shape, options, add_zeros);
    cluster.kill(1);
    Worker& worker = cluster.worker(0);
    worker.spawn([&worker, passive] {
      RequestBatch batch(worker.connections());
      batch.fetch_and_add({1, 0, 0}, 1, nullptr);
      if (passive) return batch.post_passive();
      batch.post();
      batch.wait();
    });
    EXPECT_THROW(cluster.run(), PeerMissing);
  }
}

}  // namespace
}  // namespace verbena::rdma
