// Sharing of connections: several queue pairs to a peer, and contexts of one worker or of many.
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>

#include "rdma/base/errors.h"
#include "rdma/one_sided/request_batch.h"
#include "tests/support/test_fabric.h"

namespace verbena::rdma {
namespace {

using testing::by_fabric;
using testing::Cluster;
using testing::FabricShape;
using testing::on_hardware;

void add_counters_region(Endpoint& endpoint) { endpoint.add_region("counters", 4096, {}); }

std::uint64_t word(Endpoint& endpoint, std::uint64_t offset) {
  return *reinterpret_cast<const std::uint64_t*>(endpoint.region(0).at(offset, 8));
}

/// Every worker adds 1 to its own word at every other node, `rounds` times, one post for each.
void add_everywhere(Cluster& cluster, int rounds) {
  const auto nodes = static_cast<NodeId>(cluster.nodes());
  cluster.for_each_worker([nodes, rounds](Worker& worker) {
    worker.spawn([nodes, &worker, rounds] {
      RequestBatch batch(worker.connections());
      for (int round = 0; round < rounds; ++round) {
        for (NodeId peer = 0; peer < nodes; ++peer) {
          if (peer == worker.node()) continue;
          batch.fetch_and_add({peer, 0, 8U * worker.id()}, 1, nullptr);
          batch.post();
        }
        batch.wait();
      }
    });
  });
  cluster.run();
}

/// State of node 0's NICs and of the whole run after `add_everywhere`.
struct Outcome {
  std::uint64_t queue_pairs_met;  ///< queue pair states that the NICs had to fetch
  std::uint64_t digest;
};

Outcome outcome_of(std::uint32_t queue_pairs, std::uint64_t seed, bool in_turn = false) {
  const FabricShape shape{.nodes = 3};
  EndpointOptions options = testing::options_for(shape);
  options.qps_per_peer = queue_pairs;
  options.seed = seed;
  options.qps_in_turn = in_turn;
  Cluster cluster(shape, options, add_counters_region);
  add_everywhere(cluster, 100);
  return {cluster.fabric().counters(0)["qp_cache_misses"], cluster.fabric().trace_digest()};
}

TEST(SeveralQueuePairs, AreAllUsedAsTheSeedHasIt) {
  if (on_hardware()) GTEST_SKIP() << "what NICs fetch is not known";
  const Outcome one = outcome_of(1, 1);
  const Outcome four = outcome_of(4, 1);
  // Three more to each of two peers, as requester and as responder's peer.
  EXPECT_GE(four.queue_pairs_met, one.queue_pairs_met + 6);
  EXPECT_EQ(four.digest, outcome_of(4, 1).digest);
  EXPECT_NE(four.digest, outcome_of(4, 2).digest);
}

TEST(SeveralQueuePairs, AreTakenInTurnWhateverTheSeed) {
  if (on_hardware()) GTEST_SKIP() << "what NICs fetch is not known";
  const Outcome four = outcome_of(4, 1, true);
  EXPECT_GE(four.queue_pairs_met, outcome_of(1, 1).queue_pairs_met + 6);
  EXPECT_EQ(four.digest, outcome_of(4, 2, true).digest);
}

TEST(SeveralQueuePairs, OneIsNotAChoice) {
  if (on_hardware()) GTEST_SKIP() << "runs have no digest";
  EXPECT_EQ(outcome_of(1, 1).digest, outcome_of(1, 2).digest);
}

/// Every worker writes words of its own to every other node, each posted by itself, so that it
/// takes a queue pair of its own choice; then looks for them there.
void expect_writes_arrive(const FabricShape& shape, const EndpointOptions& options) {
  constexpr std::uint64_t kWords = 64;
  Cluster cluster(shape, options, [&](Endpoint& endpoint) {
    endpoint.add_region("words", shape.nodes * shape.workers * kWords * 8, {});
  });
  const auto place = [&](const Worker& from, std::uint64_t i) {
    return 8 * ((from.node() * shape.workers + from.id()) * kWords + i);
  };
  const auto value = [&](const Worker& from, NodeId to, std::uint64_t i) {
    return place(from, i) * shape.nodes + to + 1;
  };
  cluster.for_each_worker([&](Worker& worker) {
    worker.spawn([&] {
      RequestBatch batch(worker.connections());
      for (std::uint64_t i = 0; i < kWords; ++i) {
        for (NodeId to = 0; to < shape.nodes; ++to) {
          if (to == worker.node()) continue;
          const std::uint64_t written = value(worker, to, i);
          batch.write({to, 0, place(worker, i)}, &written, 8);
          batch.post();
        }
      }
      batch.wait();
    });
  });
  cluster.run();
  cluster.for_each_worker([&](Worker& worker) {
    for (NodeId to = 0; to < shape.nodes; ++to) {
      for (std::uint64_t i = 0; i < kWords; ++i) {
        const std::uint64_t expected = to == worker.node() ? 0 : value(worker, to, i);
        EXPECT_EQ(word(cluster.endpoint(to), place(worker, i)), expected)
            << "word " << i << " of worker " << worker.id() << " of node " << worker.node()
            << " at node " << to;
      }
    }
  });
}

TEST(SeveralQueuePairs, CarryWhatIsWrittenToItsPlace) {
  const FabricShape shape{.nodes = 3};
  EndpointOptions options = testing::options_for(shape);
  options.qps_per_peer = 4;
  expect_writes_arrive(shape, options);
}

TEST(SeveralQueuePairs, OfASharedContextCarryWhatIsWrittenToItsPlace) {
  const FabricShape shape{.nodes = 2, .workers = 3};
  EndpointOptions options = testing::options_for(shape);
  options.qps_per_peer = 4;
  options.context_sharing = ContextSharing::kShared;
  expect_writes_arrive(shape, options);
}

TEST(SeveralQueuePairs, MoreThanAWorkerCanNumberAreRefused) {
  if (on_hardware()) GTEST_SKIP() << "takes a thousand nodes";
  const FabricShape shape{.nodes = 1024};
  const auto fabric = testing::make_fabric(shape);
  EndpointOptions options = testing::options_for(shape);
  options.qps_per_peer = 64;
  try {
    const Endpoint endpoint(*fabric, 0, options);
    FAIL() << "accepted";
  } catch (const ConfigurationError& error) {
    EXPECT_NE(std::string(error.what()).find("qps_per_peer: 64"), std::string::npos);
  }
}

class Contexts : public ::testing::TestWithParam<ContextSharing> {};

TEST_P(Contexts, ServeAllWorkersOfTheNode) {
  // More workers than a context has doorbell registers, so that some wait for each other as they
  // post.
  const std::uint32_t workers = by_fabric(32U, 4U);
  const FabricShape shape{.nodes = 2, .workers = workers, .nics = 1};
  EndpointOptions options = testing::options_for(shape);
  options.context_sharing = GetParam();
  std::optional<Cluster> cluster;
  try {
    cluster.emplace(shape, options, add_counters_region);
  } catch (const ConfigurationError& error) {
    ASSERT_TRUE(on_hardware()) << error.what();
    ASSERT_EQ(GetParam(), ContextSharing::kOwnDoorbells);
    ASSERT_NE(std::string(error.what()).find("has no thread domains"), std::string::npos);
    GTEST_SKIP() << error.what();
  }
  const int rounds = by_fabric(50, 10);
  add_everywhere(*cluster, rounds);
  for (NodeId node = 0; node < 2; ++node) {
    for (std::uint64_t worker = 0; worker < workers; ++worker) {
      EXPECT_EQ(word(cluster->endpoint(node), 8 * worker), static_cast<std::uint64_t>(rounds));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, Contexts,
                         ::testing::Values(ContextSharing::kDedicated, ContextSharing::kShared,
                                           ContextSharing::kOwnDoorbells),
                         [](const auto& info) {
                           switch (info.param) {
                             case ContextSharing::kDedicated:
                               return "Dedicated";
                             case ContextSharing::kShared:
                               return "Shared";
                             default:
                               return "OwnDoorbells";
                           }
                         });

}  // namespace
}  // namespace verbena::rdma
