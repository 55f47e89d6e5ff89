// Peers that do not answer, and runs that fail.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>

#include "rdma/base/errors.h"
#include "rdma/one_sided/request_batch.h"
#include "rdma/rpc/rpc_batch.h"
#include "tests/support/rpc_payloads.h"
#include "tests/support/test_fabric.h"

namespace verbena::rdma {
namespace {

using testing::by_fabric;
using testing::bytes_of;
using testing::Cluster;
using testing::Executions;
using testing::on_hardware;

constexpr RpcMethod kCount = 1;

void add_store(Endpoint& endpoint) { endpoint.add_region("store", 4096, {}); }

/// Three nodes, with time-outs short enough to wait for their end.
EndpointOptions impatient() {
  EndpointOptions options = testing::options_for({.nodes = 3});
  options.rpc.retries = 3;
  options.rpc.timeout = by_fabric(kMillisecond, 200 * kMillisecond);
  options.rpc.ack_delay = options.rpc.timeout / 4;
  options.rc_timeout_exponent = by_fabric<std::uint8_t>(10, 14);
  options.drain_timeout = by_fabric(50 * kMillisecond, 6 * kSecond);
  return options;
}

template <typename Error>
std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing of that kind was thrown";
  return "";
}

TEST(MissingPeer, ACallToItEndsWithItsNameAfterTheLastRetransmission) {
  Cluster cluster({.nodes = 3}, impatient());
  cluster.kill(2);
  Executions executions;
  executions.serve(cluster.worker(1), kCount);
  Worker& worker = cluster.worker(0);
  Nanoseconds waited = 0;
  worker.spawn([&] {
    RpcBatch batch(worker.rpc());
    batch.add(2, kCount, bytes_of(std::uint64_t{1}));
    batch.add(1, kCount, bytes_of(std::uint64_t{2}));
    batch.post();
    const Nanoseconds begin = worker.now();
    const std::string message = message_of<PeerMissing>([&] { batch.wait(); });
    waited = worker.now() - begin;
    EXPECT_NE(message.find("node 2"), std::string::npos) << message;
    EXPECT_EQ(testing::value_of<std::uint64_t>(batch.reply(1)), 3U) << "the other call succeeds";
    worker.endpoint().mark_dead(2);
    cluster.endpoint(1).mark_dead(2);
  });
  cluster.run();
  const Nanoseconds timeout = impatient().rpc.timeout;
  EXPECT_GE(waited, 14 * timeout);
  EXPECT_LE(waited, 17 * timeout + by_fabric<Nanoseconds>(0, kSecond));
  executions.expect_each_once(1);
}

TEST(MissingPeer, AnUnacknowledgedNotificationEndsTheRun) {
  Cluster cluster({.nodes = 3}, impatient());
  cluster.kill(2);
  cluster.worker(0).spawn(
      [&] { cluster.worker(0).rpc().notify(2, kCount, bytes_of(std::uint64_t{1})); });
  const std::string message = message_of<PeerMissing>([&] { cluster.run(); });
  EXPECT_NE(message.find("node 2"), std::string::npos) << message;
}

TEST(MissingPeer, APeerThatNeverFinishesIsNamedAfterTheDrainTimeout) {
  Cluster cluster({.nodes = 3}, impatient());
  const auto run_first_two = [&] {
    cluster.fabric().run({{0, 0, [&](Core& core) { cluster.worker(0).run(core); }},
                          {1, 0, [&](Core& core) { cluster.worker(1).run(core); }}});
  };
  const std::string message = message_of<PeerMissing>(run_first_two);
  EXPECT_NE(message.find("node 2"), std::string::npos) << message;
  EXPECT_EQ(message.find("not: node 0"), std::string::npos) << message;
}

TEST(MissingPeer, OneSidedRequestsToItFailWithItsName) {
  Cluster cluster({.nodes = 3}, impatient(), add_store);
  cluster.kill(2);
  Worker& worker = cluster.worker(0);
  worker.spawn([&] {
    RequestBatch batch(worker.connections());
    std::uint64_t found = 0;
    batch.fetch_and_add({2, 0, 0}, 1, &found);
    batch.fetch_and_add({1, 0, 0}, 1, &found);
    batch.post();
    const std::string message = message_of<PeerMissing>([&] { batch.wait(); });
    EXPECT_NE(message.find("node 2"), std::string::npos) << message;
    EXPECT_NE(message.find("retry"), std::string::npos) << message;
    // The queue pair has failed for good, those to other nodes work on.
    batch.fetch_and_add({2, 0, 0}, 1, nullptr);
    EXPECT_THROW(batch.post(), PeerMissing);
    batch.fetch_and_add({1, 0, 0}, 1, &found);
    batch.post();
    batch.wait();
    EXPECT_EQ(found, 1U);
    worker.endpoint().mark_dead(2);
    cluster.endpoint(1).mark_dead(2);
  });
  cluster.run();
}

TEST(MissingPeer, AFailedPassiveWriteEndsTheRun) {
  Cluster cluster({.nodes = 3}, impatient(), add_store);
  cluster.kill(2);
  cluster.worker(0).spawn([&] {
    RequestBatch batch(cluster.worker(0).connections());
    const std::uint64_t value = 1;
    batch.write({2, 0, 0}, &value, 8);
    batch.post_passive();
  });
  const std::string message = message_of<PeerMissing>([&] { cluster.run(); });
  EXPECT_NE(message.find("node 2"), std::string::npos) << message;
}

TEST(MissingPeer, OneThatHasGoneWhenTheRunEndsIsNamedAtOnce) {
  EndpointOptions options = impatient();
  options.drain_timeout = 300 * kSecond;
  Cluster cluster({.nodes = 3}, options);
  cluster.kill(2);
  const std::string message = message_of<PeerMissing>([&] { cluster.run(); });
  EXPECT_NE(message.find("node 2"), std::string::npos) << message;
  EXPECT_NE(message.find("retry"), std::string::npos) << message;
}

/// Node 2 dies when node 0 has long finished; node 1 knows, and calls `then` some time later.
void lose_while_waiting(Cluster& cluster, const std::function<void()>& then) {
  Worker& worker = cluster.worker(1);
  worker.spawn([&cluster, &worker, then] {
    worker.sleep_until(worker.now() + 100 * kMillisecond);
    worker.endpoint().mark_dead(2);
    cluster.kill(2);
    worker.sleep_until(worker.now() + 3 * kSecond);
    then();
  });
  cluster.fabric().run({{0, 0, [&](Core& core) { cluster.worker(0).run(core); }},
                        {1, 0, [&](Core& core) { cluster.worker(1).run(core); }}});
}

TEST(MissingPeer, OneThatGoesWhileANodeWaitsForTheEndIsFoundOut) {
  EndpointOptions options = impatient();
  options.drain_timeout = 300 * kSecond;
  Cluster cluster({.nodes = 3}, options);
  const std::string message = message_of<PeerMissing>([&] { lose_while_waiting(cluster, [] {}); });
  EXPECT_NE(message.find("node 2"), std::string::npos) << message;
  EXPECT_NE(message.find("retry"), std::string::npos) << message;
}

// Nodes are told of it one after the other; until all are, the death may still be found out.
TEST(MissingPeer, FibersInTheBackgroundGoOnUntilAllNodesKnowOfADeath) {
  EndpointOptions options = impatient();
  options.drain_timeout = 300 * kSecond;
  options.background = true;
  Cluster cluster({.nodes = 3}, options);
  cluster.kill(2);
  Worker& first = cluster.worker(0);
  Worker& late = cluster.worker(1);
  Nanoseconds told = kNever;
  first.spawn([&] { first.endpoint().mark_dead(2); });
  first.spawn_background([&] {
    while (!first.over()) first.sleep_until(first.now() + kMillisecond);
    EXPECT_GT(first.now(), told);
  });
  late.spawn_background([&] {
    late.sleep_until(late.now() + 100 * kMillisecond);
    EXPECT_FALSE(late.over());
    told = late.now();
    late.endpoint().mark_dead(2);
  });
  cluster.fabric().run(
      {{0, 0, [&](Core& core) { first.run(core); }}, {1, 0, [&](Core& core) { late.run(core); }}});
  EXPECT_NE(told, kNever);
}

TEST(MissingPeer, WithFibersInTheBackgroundThereIsTimeToDeclareItDead) {
  EndpointOptions options = impatient();
  options.drain_timeout = 300 * kSecond;
  options.background = true;
  Cluster cluster({.nodes = 3}, options);
  EXPECT_NO_THROW(lose_while_waiting(cluster, [&] { cluster.endpoint(0).mark_dead(2); }));
}

// On hardware node 1, which knows, does not see that node 0 fails in the same process.
TEST(MissingPeer, WithFibersInTheBackgroundWhatNobodyDeclaresDeadIsFoundOutLater) {
  EndpointOptions options = impatient();
  options.drain_timeout = by_fabric(300 * kSecond, 10 * kSecond);
  options.background = true;
  Cluster cluster({.nodes = 3}, options);
  const std::string message = message_of<PeerMissing>([&] { lose_while_waiting(cluster, [] {}); });
  EXPECT_NE(message.find("node 2"), std::string::npos) << message;
}

TEST(MissingPeer, OnceDeclaredDeadNothingWaitsForIt) {
  Cluster cluster({.nodes = 3}, impatient());
  cluster.kill(2);
  Worker& worker = cluster.worker(0);
  bool failed = false;
  worker.spawn([&] {
    for (std::uint64_t i = 0; i < 3; ++i) worker.rpc().notify(2, kCount, bytes_of(i));
    RpcBatch batch(worker.rpc());
    batch.add(2, kCount, bytes_of(std::uint64_t{1}));
    batch.post();
    worker.spawn([&] {
      worker.endpoint().mark_dead(2);
      cluster.endpoint(1).mark_dead(2);
    });
    const Nanoseconds begin = worker.now();
    EXPECT_THROW(batch.wait(), PeerMissing);
    EXPECT_LT(worker.now() - begin, impatient().rpc.timeout) << "without waiting for time-outs";
    failed = true;
    worker.rpc().notify(2, kCount, bytes_of(std::uint64_t{9}));  // discarded
    RpcBatch other(worker.rpc());
    other.add(2, kCount, bytes_of(std::uint64_t{1}));
    EXPECT_THROW(other.post(), PeerMissing);
  });
  cluster.run();
  EXPECT_TRUE(failed);
}

TEST(FailedRun, RethrowsWhatLeftAFiberAndUnwindsTheOthers) {
  Cluster cluster({.nodes = 2}, testing::options_for({.nodes = 2}), add_store);
  int unwound = 0;
  struct Guard {
    int& count;
    ~Guard() { ++count; }
  };
  cluster.for_each_worker([&](Worker& worker) {
    if (worker.node() == 0) {
      worker.spawn([&] {
        const Guard guard{unwound};
        worker.suspend();  // for ever
      });
      worker.spawn([&] {
        worker.yield();
        throw std::runtime_error("an invariant is broken");
      });
    }
  });
  const std::string message = message_of<std::runtime_error>([&] { cluster.run(); });
  EXPECT_EQ(message, "an invariant is broken");
  cluster.kill(0);
  EXPECT_EQ(unwound, 1);
}

TEST(FailedRun, LeavesRequestsInFlightBehindWithoutHarm) {
  Cluster cluster({.nodes = 2}, testing::options_for({.nodes = 2}), add_store);
  Executions executions;
  executions.serve(cluster.worker(1), kCount);
  Worker& worker = cluster.worker(0);
  worker.spawn([&] {
    RequestBatch batch(worker.connections());
    std::uint64_t found = 0;
    for (int i = 0; i < 20; ++i) batch.fetch_and_add({1, 0, 0}, 1, &found);
    RpcBatch calls(worker.rpc());
    calls.add(1, kCount, bytes_of(std::uint64_t{1}));
    calls.post();
    batch.post();
    throw std::runtime_error("while requests are in flight");
  });
  EXPECT_THROW(cluster.run(), std::runtime_error);
}

TEST(UnreliableQueuePairs, CarryNeitherBatchesNorTheEventLoop) {
  EndpointOptions options = testing::options_for({.nodes = 2});
  options.transport = Transport::kUnreliable;
  Cluster cluster({.nodes = 2}, options, add_store);
  EXPECT_NE(message_of<std::logic_error>([&] {
              RequestBatch batch(cluster.worker(0).connections());
            }).find("on unreliable queue pairs"),
            std::string::npos);
  EXPECT_NE(message_of<std::logic_error>([&] { cluster.run(); }).find("unreliable queue pairs"),
            std::string::npos);
}

TEST(Handlers, WithoutOneACallEndsTheRun) {
  if (on_hardware()) GTEST_SKIP() << "the exception that comes first is not determined";
  Cluster cluster({.nodes = 2});
  cluster.worker(0).spawn([&] {
    RpcBatch batch(cluster.worker(0).rpc());
    batch.add(1, 77, {});
    batch.post();
    batch.wait();
  });
  const std::string message = message_of<PeerError>([&] { cluster.run(); });
  EXPECT_NE(message.find("77"), std::string::npos) << message;
}

}  // namespace
}  // namespace verbena::rdma
