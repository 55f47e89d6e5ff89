// Requests of chains, and of buffers that are given back.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <vector>

#include "rdma/chain/chain_message.h"
#include "rdma/prism/chain_server.h"
#include "rdma/prism/prism_methods.h"
#include "tests/fuzz/messages.h"
#include "tests/support/test_fabric.h"

namespace verbena::rdma {
namespace {

using Where = Place::Where;

constexpr std::uint64_t kBytes = 4096;
constexpr std::uint64_t kFirstBuffer = 2048;
constexpr std::uint32_t kBuffers = 8;
constexpr std::array<std::byte, 40> kData{};

std::vector<std::byte> request_of(const std::vector<Operation>& operations) {
  std::size_t bytes = kChainHeaderBytes;
  for (const Operation& operation : operations) bytes += request_bytes(operation);
  std::vector<std::byte> request(bytes);
  ChainRequestWriter writer(request, 0, operations.size());
  for (const Operation& operation : operations) writer.put(operation);
  return request;
}

std::vector<testing::AskedMethod> methods() {
  Operation read;
  read.target = {Where::kMemory, 64};
  read.target_indirect = read.bounded = true;
  read.length = 200;
  Operation copy;
  copy.opcode = ChainOpcode::kWrite;
  copy.target = {Where::kMemory, 256};
  copy.data = {Where::kMemory, 512};
  copy.length = 100;
  Operation write = copy;
  write.data = {};
  write.payload = kData;
  write.length = kData.size();
  Operation allocate;
  allocate.opcode = ChainOpcode::kAllocate;
  allocate.payload = kData;
  allocate.length = kData.size();
  allocate.redirect = {Where::kScratch, 0};
  Operation swap;
  swap.opcode = ChainOpcode::kCompareAndSwap;
  swap.conditional = true;
  swap.target = {Where::kMemory, 128};
  swap.length = 32;
  swap.data = {Where::kScratch, 0};
  swap.compare = {Where::kMemory, 96};
  Operation add;
  add.opcode = ChainOpcode::kFetchAndAdd;
  add.target = {Where::kMemory, 128};
  add.length = 8;
  add.redirect = {Where::kMemory, 8};
  // Nobody has a buffer yet, so none is given back.
  std::vector<std::byte> given = testing::message_of(GivenBack{0});
  return {{"chain",
           kCarryOutChain,
           {request_of({read}), request_of({copy, write}), request_of({allocate, swap}),
            request_of({add, read, swap})}},
          {"give back", kGiveBuffersBack, {given}}};
}

TEST(PrismMessagesFuzz, RequestsThatNoPeerSendsAreRefused) {
  const testing::FabricShape shape{.nodes = 1};
  testing::Cluster cluster(shape, testing::options_for(shape), [](Endpoint& endpoint) {
    endpoint.add_region("objects", kBytes, [](std::uint64_t offset, std::span<std::byte> page) {
      const std::array<std::uint64_t, 2> slot{1024, 100};
      if (offset == 0) std::memcpy(page.data() + 64, slot.data(), sizeof slot);
    });
  });
  ChainServer server(1);
  server.add_memory(cluster.endpoint(0).region(0));
  const FreeListId list = server.add_free_list(0, kFirstBuffer, 64, kBuffers);
  for (std::uint64_t i = 1; i < kBuffers; ++i) {
    server.free_list(list).post_new(kFirstBuffer + 64 * i);
  }
  Worker& worker = cluster.worker(0);
  server.serve(worker.rpc());
  worker.spawn([&] { EXPECT_TRUE(testing::handlers_survive(worker, methods())); });
  cluster.run();
  FreeList& free = server.free_list(list);
  EXPECT_EQ(free.posted() - free.popped(), free.listed() + free.in_limbo());
}

}  // namespace
}  // namespace verbena::rdma
