// Buffers that are given back while others still follow pointers to them.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstring>
#include <string>
#include <vector>

#include "rdma/base/errors.h"
#include "rdma/base/random.h"
#include "rdma/prism/buffer_reports.h"
#include "rdma/prism/chain_server.h"
#include "rdma/prism/prism_batch.h"
#include "tests/support/test_fabric.h"

namespace verbena::rdma {
namespace {

using testing::by_fabric;
using testing::Cluster;
using testing::FabricShape;
using Where = Place::Where;

constexpr NodeId kServer = 0;
constexpr std::uint32_t kKeys = 2;
constexpr std::uint32_t kClients = 2;
constexpr std::uint32_t kWorkers = 3;
constexpr std::uint32_t kObjectBytes = 512;
constexpr std::uint32_t kWords = kObjectBytes / 8;
constexpr std::uint64_t kFirstBuffer = 1024;
constexpr std::uint32_t kBuffers = kKeys + kClients * kWorkers;  // one to spare for each client
using Object = std::array<std::uint64_t, kWords>;

// All words of an object say whose it is, and which version.
Object object_of(std::uint64_t key, std::uint64_t version) {
  Object object;
  object.fill(key << 32 | version);
  return object;
}

std::uint64_t slot_of(std::uint64_t key) { return 64 + 16 * key; }

/// A store of few keys, whose objects are replaced out of place.
struct Store {
  explicit Store(const FabricShape& shape, PrismMode by = PrismMode::kAuto)
      : server(kWorkers), cluster(shape, options_for(shape, by), [](Endpoint& endpoint) {
          endpoint.add_region("objects", kFirstBuffer + kBuffers * kObjectBytes, load);
        }) {
    server.add_memory(cluster.endpoint(kServer).region(0));
    list = server.add_free_list(0, kFirstBuffer, kObjectBytes, kBuffers);
    for (std::uint64_t i = kKeys; i < kBuffers; ++i) {
      server.free_list(list).post_new(kFirstBuffer + i * kObjectBytes);
    }
    cluster.endpoint(kServer).serve_chains(server);
  }

  static EndpointOptions options_for(const FabricShape& shape, PrismMode by) {
    EndpointOptions options = testing::options_for(shape);
    options.prism = by;
    return options;
  }

  static void load(std::uint64_t offset, std::span<std::byte> page) {
    std::memset(page.data(), 0, page.size());
    if (offset >= kFirstBuffer) {
      const std::uint64_t key = (offset - kFirstBuffer) / kObjectBytes;
      const Object object = object_of(key, 0);
      std::memcpy(page.data(), object.data(), page.size());
    } else if (offset == 0) {
      for (std::uint64_t key = 0; key < kKeys; ++key) {
        const std::uint64_t pointer = kFirstBuffer + key * kObjectBytes;
        std::memcpy(page.data() + slot_of(key), &pointer, 8);
      }
    }
  }

  void client(Worker& worker, std::uint64_t seed, int rounds) {
    Random random(seed, worker.node(), worker.id(), 0);
    BufferReports reports(worker.rpc());
    PrismBatch batch(worker.rpc());
    for (int i = 0; i < rounds; ++i) {
      const std::uint64_t key = random.below(kKeys);
      if (random.below(2) == 0) {
        read(batch, key);
      } else {
        replace(batch, reports, key, random.below(1000));
        if (random.below(2) == 0) reports.flush();
      }
    }
    reports.flush();
  }

  void read(PrismBatch& batch, std::uint64_t key) {
    const OpId seen = batch.read(batch.chain(kServer, 0),
                                 {.offset = slot_of(key), .indirect = true}, kObjectBytes);
    batch.post();
    batch.wait();
    Object object;
    std::memcpy(object.data(), batch.data(seen).data(), kObjectBytes);
    for (const std::uint64_t word : object) {
      if (word >> 32 != key) ++foreign;
      if (word != object[0]) ++mixed;
    }
    batch.clear();
  }

  void replace(PrismBatch& batch, BufferReports& reports, std::uint64_t key,
               std::uint64_t version) {
    const Object object = object_of(key, version);
    const ChainId chain = batch.chain(kServer, 0);
    const OpId allocate = batch.allocate(chain, list, std::as_bytes(std::span(object)));
    batch.redirect(allocate, {Where::kScratch, 0});
    CasArguments swap{
        .mode = CompareMode::kAlways, .offset = slot_of(key), .swap = {Where::kScratch, 0}};
    swap.swap_mask.fill(~std::uint64_t{0});
    const OpId swapped = batch.compare_and_swap(chain, swap);
    batch.conditional(swapped);
    batch.post();
    batch.wait();
    if (batch.outcome(swapped) == ChainOutcome::kDone) {
      ++replaced;
      reports.give_back(kServer, list, batch.allocated(swapped));
    }
    batch.clear();
  }

  ChainServer server;
  Cluster cluster;
  FreeListId list = 0;
  std::atomic<std::uint64_t> foreign = 0;
  std::atomic<std::uint64_t> mixed = 0;
  std::atomic<std::uint64_t> replaced = 0;
};

/// By cores, and by a NIC.
class ReclamationBy : public ::testing::TestWithParam<PrismMode> {};

TEST_P(ReclamationBy, NoReaderSeesAnotherKeysBytes) {
  const bool nic = GetParam() == PrismMode::kNic;
  if (nic && testing::on_hardware()) GTEST_SKIP() << "no device carries out chains";
  std::uint64_t replaced = 0;
  for (std::uint64_t seed = 1; seed <= by_fabric<std::uint64_t>(100, 3); ++seed) {
    FabricShape shape{
        .nodes = 1 + kClients,
        .workers = kWorkers,
        .seed = seed,
        .chaos = !testing::on_hardware(),
        // Long enough for a buffer to come back and to be taken again.
        .overrides = {{"fabric.chaos_preempt", "0.2"}, {"fabric.chaos_interrupt_ns", "30000"}}};
    if (nic) {
      shape.overrides["fabric.chaos_jitter_ns"] = "30000";
      shape.overrides["fabric.chaos_meet"] = "0.1";
    }
    Store store(shape, GetParam());
    for (NodeId node = 1; node <= kClients; ++node) {
      for (WorkerId id = 0; id < kWorkers; ++id) {
        Worker& worker = store.cluster.worker(node, id);
        worker.spawn([&store, &worker, seed] { store.client(worker, seed, 60); });
      }
    }
    store.cluster.run();
    replaced += store.replaced;
    EXPECT_EQ(store.foreign, 0U) << "seed " << seed;
    EXPECT_EQ(store.mixed, 0U) << "seed " << seed;

    // The books: each buffer is free or a key's.
    FreeList& list = store.server.free_list(store.list);
    EXPECT_EQ(list.listed(), kBuffers - kKeys) << "seed " << seed;
    EXPECT_EQ(list.in_limbo(), 0U) << "seed " << seed;
    EXPECT_EQ(list.popped(), store.replaced) << "seed " << seed;
    for (std::uint64_t key = 0; key < kKeys; ++key) {
      std::uint64_t pointer = 0;
      std::memcpy(&pointer, store.cluster.endpoint(kServer).region(0).at(slot_of(key), 8), 8);
      EXPECT_FALSE(list.is_free(pointer)) << "seed " << seed << " key " << key;
    }
  }
  EXPECT_GT(replaced, by_fabric(5000U, 100U));
}

INSTANTIATE_TEST_SUITE_P(Carriers, ReclamationBy,
                         ::testing::Values(PrismMode::kAuto, PrismMode::kNic),
                         [](const auto& info) {
                           return info.param == PrismMode::kNic ? "Nic" : "Cores";
                         });

/// The error that ends a run in which `body` reports buffers.
template <typename Body>
std::string error_of(Body&& body) {
  const FabricShape shape{.nodes = 3, .workers = kWorkers};
  Store store(shape);
  for (const NodeId node : {NodeId{1}, NodeId{2}}) {
    Worker& worker = store.cluster.worker(node);
    worker.spawn([&, node] {
      BufferReports reports(worker.rpc());
      body(store, worker, node, reports);
      reports.flush();
    });
  }
  try {
    store.cluster.run();
  } catch (const PeerError& wrong) {
    return wrong.what();
  }
  return "the run went on";
}

std::uint64_t allocate(Store& store, Worker& worker) {
  PrismBatch batch(worker.rpc());
  const Object object = object_of(0, 0);
  const OpId allocate =
      batch.allocate(batch.chain(kServer, 0), store.list, std::as_bytes(std::span(object)));
  batch.post();
  batch.wait();
  return batch.allocated(allocate);
}

TEST(Reclamation, ABufferThatIsGivenBackTwiceEndsTheRun) {
  std::uint64_t buffer = 0;
  const std::string error =
      error_of([&](Store& store, Worker& worker, NodeId node, BufferReports& reports) {
        if (node != 1) return;
        buffer = allocate(store, worker);
        reports.give_back(kServer, store.list, buffer);
        reports.give_back(kServer, store.list, buffer);
        EXPECT_EQ(reports.waiting(), 2U);
      });
  const std::string wrong = "gives back " + std::to_string(buffer) + ", where it has no buffer";
  EXPECT_NE(error.find(wrong), std::string::npos) << error;
}

TEST(Reclamation, AnotherClientsBufferEndsTheRun) {
  std::atomic<std::uint64_t> buffer = 0;
  const std::string error =
      error_of([&](Store& store, Worker& worker, NodeId node, BufferReports& reports) {
        if (node == 1) {
          buffer = allocate(store, worker);
          reports.give_back(kServer, store.list, buffer);
          return;
        }
        while (buffer == 0) worker.sleep_until(worker.now() + 1000_ns);
        reports.give_back(kServer, store.list, buffer);
      });
  EXPECT_NE(error.find(", where it has no buffer"), std::string::npos) << error;
}

TEST(Reclamation, ABufferThatAPointerLeadsToEndsTheRunWhenItIsGivenBack) {
  const std::string error =
      error_of([](Store& store, Worker&, NodeId node, BufferReports& reports) {
        if (node == 1) reports.give_back(kServer, store.list, kFirstBuffer);
      });
  EXPECT_NE(error.find("gives back 1024, where it has no buffer"), std::string::npos) << error;
}

}  // namespace
}  // namespace verbena::rdma
