// Nodes that serve others: with memory of their own, with fibers in the background, and with more
// workers than those who ask.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <set>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "rdma/device/cluster_links.h"
#include "rdma/drain.h"
#include "rdma/one_sided/request_batch.h"
#include "rdma/rpc/rpc_batch.h"
#include "tests/support/rpc_payloads.h"
#include "tests/support/test_fabric.h"

namespace verbena::rdma {
namespace {

using testing::by_fabric;
using testing::Cluster;
using testing::FabricShape;

constexpr NodeId kServer = 3;
constexpr std::uint32_t kServerWorkers = 4;

FabricShape shape() { return {.nodes = 4, .workers = kServerWorkers}; }

/// Nodes 0 to 2 have one worker each and ask node 3, which has four.
EndpointOptions clients_and_a_server() {
  EndpointOptions options = testing::options_for(shape());
  options.nics = 1;
  options.links = std::make_shared<const ClusterLinks>(
      std::vector<NodeGroup>{{.name = "client", .workers = 1},
                             {.name = "server", .workers = kServerWorkers}},
      std::vector<std::uint16_t>{0, 0, 0, 1}, [](std::size_t a, std::size_t b) { return a != b; });
  return options;
}

void add_server_regions(Endpoint& endpoint) {
  if (endpoint.node() != kServer) return;
  endpoint.add_region("words", 4096, {});
  endpoint.add_region("more words", 8192, {});
}

std::uint64_t word(Endpoint& endpoint, RegionId region) {
  return *reinterpret_cast<const std::uint64_t*>(endpoint.region(region).at(0, 8));
}

TEST(Clients, TogetherAskAllWorkersOfALargerServer) {
  const EndpointOptions options = clients_and_a_server();
  std::set<WorkerId> asked;
  for (NodeId client = 0; client < kServer; ++client) {
    asked.insert(options.links->partner(client, 0, kServer));
  }
  EXPECT_EQ(asked.size(), 3U);
}

TEST(Clients, NeedNoRegionsOfTheirOwnToUseThoseOfAServer) {
  Cluster cluster(shape(), clients_and_a_server(), add_server_regions);
  EXPECT_EQ(cluster.endpoint(0).region_size(kServer, 1), 8192U);
  EXPECT_EQ(cluster.endpoint(kServer).region_size(0, 0), 8U * shape().nodes)
      << "only the control's";
  for (NodeId client = 0; client < kServer; ++client) {
    Worker& worker = cluster.worker(client);
    worker.spawn([&worker] {
      RequestBatch batch(worker.connections());
      batch.fetch_and_add({kServer, 0, 0}, 1, nullptr);
      batch.fetch_and_add({kServer, 1, 0}, 10, nullptr);
      batch.post();
      batch.wait();
    });
  }
  cluster.worker(kServer).spawn([&cluster] {
    RequestBatch batch(cluster.worker(kServer).connections());
    const std::uint64_t value = 1;
    EXPECT_THROW(batch.write({0, 1, 0}, &value, 8), std::logic_error);
  });
  cluster.run();
  EXPECT_EQ(word(cluster.endpoint(kServer), 0), 3U);
  EXPECT_EQ(word(cluster.endpoint(kServer), 1), 30U);
}

/// Calls between nodes whose links are turned against each other.
class CallsByRoles : public ::testing::TestWithParam<MessagePath> {};

INSTANTIATE_TEST_SUITE_P(Transports, CallsByRoles,
                         ::testing::Values(MessagePath::kDatagrams, MessagePath::kWriteRing));

TEST_P(CallsByRoles, ReachThePartnerInBothDirections) {
  constexpr RpcMethod kWho = 1;
  const auto name_of = [](NodeId node, WorkerId worker) { return node * 10U + worker; };
  EndpointOptions options = clients_and_a_server();
  options.rpc.transport = GetParam();
  Cluster cluster(shape(), options);
  std::atomic<std::uint32_t> answered = 0;
  cluster.for_each_worker([&](Worker& worker) {
    worker.rpc().serve(kWho, [&](const RpcCaller&, std::span<const std::byte>, RpcReply& reply) {
      const std::uint32_t name = name_of(worker.node(), worker.id());
      std::memcpy(reply.allocate(sizeof name).data(), &name, sizeof name);
    });
    worker.spawn([&] {
      const ClusterLinks& links = worker.endpoint().links();
      const std::vector<NodeId> peers = links.peers(worker.node());
      for (int round = 0; round < 5; ++round) {
        RpcBatch batch(worker.rpc());
        for (const NodeId peer : peers) batch.add(peer, kWho, {});
        batch.post();
        batch.wait();
        for (std::size_t i = 0; i < peers.size(); ++i) {
          const WorkerId partner = links.partner(worker.node(), worker.id(), peers[i]);
          EXPECT_EQ(testing::value_of<std::uint32_t>(batch.reply(i)), name_of(peers[i], partner));
          ++answered;
        }
      }
    });
  });
  cluster.run();
  // Each calls its own node, too.
  EXPECT_EQ(answered, 5U * (3 * 2 + kServerWorkers * 4));
}

class Background : public ::testing::Test {
 protected:
  static EndpointOptions options() {
    EndpointOptions options = clients_and_a_server();
    options.background = true;
    return options;
  }

  // Client n works for n + 1 of these.
  const Nanoseconds step_ = by_fabric(200 * kMicrosecond, 20 * kMillisecond);
};

TEST_F(Background, GoesOnUntilTheFibersOfAllNodesHaveReturnedInEachPhase) {
  Cluster cluster(shape(), options(), add_server_regions);
  for (std::uint64_t phase = 1; phase <= 2; ++phase) {
    for (NodeId client = 0; client < kServer; ++client) {
      Worker& worker = cluster.worker(client);
      worker.spawn([this, &worker] {
        worker.sleep_until(worker.now() + (worker.node() + 1) * step_);
        RequestBatch batch(worker.connections());
        batch.fetch_and_add({kServer, 0, 0}, 1, nullptr);
        batch.post();
        batch.wait();
      });
    }
    std::vector<std::uint64_t> seen(kServerWorkers);
    for (WorkerId id = 0; id < kServerWorkers; ++id) {
      Worker& worker = cluster.worker(kServer, id);
      worker.spawn_background([this, &cluster, &worker, &seen = seen[id]] {
        EXPECT_FALSE(worker.over());
        while (!worker.over()) worker.sleep_until(worker.now() + step_ / 10);
        seen = word(cluster.endpoint(kServer), 0);
      });
    }
    cluster.run();
    EXPECT_EQ(seen, std::vector<std::uint64_t>(kServerWorkers, 3 * phase));
  }
}

TEST_F(Background, MayStillSendWhatIsLeftWhenTheOthersHaveReturned) {
  Cluster cluster(shape(), options(),
                  [](Endpoint& endpoint) { endpoint.add_region("words", 4096, {}); });
  Worker& worker = cluster.worker(kServer, 2);
  worker.spawn_background([&] {
    while (!worker.over()) worker.sleep_until(worker.now() + step_ / 10);
    RequestBatch batch(worker.connections());
    for (NodeId client = 0; client < kServer; ++client) {
      batch.fetch_and_add({client, 0, 0}, 7, nullptr);
    }
    batch.post();
    batch.wait();
  });
  cluster.run();
  for (NodeId client = 0; client < kServer; ++client) {
    EXPECT_EQ(word(cluster.endpoint(client), 0), 7U);
  }
}

// As long as a node has to finish something because of a death that it knows of.
TEST_F(Background, GoesOnWhileANodeHoldsThePhase) {
  Cluster cluster(shape(), options(), add_server_regions);
  Worker& holder = cluster.worker(0);
  Nanoseconds released = kNever;
  holder.spawn([&] { cluster.endpoint(0).drain().hold(); });
  holder.spawn_background([&] {
    holder.sleep_until(holder.now() + 20 * step_);
    EXPECT_FALSE(holder.over());
    released = holder.now();
    cluster.endpoint(0).drain().release();
    while (!holder.over()) holder.sleep_until(holder.now() + step_ / 10);
  });
  Worker& other = cluster.worker(kServer);
  other.spawn_background([&] {
    while (!other.over()) other.sleep_until(other.now() + step_ / 10);
    EXPECT_GT(other.now(), released);
  });
  cluster.run();
}

TEST_F(Background, IsRefusedWhereTheEndpointHasNone) {
  Cluster cluster(shape(), clients_and_a_server());
  EXPECT_THROW(cluster.worker(0).spawn_background([] {}), std::logic_error);
}

}  // namespace
}  // namespace verbena::rdma
