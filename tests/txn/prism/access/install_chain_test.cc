// The chain that installs an object, taken apart.
#include "txn/prism/access/install_chain.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "txn/prism/install_newer.h"

namespace verbena::txn::prism {
namespace {

using rdma::Operation;
using rdma::Place;
using Where = Place::Where;

constexpr std::uint64_t kVersion = 7;
constexpr std::uint64_t kAt = 4096;
constexpr std::uint64_t kBuffer = 65536;

/// Version, and a value.
const std::array<std::uint64_t, 3> kObject = {kVersion, 1, 2};

InstallChain chain() { return install_newer(3, kAt, std::as_bytes(std::span(kObject))); }

bool takes_all_from_the_request(const Operation& operation) {
  return operation.data.where == Where::kRequest && operation.compare.where == Where::kRequest;
}

TEST(InstallChain, TheAllocationByItselfTellsTheClientTheAddress) {
  const Operation allocate = allocation_of(chain());
  EXPECT_EQ(allocate.opcode, rdma::ChainOpcode::kAllocate);
  EXPECT_EQ(allocate.free_list, 3U);
  EXPECT_EQ(allocate.payload.size(), sizeof kObject);
  EXPECT_EQ(allocate.redirect.where, Where::kRequest);
  EXPECT_FALSE(allocate.conditional);
  EXPECT_EQ(rdma::defect(allocate), nullptr);
}

TEST(InstallChain, TheSwapByItselfHasTheOperandThatTheScratchWouldHave) {
  const Operation swap = swap_of(chain(), kBuffer);
  EXPECT_TRUE(takes_all_from_the_request(swap));
  EXPECT_EQ(swap.swap_words, (rdma::OperandWords{kVersion, kBuffer, 0, 0}));
  EXPECT_EQ(swap.compare_words, swap.swap_words);
  EXPECT_EQ(swap.compare_mask, chain()[2].compare_mask);
  EXPECT_EQ(swap.swap_mask, chain()[2].swap_mask);
  EXPECT_EQ(swap.mode, rdma::CompareMode::kGreater);
  EXPECT_FALSE(swap.conditional);
  EXPECT_EQ(rdma::defect(swap), nullptr);
}

TEST(InstallChain, WhoHasABufferWritesToItAndSwapsIfThatWasDone) {
  const auto [write, swap] = write_and_swap(chain(), kBuffer);
  EXPECT_EQ(write.opcode, rdma::ChainOpcode::kWrite);
  EXPECT_EQ(write.target.where, Where::kMemory);
  EXPECT_EQ(write.target.offset, kBuffer);
  EXPECT_EQ(write.length, sizeof kObject);
  EXPECT_EQ(rdma::defect(write), nullptr);
  EXPECT_TRUE(swap.conditional);
  EXPECT_TRUE(takes_all_from_the_request(swap));
}

// Its masks and operands are in the request, 24 B of operands in the scratch are not.
TEST(InstallChain, MessagesHaveRoomForTheLongestPart) {
  const std::size_t whole = longest_message(chain(), Without::kNothing);
  EXPECT_GT(longest_message(chain(), Without::kAllocation), 0U);
  EXPECT_LT(longest_message(chain(), Without::kChaining), whole);
  EXPECT_EQ(longest_message(chain(), Without::kIndirection),
            longest_message(chain(), Without::kChaining));
}

}  // namespace
}  // namespace verbena::txn::prism
