// The example of docs/prism.md.
#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "rdma/prism/buffer_reports.h"
#include "rdma/prism/chain_server.h"
#include "rdma/prism/prism_batch.h"
#include "tests/support/test_fabric.h"

namespace verbena::rdma {
namespace {

constexpr std::uint64_t kSlot = 64;
constexpr std::uint64_t kFirstBuffer = 1024;
using Object = std::array<std::byte, 128>;

// Replaces the object of a slot whose pointer was `seen`. Whether nobody was faster.
bool replace(Worker& worker, BufferReports& reports, NodeId server, FreeListId list,
             std::uint64_t slot, std::uint64_t seen, const Object& object) {
  PrismBatch batch(worker.rpc());
  const ChainId chain = batch.chain(server, 0);
  const OpId allocated = batch.allocate(chain, list, object);
  batch.redirect(allocated, {Place::Where::kScratch, 0});
  CasArguments swap{.bytes = 8, .offset = slot, .swap = {Place::Where::kScratch, 0}};
  swap.compare_words = {seen};
  swap.compare_mask = swap.swap_mask = {~std::uint64_t{0}};
  const OpId swapped = batch.compare_and_swap(chain, swap);
  batch.conditional(swapped);
  batch.post();
  batch.wait();
  const bool done = batch.outcome(swapped) == ChainOutcome::kDone;
  if (batch.outcome(allocated) == ChainOutcome::kDone) {
    reports.give_back(server, list, done ? seen : batch.allocated(allocated));
  }
  return done;
}

TEST(PrismExample, ReplacesAnObjectUnlessSomebodyWasFaster) {
  const testing::FabricShape shape{.nodes = 2};
  testing::Cluster cluster(shape, testing::options_for(shape), [](Endpoint& endpoint) {
    endpoint.add_region("objects", 4096, [](std::uint64_t offset, std::span<std::byte> page) {
      if (offset == 0) std::memcpy(page.data() + kSlot, &kFirstBuffer, 8);
    });
  });
  ChainServer server(1);
  server.add_memory(cluster.endpoint(0).region(0));
  const FreeListId list = server.add_free_list(0, kFirstBuffer, sizeof(Object), 4);
  for (std::uint64_t i = 1; i < 4; ++i) {
    server.free_list(list).post_new(kFirstBuffer + i * sizeof(Object));
  }
  server.serve(cluster.worker(0).rpc());
  Worker& worker = cluster.worker(1);
  worker.spawn([&] {
    BufferReports reports(worker.rpc());
    Object object;
    object.fill(std::byte{1});
    EXPECT_TRUE(replace(worker, reports, 0, list, kSlot, kFirstBuffer, object));
    object.fill(std::byte{2});
    EXPECT_FALSE(replace(worker, reports, 0, list, kSlot, kFirstBuffer, object));

    PrismBatch batch(worker.rpc());
    const OpId read = batch.read(batch.chain(0, 0), {.offset = kSlot, .indirect = true}, 128);
    batch.post();
    batch.wait();
    for (const std::byte byte : batch.data(read)) EXPECT_EQ(byte, std::byte{1});
    reports.flush();
  });
  cluster.run();
  EXPECT_EQ(server.free_list(list).listed(), 3U);
}

}  // namespace
}  // namespace verbena::rdma
