// RPC over rings that are written one-sidedly: rings that fill, wrap and are torn, and peers that
// die.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "rdma/base/errors.h"
#include "rdma/rpc/rpc.h"
#include "rdma/rpc/rpc_batch.h"
#include "tests/support/rpc_payloads.h"
#include "tests/support/test_fabric.h"

namespace verbena::rdma {
namespace {

using testing::by_fabric;
using testing::bytes_of;
using testing::Cluster;
using testing::Executions;
using testing::FabricShape;

constexpr RpcMethod kEcho = 1;
constexpr RpcMethod kCount = 2;

FabricShape shape_of(std::uint32_t nodes, std::uint64_t seed = 1, bool chaos = false) {
  return {.nodes = nodes, .seed = seed, .chaos = chaos, .transport = MessagePath::kWriteRing};
}

void serve_echo(Worker& worker) {
  worker.rpc().serve(kEcho,
                     [](const RpcCaller&, std::span<const std::byte> request, RpcReply& reply) {
                       std::ranges::copy(request, reply.allocate(request.size()).begin());
                     });
}

// Calls of all lengths from each node to the others, by several fibers, and notifications between
// them. All replies must be what they should be.
void exchange(Cluster& cluster, std::uint64_t fibers, std::uint64_t rounds) {
  std::map<NodeId, Executions> notices;
  const std::uint32_t nodes = cluster.nodes();
  cluster.for_each_worker([&](Worker& worker) {
    serve_echo(worker);
    notices[worker.node()].serve(worker, kCount);
    for (std::uint64_t fiber = 0; fiber < fibers; ++fiber) {
      worker.spawn([&worker, nodes, fiber, fibers, rounds] {
        RpcBatch batch(worker.rpc());
        const std::size_t most = worker.rpc().max_payload();
        for (std::uint64_t round = 0; round < rounds; ++round) {
          const auto mark = static_cast<std::byte>(worker.node() * 80 + fiber * 25 + round % 25);
          const std::vector<std::byte> request((fiber + 1) * round * 31 % (most + 1), mark);
          const std::uint64_t number = (worker.node() * fibers + fiber) * rounds + round;
          batch.clear();
          for (std::uint32_t step = 1; step < nodes; ++step) {
            const auto peer = static_cast<NodeId>((worker.node() + step) % nodes);
            batch.add(peer, kEcho, request);
            worker.rpc().notify(peer, kCount, bytes_of(number));
          }
          batch.post(round % 2 == 0 ? Doorbell::kBatched : Doorbell::kEach);
          batch.wait();
          for (std::size_t i = 0; i < batch.size(); ++i) {
            ASSERT_TRUE(std::ranges::equal(batch.reply(i), request)) << "round " << round;
          }
        }
      });
    }
  });
  cluster.run();
  for (const auto& [node, executions] : notices) {
    executions.expect_each_once((nodes - 1) * fibers * rounds);
  }
}

TEST(WriteRing, CarriesThousandsOfCallsInBothDirections) {
  Cluster cluster(shape_of(3));
  exchange(cluster, 4, by_fabric(1500, 60));
  cluster.for_each_worker([](Worker& worker) {
    EXPECT_EQ(worker.counters().duplicates, 0U);
    EXPECT_EQ(worker.counters().foreign, 0U);
  });
}

TEST(WriteRing, ThatIsFullMakesMessagesWait) {
  // Two long messages fill a ring, but 64 calls and many notifications want to be on their way.
  EndpointOptions options = testing::options_for(shape_of(2));
  options.rpc.slots_per_peer = 16;
  options.rpc.notify_window = 1;
  options.send_queue_depth = 4;
  options.signal_interval = 2;
  Cluster cluster(shape_of(2), options);
  exchange(cluster, 16, by_fabric(200, 20));
  std::uint64_t waits = 0;
  cluster.for_each_worker([&](Worker& worker) { waits += worker.counters().ring_waits; });
  EXPECT_GT(waits, 0U);
}

TEST(WriteRing, NeedsNoMoreMemoryThanForAMessage) {
  // Both nodes call each other as fast as they can, with one buffer for the longest message: who
  // finds no memory for a reply must not keep what has arrived behind it from being taken.
  EndpointOptions options = testing::options_for(shape_of(2));
  options.rpc.message_pool_bytes = 8192;
  Cluster cluster(shape_of(2), options);
  exchange(cluster, 8, by_fabric(200, 20));
  std::uint64_t shortages = 0;
  cluster.for_each_worker([&](Worker& worker) { shortages += worker.counters().shortages; });
  if (!testing::on_hardware()) {
    EXPECT_GT(shortages, 0U);
  }
}

TEST(WriteRing, TakesNoMessageThatHasArrivedInPart) {
  if (testing::on_hardware()) GTEST_SKIP() << "nobody tears WRITEs there on purpose";
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Cluster cluster(shape_of(3, seed, true));
    exchange(cluster, 3, 60);
  }
}

TEST(WriteRing, LosesNothingWhereDatagramsAreLost) {
  if (testing::on_hardware()) GTEST_SKIP() << "the hardware loses nothing on purpose";
  const auto sent_again = [](MessagePath path, const char* loss) {
    FabricShape shape = shape_of(3);
    shape.transport = path;
    shape.overrides = {{"fabric.ud_loss", loss}};
    Cluster cluster(shape);
    exchange(cluster, 2, 50);
    std::uint64_t all = 0;
    cluster.for_each_worker([&](Worker& worker) { all += worker.counters().retransmissions; });
    return all;
  };
  EXPECT_GT(sent_again(MessagePath::kDatagrams, "0.1"), 0U) << "datagrams are lost indeed";
  // Nothing would be sent again, so what is lost would be missing.
  sent_again(MessagePath::kWriteRing, "0.5");
}

TEST(WriteRing, ToAPeerThatDiedFailsItsCallsAndNobodyElses) {
  const FabricShape shape = shape_of(3);
  EndpointOptions options = testing::options_for(shape);
  options.rc_timeout_exponent = by_fabric(8, 14);
  options.rc_retries = 2;
  Cluster cluster(shape, options);
  cluster.for_each_worker(serve_echo);
  cluster.run();
  cluster.kill(2);
  std::string failure;
  Nanoseconds took{0};
  cluster.worker(0).spawn([&] {
    Worker& worker = cluster.worker(0);
    RpcBatch batch(worker.rpc());
    const Nanoseconds begin = worker.now();
    for (const NodeId peer : {NodeId{1}, NodeId{2}}) batch.add(peer, kEcho, bytes_of(peer));
    batch.post();
    try {
      batch.wait();
    } catch (const PeerMissing& missing) {
      failure = missing.what();
    }
    took = worker.now() - begin;
    // Before it is declared dead, and afterwards.
    batch.clear();
    batch.add(2, kEcho, {});
    EXPECT_THROW(batch.post(), PeerMissing);
    for (const NodeId node : {NodeId{0}, NodeId{1}}) cluster.endpoint(node).mark_dead(2);
    worker.rpc().notify(2, kEcho, {});
    RpcBatch other(worker.rpc());
    other.add(1, kEcho, bytes_of(std::uint16_t{7}));
    other.post();
    other.wait();
    EXPECT_TRUE(std::ranges::equal(other.reply(0), bytes_of(std::uint16_t{7})));
  });
  cluster.run();
  EXPECT_NE(failure.find("node 2 did not answer"), std::string::npos) << failure;
  if (!testing::on_hardware()) {
    EXPECT_LT(took, options.rpc.timeout) << "the NIC tells before patience ends";
  }
}

TEST(WriteRing, OfAPeerThatIsDeclaredDeadKeepsNobody) {
  const FabricShape shape = shape_of(3);
  Cluster cluster(shape);
  cluster.for_each_worker(serve_echo);
  cluster.run();
  cluster.kill(2);
  bool failed = false;
  cluster.worker(0).spawn([&] {
    Worker& worker = cluster.worker(0);
    RpcBatch batch(worker.rpc());
    batch.add(2, kEcho, {});
    batch.post();
    worker.rpc().notify(2, kEcho, {});
    for (const NodeId node : {NodeId{0}, NodeId{1}}) cluster.endpoint(node).mark_dead(2);
    try {
      batch.wait();
    } catch (const PeerMissing&) {
      failed = true;
    }
  });
  cluster.run();
  EXPECT_TRUE(failed);
}

}  // namespace
}  // namespace verbena::rdma
