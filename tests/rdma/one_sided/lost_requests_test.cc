// Requests that the device does not take or that fail with their queue pair: what the worker counts
// afterwards is what is really in flight.
#include <gtest/gtest.h>

#include <cerrno>
#include <cstdint>
#include <optional>
#include <vector>

#include "rdma/base/errors.h"
#include "rdma/device/worker_verbs.h"
#include "rdma/one_sided/connections.h"
#include "rdma/one_sided/request_batch.h"
#include "tests/support/test_fabric.h"

namespace verbena::rdma {
namespace {

using testing::Cluster;
using testing::FabricShape;

void add_store(Endpoint& endpoint) { endpoint.add_region("store", 1 << 16, {}); }

std::uint64_t word(Endpoint& endpoint, std::uint64_t offset) {
  return *reinterpret_cast<std::uint64_t*>(endpoint.region(0).at(offset, 8));
}

/// Has the device of a worker refuse requests of RC queue pairs, while it lives.
class StingyDevice {
 public:
  StingyDevice(Worker& worker, std::uint32_t requests)
      : ops_(worker.verbs().context()->ops), saved_(ops_.post_send) {
    real_ = saved_;
    left_ = requests;
    ops_.post_send = post;
  }
  ~StingyDevice() { ops_.post_send = saved_; }
  StingyDevice(const StingyDevice&) = delete;
  StingyDevice& operator=(const StingyDevice&) = delete;

 private:
  using Post = int (*)(ibv_qp*, ibv_send_wr*, ibv_send_wr**);

  static int post(ibv_qp* qp, ibv_send_wr* first, ibv_send_wr** bad) {
    if (qp->qp_type != IBV_QPT_RC) return real_(qp, first, bad);
    ibv_send_wr* last = nullptr;
    ibv_send_wr* rest = first;
    for (; rest != nullptr && left_ > 0; --left_) {
      last = rest;
      rest = rest->next;
    }
    if (rest == nullptr) return real_(qp, first, bad);
    if (last != nullptr) {
      last->next = nullptr;
      EXPECT_EQ(real_(qp, first, bad), 0);
      last->next = rest;
    }
    *bad = rest;
    left_ = UINT32_MAX;  // refuses once
    return ENOMEM;
  }

  inline static Post real_ = nullptr;
  inline static std::uint32_t left_ = 0;
  ibv_context_ops& ops_;
  Post saved_;
};

class RefusedRequest : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(RefusedRequest, LeavesTheCountsOfThoseBeforeIt) {
  Cluster cluster({.nodes = 2}, testing::options_for({.nodes = 2}), add_store);
  Worker& worker = cluster.worker(0);
  worker.spawn([&] {
    std::uint64_t found = 0;
    {
      RequestBatch batch(worker.connections());
      std::vector<std::byte> large(256);
      for (std::uint64_t i = 0; i < 5; ++i) {
        batch.fetch_and_add({1, 0, 0}, 1, &found);
        batch.write({1, 0, 1024 * (1 + i)}, large.data(), 256);
      }
      const StingyDevice stingy(worker, GetParam());
      EXPECT_THROW(batch.post(Doorbell::kBatched), VerbsError);
      batch.wait();
      EXPECT_TRUE(batch.empty());
    }
    EXPECT_EQ(word(cluster.endpoint(1), 0), (GetParam() + 1) / 2) << "what wait() has waited for";
    // The queue pair works on, through several turns of its send queue.
    RequestBatch batch(worker.connections());
    for (int round = 0; round < 500; ++round) {
      batch.fetch_and_add({1, 0, 8}, 1, &found);
      batch.post();
      batch.wait();
    }
    EXPECT_EQ(found, 499U);
  });
  cluster.run();
  EXPECT_EQ(word(cluster.endpoint(1), 0), (GetParam() + 1) / 2);
}

TEST_P(RefusedRequest, OfSeveralDoorbellsToo) {
  Cluster cluster({.nodes = 2}, testing::options_for({.nodes = 2}), add_store);
  Worker& worker = cluster.worker(0);
  worker.spawn([&] {
    RequestBatch batch(worker.connections());
    for (int i = 0; i < 10; ++i) batch.fetch_and_add({1, 0, 0}, 1, nullptr);
    const StingyDevice stingy(worker, GetParam());
    EXPECT_THROW(batch.post(Doorbell::kEach), VerbsError);
    batch.wait();
    EXPECT_EQ(word(cluster.endpoint(1), 0), GetParam());
  });
  cluster.run();
}

INSTANTIATE_TEST_SUITE_P(AtPlace, RefusedRequest, ::testing::Values(0U, 1U, 4U, 9U));

// As the core of a node that died is, when a simulation is over: nothing is posted for it any more.
TEST(RefusedRequest, OfAWorkerThatIsUnwoundIsNotMadeUpFor) {
  struct Unwound {};
  EndpointOptions options = testing::options_for({.nodes = 2});
  options.send_queue_depth = 8;
  options.signal_interval = 1;
  Cluster cluster({.nodes = 2}, options, add_store);
  Worker& worker = cluster.worker(0);
  ibv_context_ops& ops = worker.verbs().context()->ops;
  static auto* const real = ops.post_send;
  static int calls;
  calls = 0;  // also where tests are repeated
  ops.post_send = [](ibv_qp* qp, ibv_send_wr* first, ibv_send_wr** bad) {
    if (qp->qp_type == IBV_QPT_RC && ++calls == 2) throw Unwound();
    return real(qp, first, bad);
  };
  worker.spawn([&] {
    RequestBatch batch(worker.connections());
    for (int i = 0; i < 20; ++i) batch.fetch_and_add({1, 0, 0}, 1, nullptr);
    batch.post();
  });
  EXPECT_THROW(cluster.run(), Unwound);
  EXPECT_EQ(calls, 2);
}

TEST(FailedQueuePair, DoesNotSpoilABatchThatHasTheNumberOfAFailedOne) {
  EndpointOptions options = testing::options_for({.nodes = 3});
  options.rc_timeout_exponent = 10;
  Cluster cluster({.nodes = 3}, options, add_store);
  cluster.kill(2);
  Worker& worker = cluster.worker(0);
  worker.spawn([&] {
    {
      RequestBatch batch(worker.connections());
      for (std::uint32_t i = 0; i < 2 * options.send_queue_depth; ++i) {
        batch.fetch_and_add({2, 0, 0}, 1, nullptr);
      }
      EXPECT_THROW(batch.post(), PeerMissing);
    }  // completions of its other requests have not been polled yet
    RequestBatch batch(worker.connections());
    for (int round = 0; round < 100; ++round) {
      batch.fetch_and_add({1, 0, 0}, 1, nullptr);
      batch.post();
      EXPECT_NO_THROW(batch.wait());
    }
    worker.endpoint().mark_dead(2);
    cluster.endpoint(1).mark_dead(2);
  });
  cluster.run();
}

TEST(FailedQueuePair, ThoseOfAllPeersAtOnceFitIntoTheCompletionQueue) {
  const FabricShape shape{.nodes = 24};
  EndpointOptions options = testing::options_for(shape);
  options.rc_timeout_exponent = 10;
  Cluster cluster(shape, options, add_store);
  for (NodeId node = 1; node < 24; ++node) cluster.kill(node);
  Worker& worker = cluster.worker(0);
  worker.spawn([&] {
    std::vector<std::optional<RequestBatch>> batches(24);
    for (NodeId node = 1; node < 24; ++node) {
      RequestBatch& batch = batches[node].emplace(worker.connections());
      for (int i = 0; i < 120; ++i) batch.fetch_and_add({node, 0, 0}, 1, nullptr);
      batch.post();
    }
    for (NodeId node = 1; node < 24; ++node) {
      EXPECT_THROW(batches[node]->wait(), PeerMissing);
      worker.endpoint().mark_dead(node);
    }
  });
  cluster.run();
  EXPECT_EQ(cluster.fabric().counters(0)["cq_overruns"], 0U);
}

}  // namespace
}  // namespace verbena::rdma
