// Remote procedure calls and notifications: effects, exactly once, and what they cost.
#include "rdma/rpc/rpc.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "rdma/base/errors.h"
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
using testing::value_of;

/// Tests of what holds of every transport.
class OverTransport : public ::testing::TestWithParam<MessagePath> {};
class Calls : public OverTransport {};
class Notifications : public OverTransport {};
class Runs : public OverTransport {};
class Messages : public OverTransport {};

constexpr RpcMethod kEcho = 1;
constexpr RpcMethod kCount = 2;

/// Answers with the request's bytes in reverse order.
void serve_echo(Worker& worker) {
  worker.rpc().serve(kEcho,
                     [](const RpcCaller&, std::span<const std::byte> request, RpcReply& reply) {
                       std::span<std::byte> out = reply.allocate(request.size());
                       std::reverse_copy(request.begin(), request.end(), out.begin());
                     });
}

TEST_P(Calls, ReachEachPeerAndTheOwnNode) {
  Cluster cluster({.nodes = 3, .transport = GetParam()});
  cluster.for_each_worker(serve_echo);
  std::uint32_t answered = 0;
  cluster.worker(1).spawn([&] {
    Worker& worker = cluster.worker(1);
    RpcBatch batch(worker.rpc());
    const std::uint32_t request = 0x01020304;
    for (NodeId peer = 0; peer < 3; ++peer) batch.add(peer, kEcho, bytes_of(request));
    batch.post();
    batch.wait();
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(value_of<std::uint32_t>(batch.reply(i)), 0x04030201U);
      ++answered;
    }
  });
  cluster.run();
  EXPECT_EQ(answered, 3U);
  EXPECT_EQ(cluster.worker(1).counters().calls, 2U) << "a call to the own node needs no network";
}

// Node 1 computes in `most` steps, or until it has served three calls of node 0. Returns how many
// it has served by then.
std::uint32_t served_while_computing(MessagePath transport, Nanoseconds turn_time,
                                     std::uint32_t most) {
  const FabricShape shape{.nodes = 2, .transport = transport};
  EndpointOptions options = testing::options_for(shape);
  options.turn_time = turn_time;
  Cluster cluster(shape, options);
  std::uint32_t served = 0;
  std::uint32_t meanwhile = 0;
  cluster.for_each_worker([&](Worker& worker) {
    worker.rpc().serve(kCount, [&](const RpcCaller&, std::span<const std::byte>, RpcReply& reply) {
      ++served;
      reply.allocate(0);
    });
  });
  cluster.worker(0).spawn([&] {
    RpcBatch batch(cluster.worker(0).rpc());
    for (int i = 0; i < 3; ++i) {
      batch.clear();
      batch.add(1, kCount, {});
      batch.post();
      batch.wait();
    }
  });
  cluster.worker(1).spawn([&] {
    Worker& worker = cluster.worker(1);
    for (std::uint32_t step = 0; step < most && served < 3; ++step) {
      worker.core().spend(Work::kTransactionInput);
      worker.give_way();
    }
    meanwhile = served;
  });
  cluster.run();
  EXPECT_EQ(served, 3U);
  return meanwhile;
}

TEST_P(Calls, AreServedWhileAFiberComputesAndGivesWay) {
  EXPECT_EQ(served_while_computing(GetParam(), 2 * kMicrosecond, UINT32_MAX), 3U);
}

// Eight fibers of node 1 compute, longer than a turn each and without giving way. Returns how many
// were through when a call of node 0 was served.
int computed_before_call(MessagePath transport, Nanoseconds turn_time) {
  const FabricShape shape{.nodes = 2, .transport = transport};
  EndpointOptions options = testing::options_for(shape);
  options.turn_time = turn_time;
  Cluster cluster(shape, options);
  int computed = 0;
  int computed_by_then = -1;
  cluster.for_each_worker([&](Worker& worker) {
    worker.rpc().serve(kCount, [&](const RpcCaller&, std::span<const std::byte>, RpcReply& reply) {
      computed_by_then = computed;
      reply.allocate(0);
    });
  });
  cluster.worker(0).spawn([&] {
    RpcBatch batch(cluster.worker(0).rpc());
    batch.add(1, kCount, {});
    batch.post();
    batch.wait();
  });
  for (int fiber = 0; fiber < 8; ++fiber) {
    cluster.worker(1).spawn([&] {
      Worker& worker = cluster.worker(1);
      const Nanoseconds end = worker.now() + 100 * kMicrosecond;
      while (worker.now() < end) worker.core().spend(Work::kTransactionInput);
      ++computed;
    });
  }
  cluster.run();
  return computed_by_then;
}

TEST_P(Calls, AreServedBetweenFibersThatCompute) {
  if (testing::on_hardware()) GTEST_SKIP() << "when a call arrives is the machine's there";
  EXPECT_LT(computed_before_call(GetParam(), 2 * kMicrosecond), 2);
  EXPECT_EQ(computed_before_call(GetParam(), kSecond), 8) << "all in one turn";
}

TEST_P(Calls, WaitWhileAFiberComputesWithinItsTurn) {
  if (testing::on_hardware()) GTEST_SKIP() << "when a call arrives is the machine's there";
  EXPECT_EQ(served_while_computing(GetParam(), kSecond, 100), 0U);
}

// A fiber of node 0 calls node 1 and computes for 100 us in the same turn of its event loop; two
// fibers of node 1 compute for 20 us in each turn of its. Returns when the call was served and when
// it was answered, from when it was posted.
struct CallTimes {
  Nanoseconds served = 0;
  Nanoseconds answered = 0;
};
CallTimes times_of_call(MessagePath transport, MessageFlush flush) {
  const FabricShape shape{.nodes = 2, .transport = transport};
  EndpointOptions options = testing::options_for(shape);
  options.turn_time = kSecond;
  options.rpc.flush = flush;
  Cluster cluster(shape, options);
  CallTimes times;
  Nanoseconds posted = 0;
  bool done = false;
  const auto compute = [](Worker& worker, Nanoseconds time) {
    const Nanoseconds end = worker.now() + time;
    while (worker.now() < end) worker.core().spend(Work::kTransactionInput);
  };
  cluster.for_each_worker([&](Worker& worker) {
    worker.rpc().serve(kCount, [&](const RpcCaller&, std::span<const std::byte>, RpcReply& reply) {
      times.served = worker.now() - posted;
      reply.allocate(0);
    });
  });
  cluster.worker(0).spawn([&] {
    Worker& worker = cluster.worker(0);
    RpcBatch batch(worker.rpc());
    batch.add(1, kCount, {});
    posted = worker.now();
    batch.post();
    compute(worker, 100 * kMicrosecond);
    batch.wait();
    times.answered = worker.now() - posted;
    done = true;
  });
  for (int fiber = 0; fiber < 2; ++fiber) {
    cluster.worker(1).spawn([&] {
      while (!done) {
        compute(cluster.worker(1), 20 * kMicrosecond);
        cluster.worker(1).yield();
      }
    });
  }
  cluster.run();
  return times;
}

TEST_P(Calls, LeaveAtTheTurnsEndOrAtOnce) {
  if (testing::on_hardware()) GTEST_SKIP() << "when a call arrives is the machine's there";
  const CallTimes at_end = times_of_call(GetParam(), MessageFlush::kTurnEnd);
  EXPECT_GT(at_end.served, 100 * kMicrosecond) << "after the caller's turn";
  EXPECT_GT(at_end.answered - at_end.served, 40 * kMicrosecond) << "after that of node 1's fibers";
  const CallTimes at_once = times_of_call(GetParam(), MessageFlush::kAtOnce);
  EXPECT_LT(at_once.served, 50 * kMicrosecond) << "in the first turn after it has arrived";
  EXPECT_LT(at_once.answered, 110 * kMicrosecond) << "when the caller has computed";
}

TEST_P(Calls, CarryPayloadsFromNothingToTheMaximum) {
  Cluster cluster({.nodes = 2, .transport = GetParam()});
  cluster.for_each_worker(serve_echo);
  cluster.worker(0).spawn([&] {
    Worker& worker = cluster.worker(0);
    RpcBatch batch(worker.rpc());
    const std::size_t most = worker.rpc().max_payload();
    EXPECT_GE(most, 1000U);
    for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{39}, std::size_t{40},
                                   std::size_t{41}, std::size_t{700}, most}) {
      std::vector<std::byte> request(size);
      for (std::size_t i = 0; i < size; ++i) request[i] = static_cast<std::byte>(i);
      for (const NodeId peer : {NodeId{0}, NodeId{1}}) {
        batch.clear();
        batch.add(peer, kEcho, request);
        batch.post();
        batch.wait();
        std::vector<std::byte> expected(request.rbegin(), request.rend());
        const auto reply = batch.reply(0);
        EXPECT_TRUE(std::equal(reply.begin(), reply.end(), expected.begin(), expected.end()))
            << size << " bytes to node " << peer;
      }
    }
    std::vector<std::byte> too_long(most + 1);
    EXPECT_THROW(batch.add(1, kEcho, too_long), std::logic_error);
  });
  cluster.run();
}

/// The text that `act` is refused with.
template <typename Act>
std::string refusal_by_peer(Act&& act) {
  try {
    act();
  } catch (const PeerError& error) {
    return error.what();
  }
  return "";
}

TEST_P(Calls, ThatNoPeerMakesAreRefusedByTheNameOfTheCallerAndTheMethod) {
  Cluster cluster({.nodes = 2, .transport = GetParam()});
  Worker& worker = cluster.worker(1);
  worker.rpc().serve(kEcho, [](const RpcCaller&, std::span<const std::byte>, RpcReply& reply) {
    reply.allocate(8);
    throw Malformed("has table 9; allowed are 0 to 2");
  });
  const auto call = [&](RpcMethod method) {
    RpcBatch batch(worker.rpc());
    batch.add(NodeId{1}, method, bytes_of(std::uint32_t{0}));
    return refusal_by_peer([&] { batch.post(); });
  };
  std::string malformed;
  std::string unknown;
  worker.spawn([&] {
    malformed = call(kEcho);
    unknown = call(kCount);
  });
  cluster.run();
  EXPECT_TRUE(malformed.starts_with("request of node 1")) << malformed;
  EXPECT_TRUE(malformed.ends_with("(worker 0) by method 1: has table 9; allowed are 0 to 2"))
      << malformed;
  EXPECT_TRUE(unknown.ends_with("by method 2: is served by nobody")) << unknown;
}

TEST_P(Calls, OfTheOwnNodeGiveTheirMemoryBackHoweverTheyEnd) {
  Cluster cluster({.nodes = 2, .transport = GetParam()});
  Worker& worker = cluster.worker(1);
  worker.rpc().serve(kEcho, [](const RpcCaller&, std::span<const std::byte>, RpcReply& reply) {
    reply.allocate(8);
    throw ConfigurationError("no room");
  });
  // The emulated device is slow.
  const int calls = testing::on_hardware() ? 10'000 : 100'000;
  int refused = 0;
  worker.spawn([&] {
    RpcBatch batch(worker.rpc());
    for (int i = 0; i < calls; ++i) {
      batch.clear();
      batch.add(NodeId{1}, kEcho, {});
      try {
        batch.post();
      } catch (const ConfigurationError&) {
        ++refused;
      }
    }
  });
  cluster.run();
  EXPECT_EQ(refused, calls);
}

TEST_P(Calls, WhoseReplyNoPeerGivesAreRefusedByItsName) {
  Cluster cluster({.nodes = 2, .transport = GetParam()});
  cluster.for_each_worker(serve_echo);
  std::string refused;
  cluster.worker(1).spawn([&] {
    RpcBatch batch(cluster.worker(1).rpc());
    batch.add(NodeId{0}, kEcho, bytes_of(std::uint32_t{0}));
    batch.post();
    batch.wait();
    EXPECT_EQ(batch.take(0, [](std::span<const std::byte> reply) { return reply.size(); }), 4U);
    refused = refusal_by_peer([&] {
      batch.take(0, [](std::span<const std::byte>) { throw Malformed("ends too early"); });
    });
  });
  cluster.run();
  EXPECT_TRUE(refused.starts_with("reply of node 0")) << refused;
  EXPECT_TRUE(refused.ends_with("to worker 0 of node 1, by method 1: ends too early")) << refused;
}

TEST_P(Calls, MoreThanSlotsToOnePeerWaitForEachOther) {
  const FabricShape shape{.nodes = 2, .transport = GetParam()};
  EndpointOptions options = testing::options_for(shape);
  options.rpc.slots_per_peer = 4;
  Cluster cluster(shape, options);
  Executions executions;
  executions.serve(cluster.worker(1), kCount);
  const std::uint64_t calls = by_fabric(300, 50);
  for (std::uint64_t fiber = 0; fiber < 3; ++fiber) {
    cluster.worker(0).spawn([&, fiber] {
      RpcBatch batch(cluster.worker(0).rpc());
      for (std::uint64_t i = 0; i < calls; ++i) batch.add(1, kCount, bytes_of(fiber * calls + i));
      batch.post();
      batch.wait();
      for (std::uint64_t i = 0; i < calls; ++i) {
        EXPECT_EQ(value_of<std::uint64_t>(batch.reply(i)), fiber * calls + i + 1);
      }
    });
  }
  cluster.run();
  executions.expect_each_once(3 * calls);
}

TEST_P(Calls, SeveralPostsMayPrecedeOneWait) {
  Cluster cluster({.nodes = 2, .transport = GetParam()});
  cluster.for_each_worker(serve_echo);
  cluster.worker(0).spawn([&] {
    RpcBatch batch(cluster.worker(0).rpc());
    batch.add(1, kEcho, bytes_of(std::uint16_t{0x0102}));
    batch.post(Doorbell::kEach);
    std::span<std::byte> in_place = batch.reserve(1, kEcho, 2);
    in_place[0] = std::byte{5};
    in_place[1] = std::byte{6};
    batch.post();
    batch.wait();
    EXPECT_EQ(value_of<std::uint16_t>(batch.reply(0)), 0x0201);
    EXPECT_EQ(value_of<std::uint16_t>(batch.reply(1)), 0x0506);
  });
  cluster.run();
}

TEST_P(Calls, OfOneTurnLeaveUnderOneDoorbellForEachQueuePair) {
  Cluster cluster({.nodes = 4, .transport = GetParam()});
  cluster.for_each_worker(serve_echo);
  Worker& worker = cluster.worker(0);
  std::uint64_t batched = 0;
  std::uint64_t each = 0;
  worker.spawn([&] {
    RpcBatch batch(worker.rpc());
    const auto posts = [&](Doorbell doorbell) {
      const std::uint64_t before = worker.counters().datagram_post_calls;
      batch.clear();
      for (NodeId peer = 1; peer < 4; ++peer) batch.add(peer, kEcho, bytes_of(peer));
      batch.post(doorbell);
      batch.wait();
      return worker.counters().datagram_post_calls - before;
    };
    batched = posts(Doorbell::kBatched);
    each = posts(Doorbell::kEach);
  });
  cluster.run();
  EXPECT_EQ(batched, GetParam() == MessagePath::kDatagrams ? 1U : 3U);
  EXPECT_EQ(each, 3U);
}

TEST_P(Notifications, AreExecutedExactlyOnceByTheEndOfTheRun) {
  const FabricShape shape{.nodes = 3, .transport = GetParam()};
  Cluster cluster(shape);
  std::map<NodeId, Executions> executions;
  const std::uint64_t count = by_fabric(2000, 200);
  cluster.for_each_worker([&](Worker& worker) {
    executions[worker.node()].serve(worker, kCount);
    worker.spawn([&worker, count] {
      for (std::uint64_t i = 0; i < count; ++i) {
        for (NodeId peer = 0; peer < 3; ++peer) {
          worker.rpc().notify(peer, kCount, bytes_of(worker.node() * count + i));
        }
      }
    });
  });
  cluster.run();
  for (const auto& [node, at_node] : executions) at_node.expect_each_once(3 * count);
}

TEST_P(Notifications, RideOnTheMessagesOfOrdinaryTraffic) {
  // With traffic in both directions hardly any message should be needed for acknowledging alone.
  const FabricShape shape{.nodes = 2, .transport = GetParam()};
  Cluster cluster(shape);
  std::map<NodeId, Executions> executions;
  cluster.for_each_worker([&](Worker& worker) {
    executions[worker.node()].serve(worker, kCount);
    serve_echo(worker);
    worker.spawn([&worker] {
      RpcBatch batch(worker.rpc());
      const auto peer = static_cast<NodeId>(1 - worker.node());
      for (std::uint64_t i = 0; i < 200; ++i) {
        worker.rpc().notify(peer, kCount, bytes_of(worker.node() * 1000 + i));
        batch.clear();
        batch.add(peer, kEcho, bytes_of(i));
        batch.post();
        batch.wait();
      }
    });
  });
  cluster.run();
  for (NodeId node = 0; node < 2; ++node) {
    executions[node].expect_each_once(200);
    EXPECT_LE(cluster.worker(node).counters().explicit_acks, 2U);
  }
}

TEST_P(Runs, MayFollowEachOther) {
  Cluster cluster({.nodes = 3, .workers = 2, .transport = GetParam()});
  std::map<Worker*, Executions> executions;
  cluster.for_each_worker([&](Worker& worker) { executions[&worker].serve(worker, kCount); });
  for (std::uint64_t phase = 0; phase < 4; ++phase) {
    cluster.for_each_worker([&](Worker& worker) {
      if (worker.node() == phase % 3) return;  // not everyone has work in each phase
      worker.spawn([&worker, phase] {
        for (NodeId peer = 0; peer < 3; ++peer) {
          worker.rpc().notify(peer, kCount, bytes_of(phase * 3 + worker.node()));
        }
      });
    });
    cluster.run();
    cluster.for_each_worker(
        [&](Worker& worker) { executions[&worker].expect_each_once((phase + 1) * 2); });
  }
}

TEST_P(Messages, LongMessagesFindRoomWhereShortOnesFilledTheMemory) {
  const testing::FabricShape shape{.nodes = 2, .transport = GetParam()};
  EndpointOptions options = testing::options_for(shape);
  options.rpc.message_pool_bytes = 4096;
  Cluster cluster(shape, options);
  Executions executions;
  executions.serve(cluster.worker(1), kCount);
  cluster.worker(1).rpc().serve(
      kCount + 1, [](const RpcCaller&, std::span<const std::byte> request, RpcReply& reply) {
        std::memcpy(reply.allocate(request.size()).data(), request.data(), request.size());
      });
  cluster.worker(0).spawn([&] {
    Worker& worker = cluster.worker(0);
    for (std::uint64_t i = 0; i < 64; ++i) worker.rpc().notify(1, kCount, bytes_of(i));
    RpcBatch batch(worker.rpc());
    std::vector<std::byte> message(worker.rpc().max_payload() / 2 + 100, std::byte{7});
    batch.add(1, kCount + 1, message);
    batch.post();
    batch.wait();
    EXPECT_TRUE(std::ranges::equal(batch.reply(0), message));
  });
  cluster.run();
  executions.expect_each_once(64);
}

std::string name_of(const ::testing::TestParamInfo<MessagePath>& info) {
  return info.param == MessagePath::kDatagrams ? "Datagrams" : "WriteRing";
}
const auto kTransports = ::testing::Values(MessagePath::kDatagrams, MessagePath::kWriteRing);
INSTANTIATE_TEST_SUITE_P(Over, Calls, kTransports, name_of);
INSTANTIATE_TEST_SUITE_P(Over, Notifications, kTransports, name_of);
INSTANTIATE_TEST_SUITE_P(Over, Runs, kTransports, name_of);
INSTANTIATE_TEST_SUITE_P(Over, Messages, kTransports, name_of);

}  // namespace
}  // namespace verbena::rdma
