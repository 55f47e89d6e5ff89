// Clusters whose nodes have different numbers of workers, and nodes that do not talk to each other.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "rdma/base/errors.h"
#include "rdma/device/cluster_links.h"
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
using testing::FabricShape;
using testing::on_hardware;
using testing::value_of;

constexpr RpcMethod kAsk = 1;
constexpr RpcMethod kNotice = 2;

void add_words(Endpoint& endpoint) { endpoint.add_region("words", 4096, {}); }

std::uint64_t word(Endpoint& endpoint, std::uint64_t index) {
  return *reinterpret_cast<const std::uint64_t*>(endpoint.region(0).at(8 * index, 8));
}

EndpointOptions with(const FabricShape& shape, ClusterLinks connections) {
  EndpointOptions options = testing::options_for(shape);
  options.nics = 1;
  options.links = std::make_shared<const ClusterLinks>(std::move(connections));
  return options;
}

/// Nodes 0 and 1 with three workers each, node 2 with one; all talk to all.
ClusterLinks two_large_and_one_small() {
  return {{{.name = "large", .workers = 3}, {.name = "small", .workers = 1}},
          {0, 0, 1},
          [](std::size_t, std::size_t) { return true; }};
}

/// Nodes 0 and 1 with two workers each compute, nodes 2 and 3 with one each keep memory: the ones
/// talk to the others, and neither among themselves nor to themselves.
ClusterLinks computing_and_memory() {
  return {{{.name = "computing", .workers = 2, .own_node = false},
           {.name = "memory", .workers = 1, .own_node = false}},
          {0, 0, 1, 1},
          [](std::size_t a, std::size_t b) { return a != b; }};
}

class UnequalNodes : public ::testing::Test {
 protected:
  static FabricShape shape() { return {.nodes = 3, .workers = 3}; }

  explicit UnequalNodes(const FabricShape& used = shape())
      : cluster_(used, with(used, two_large_and_one_small()), add_words) {}

  Cluster cluster_;
};

TEST_F(UnequalNodes, HaveTheirOwnNumbersOfWorkers) {
  EXPECT_EQ(cluster_.endpoint(0).workers(), 3U);
  EXPECT_EQ(cluster_.endpoint(1).workers(), 3U);
  EXPECT_EQ(cluster_.endpoint(2).workers(), 1U);
}

TEST_F(UnequalNodes, ReachEachOtherWithOneSidedRequests) {
  const std::uint64_t rounds = by_fabric(200, 20);
  cluster_.for_each_worker([rounds](Worker& worker) {
    worker.spawn([&worker, rounds] {
      auto* found = reinterpret_cast<std::uint64_t*>(worker.allocate_scratch(8 * 3).data());
      const std::uint64_t own = 3U * worker.node() + worker.id();
      RequestBatch batch(worker.connections());
      for (std::uint64_t round = 0; round < rounds; ++round) {
        for (NodeId peer = 0; peer < 3; ++peer) batch.fetch_and_add({peer, 0, 8 * own}, 1, nullptr);
        batch.post();
        for (NodeId peer = 0; peer < 3; ++peer) batch.read({peer, 0, 8 * own}, &found[peer], 8);
        batch.post();
        batch.wait();
        for (NodeId peer = 0; peer < 3; ++peer) ASSERT_EQ(found[peer], round + 1);
      }
    });
  });
  cluster_.run();
  for (NodeId node = 0; node < 3; ++node) {
    for (const std::uint64_t worker : {0, 1, 2, 3, 4, 5, 6}) {
      EXPECT_EQ(word(cluster_.endpoint(node), worker), rounds) << node << " " << worker;
    }
  }
}

TEST_F(UnequalNodes, CallEachOtherBothWaysAndKnowWhoCalls) {
  using Name = std::pair<NodeId, WorkerId>;
  std::mutex mutex;
  std::map<Name, std::set<Name>> callers;  // by who was asked
  std::atomic<std::uint32_t> answered = 0;
  cluster_.for_each_worker([&](Worker& worker) {
    worker.rpc().serve(
        kAsk, [&](const RpcCaller& caller, std::span<const std::byte> request, RpcReply& reply) {
          EXPECT_EQ(value_of<std::uint32_t>(request), caller.node * 10U + caller.worker);
          const std::lock_guard lock(mutex);
          callers[{worker.node(), worker.id()}].insert({caller.node, caller.worker});
          const std::uint32_t answer = worker.node() * 10U + worker.id();
          std::memcpy(reply.allocate(sizeof answer).data(), &answer, sizeof answer);
        });
    worker.spawn([&] {
      RpcBatch batch(worker.rpc());
      const std::uint32_t name = worker.node() * 10U + worker.id();
      for (NodeId peer = 0; peer < 3; ++peer) batch.add(peer, kAsk, bytes_of(name));
      batch.post();
      batch.wait();
      for (NodeId peer = 0; peer < 3; ++peer) {
        const WorkerId partner =
            worker.endpoint().links().partner(worker.node(), worker.id(), peer);
        EXPECT_EQ(value_of<std::uint32_t>(batch.reply(peer)), peer * 10U + partner);
        ++answered;
      }
    });
  });
  cluster_.run();
  EXPECT_EQ(answered, 3U * 7);
  EXPECT_EQ((callers[{2, 0}]),
            (std::set<Name>{{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}, {2, 0}}));
  EXPECT_EQ((callers[{0, 0}]), (std::set<Name>{{0, 0}, {1, 0}, {2, 0}}));
  EXPECT_EQ((callers[{1, 2}]), (std::set<Name>{{0, 2}, {1, 2}}));
}

TEST_F(UnequalNodes, MayRunPhaseAfterPhase) {
  std::map<Worker*, Executions> executions;
  cluster_.for_each_worker([&](Worker& worker) { executions[&worker].serve(worker, kNotice); });
  for (std::uint64_t phase = 0; phase < 4; ++phase) {
    cluster_.for_each_worker([phase](Worker& worker) {
      if (worker.node() == phase % 3) return;
      const std::uint64_t number = (phase * 3 + worker.node()) * 3 + worker.id();
      worker.spawn([&worker, number] { worker.rpc().notify(2, kNotice, bytes_of(number)); });
    });
    cluster_.run();
  }
  // Without phases 0 and 3 of node 0 and phase 1 of node 1, whose workers are three.
  executions[&cluster_.worker(2)].expect_each_once(2 * 3 + 3 * 3 + 3);
}

/// The same on a network that loses datagrams, where it can be told to.
class UnequalNodesUnderLoss : public UnequalNodes {
 protected:
  UnequalNodesUnderLoss() : UnequalNodes(losing()) {}

 private:
  static FabricShape losing() {
    FabricShape shape = UnequalNodes::shape();
    if (!on_hardware()) shape.overrides = {{"fabric.ud_loss", "0.1"}};
    return shape;
  }
};

TEST_F(UnequalNodesUnderLoss, NotificationsAreExecutedExactlyOnce) {
  std::map<Worker*, Executions> executions;
  const std::uint64_t count = by_fabric(300, 30);
  cluster_.for_each_worker([&](Worker& worker) {
    executions[&worker].serve(worker, kNotice);
    worker.spawn([&worker, count] {
      const std::uint64_t first = (3U * worker.node() + worker.id()) * count;
      for (std::uint64_t i = 0; i < count; ++i) {
        for (NodeId peer = 0; peer < 3; ++peer) {
          worker.rpc().notify(peer, kNotice, bytes_of(first + i));
        }
      }
    });
  });
  cluster_.run();
  executions[&cluster_.worker(2)].expect_each_once(7 * count);
  for (NodeId node = 0; node < 2; ++node) {
    executions[&cluster_.worker(node, 0)].expect_each_once(3 * count);
    executions[&cluster_.worker(node, 1)].expect_each_once(2 * count);
    executions[&cluster_.worker(node, 2)].expect_each_once(2 * count);
  }
}

TEST(Equal, ClusterLinksThatAreWrittenOutGiveTheSameRun) {
  if (on_hardware()) GTEST_SKIP() << "runs have no digest";
  const FabricShape shape{.nodes = 3, .workers = 2};
  const auto digest = [&](const EndpointOptions& options) {
    Cluster cluster(shape, options, add_words);
    cluster.for_each_worker([](Worker& worker) {
      worker.rpc().serve(kNotice, [](const RpcCaller&, std::span<const std::byte>, RpcReply&) {});
      worker.spawn([&worker] {
        RequestBatch batch(worker.connections());
        for (NodeId peer = 0; peer < 3; ++peer) {
          batch.fetch_and_add({peer, 0, 0}, 1, nullptr);
          worker.rpc().notify(peer, kNotice, {});
        }
        batch.post();
        batch.wait();
      });
    });
    cluster.run();
    return cluster.fabric().trace_digest();
  };
  const ClusterLinks grouped({{.name = "even", .workers = 2}, {.name = "odd", .workers = 2}},
                             {0, 1, 0}, [](std::size_t, std::size_t) { return true; });
  EXPECT_EQ(digest(testing::options_for(shape)), digest(with(shape, grouped)));
}

/// A fabric whose nodes count the queue pairs that they create.
class CountingFabric final : public Fabric {
 public:
  explicit CountingFabric(const FabricShape& shape)
      : fabric_(testing::make_fabric(shape)), table_(fabric_->verbs(0)) {
    create_qp_ = table_.create_qp;
    table_.create_qp = [](ibv_pd* pd, ibv_qp_init_attr* attr) {
      ++created_[node_];
      return create_qp_(pd, attr);
    };
    created_.assign(shape.nodes, 0);
  }

  static const std::vector<int>& created() { return created_; }
  /// Makes `node` the one that creates queue pairs from now on.
  static void select(NodeId node) { node_ = node; }

  std::uint32_t nodes() const override { return fabric_->nodes(); }
  const std::vector<NodeId>& hosted() const override { return fabric_->hosted(); }
  const VerbsTable& verbs(NodeId node) override {
    fabric_->verbs(node);
    return table_;
  }
  Rendezvous& rendezvous() override { return fabric_->rendezvous(); }
  void run(std::vector<CoreTask> tasks) override { fabric_->run(std::move(tasks)); }
  std::map<std::string, std::uint64_t> counters(NodeId node) override {
    return fabric_->counters(node);
  }
  std::uint64_t moment(NodeId node) override { return fabric_->moment(node); }
  std::uint64_t trace_digest() const override { return fabric_->trace_digest(); }

 private:
  static inline decltype(VerbsTable::create_qp) create_qp_;
  static inline std::vector<int> created_;
  static inline NodeId node_ = 0;
  std::unique_ptr<Fabric> fabric_;
  VerbsTable table_;
};

std::vector<int> queue_pairs_of(const FabricShape& shape, const EndpointOptions& options) {
  CountingFabric fabric(shape);
  std::vector<std::unique_ptr<Endpoint>> endpoints;
  for (const NodeId node : fabric.hosted()) {
    endpoints.push_back(std::make_unique<Endpoint>(fabric, node, options));
  }
  for (const auto& endpoint : endpoints) {
    CountingFabric::select(endpoint->node());
    endpoint->publish();
  }
  for (const auto& endpoint : endpoints) endpoint->connect();
  return CountingFabric::created();
}

TEST(QueuePairs, AreMadeOnlyWhereTheyAreUsed) {
  const FabricShape shape{.nodes = 4, .workers = 2};
  // One for datagrams, and for each worker of a computing node two; a worker of a memory node
  // answers all four of these.
  EXPECT_EQ(queue_pairs_of(shape, with(shape, computing_and_memory())),
            (std::vector<int>{2 * 3, 2 * 3, 5, 5}));
  EndpointOptions several = with(shape, computing_and_memory());
  several.qps_per_peer = 3;
  EXPECT_EQ(queue_pairs_of(shape, several), (std::vector<int>{2 * 7, 2 * 7, 13, 13}));
  EXPECT_EQ(queue_pairs_of(shape, testing::options_for(shape)),
            (std::vector<int>{2 * 5, 2 * 5, 2 * 5, 2 * 5}));
}

TEST(NodesThatDoNotTalk, RefuseRequestsAndCallsToEachOther) {
  const FabricShape shape{.nodes = 4, .workers = 2};
  Cluster cluster(shape, with(shape, computing_and_memory()), add_words);
  const auto message = [](const std::function<void()>& action) -> std::string {
    try {
      action();
    } catch (const std::logic_error& error) {
      return error.what();
    }
    return "";
  };
  int asked = 0;
  cluster.worker(0).spawn([&] {
    Worker& worker = cluster.worker(0);
    const std::uint64_t value = 1;
    RequestBatch batch(worker.connections());
    for (const NodeId peer : {NodeId{0}, NodeId{1}}) {
      EXPECT_EQ(message([&] {
                  batch.write({peer, 0, 0}, &value, 8);
                }),
                "there is no connection to node " + std::to_string(peer));
      ++asked;
    }
    EXPECT_TRUE(batch.empty());
    RpcBatch calls(worker.rpc());
    EXPECT_EQ(message([&] { calls.add(1, kAsk, {}); }), "there is no connection to node 1");
    EXPECT_EQ(message([&] { calls.add(9, kAsk, {}); }), "there is no node 9");
    EXPECT_EQ(message([&] { worker.rpc().notify(1, kNotice, {}); }),
              "there is no connection to node 1");
    EXPECT_EQ(message([&] { worker.endpoint().region_size(1, 0); }),
              "there is no connection to node 1");
    batch.write({3, 0, 0}, &value, 8);
    batch.post();
    batch.wait();
  });
  cluster.run();
  EXPECT_EQ(asked, 2);
  EXPECT_EQ(word(cluster.endpoint(3), 0), 1U);
}

TEST(NodesThatDoNotTalk, MayStillCallTheirOwnNode) {
  const FabricShape shape{.nodes = 4, .workers = 2};
  Cluster cluster(shape, with(shape, computing_and_memory()));
  Executions executions;
  executions.serve(cluster.worker(0), kAsk);
  cluster.worker(0).spawn([&] {
    RpcBatch calls(cluster.worker(0).rpc());
    calls.add(0, kAsk, bytes_of(std::uint64_t{7}));
    calls.post();
    calls.wait();
    EXPECT_EQ(value_of<std::uint64_t>(calls.reply(0)), 8U);
  });
  cluster.run();
  executions.expect_each_once(1);
}

TEST(NodesThatDoNotTalk, EndARunTogetherAllTheSame) {
  const FabricShape shape{.nodes = 4, .workers = 2};
  Cluster cluster(shape, with(shape, computing_and_memory()));
  Nanoseconds worked_until = 0;
  Nanoseconds first_left = kNever;
  cluster.worker(1).spawn([&] {
    Worker& worker = cluster.worker(1);
    worker.sleep_until(worker.now() + by_fabric(kMillisecond, 100 * kMillisecond));
    worked_until = worker.now();
  });
  std::mutex mutex;
  std::vector<CoreTask> tasks;
  cluster.for_each_worker([&](Worker& worker) {
    tasks.push_back({worker.node(), worker.id(), [&](Core& core) {
                       worker.run(core);
                       const std::lock_guard lock(mutex);
                       first_left = std::min(first_left, core.now());
                     }});
  });
  cluster.fabric().run(std::move(tasks));
  EXPECT_GT(worked_until, 0_ns);
  EXPECT_GE(first_left, worked_until);
}

TEST(ClusterLinks, ThatNodesAreToldDifferentlyAreAnErrorAtBringUp) {
  const FabricShape shape{.nodes = 2, .workers = 2};
  const auto message = [&](const EndpointOptions& one, const EndpointOptions& other) {
    const std::unique_ptr<Fabric> fabric = testing::make_fabric(shape);
    try {
      Endpoint first(*fabric, 0, one);
      Endpoint second(*fabric, 1, other);
      first.publish();
      second.publish();
      first.connect();
    } catch (const ConfigurationError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const auto pair = [&](std::uint32_t workers, bool own_node) {
    return with(shape, {{{.name = "first", .workers = 2},
                         {.name = "second", .workers = workers, .own_node = own_node}},
                        {0, 1},
                        [](std::size_t, std::size_t) { return true; }});
  };
  EXPECT_EQ(message(pair(2, true), pair(1, true)),
            "workers: node 1 has 1, this node takes it to have 2; all nodes must be told the same");
  EXPECT_NE(message(pair(2, true), pair(2, false)).find("digest of the connections: node 1 has"),
            std::string::npos);
  EXPECT_EQ(message(pair(1, true), pair(1, true)), "");
  EXPECT_EQ(message(with(shape, ClusterLinks::alike(3, 1, 1)), pair(1, true)),
            "connections: of 3 nodes, but the cluster has 2");
}

}  // namespace
}  // namespace verbena::rdma
