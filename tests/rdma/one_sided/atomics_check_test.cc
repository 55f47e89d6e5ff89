// Atomics that locks can rely on, and those that they cannot.
#include "rdma/one_sided/atomics_check.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>

#include "rdma/one_sided/connections.h"
#include "rdma/one_sided/request_batch.h"
#include "tests/support/test_fabric.h"

namespace verbena::rdma {
namespace {

using testing::Cluster;
using testing::FabricShape;

constexpr std::uint64_t kSum = AtomicsSeen::kFirst + AtomicsSeen::kAdded;
constexpr AtomicsSeen kRight = {.added_to = AtomicsSeen::kFirst,
                                .after_add = kSum,
                                .not_swapped = kSum,
                                .after_failing_swap = kSum,
                                .swapped = kSum,
                                .after_swap = AtomicsSeen::kSwappedIn};

std::string fault_after(const std::function<void(AtomicsSeen&)>& change) {
  AtomicsSeen seen = kRight;
  change(seen);
  return fault_of(seen);
}

TEST(AtomicsCheck, FindsNothingWrongWithTheDevice) {
  const FabricShape shape{.nodes = 1};
  Cluster cluster(shape, testing::options_for(shape),
                  [](Endpoint& endpoint) { endpoint.add_region("word", 4096, {}); });
  AtomicsSeen seen;
  Worker& worker = cluster.worker(0);
  worker.spawn([&] {
    RequestBatch batch(worker.connections());
    seen = try_atomics(batch, {NodeId{0}, RegionId{0}, 64}, worker.allocate_scratch(8));
  });
  cluster.run();
  EXPECT_EQ(fault_of(seen), "");
  EXPECT_EQ(seen.added_to, AtomicsSeen::kFirst);
  EXPECT_EQ(seen.after_swap, AtomicsSeen::kSwappedIn);
}

TEST(AtomicsCheck, NamesTheOtherByteOrder) {
  EXPECT_EQ(fault_after([](AtomicsSeen& seen) { seen.added_to = 0x0807060504030201; }),
            "fetch-and-add returns 0x0807060504030201 instead of 0x0102030405060708, which is the "
            "other byte order");
  EXPECT_EQ(fault_after([](AtomicsSeen& seen) { seen.swapped = __builtin_bswap64(kSum); }),
            "compare-and-swap returns 0x1807060504030201 instead of 0x0102030405060718, which is "
            "the other byte order");
}

TEST(AtomicsCheck, NamesWhatIsWrong) {
  const auto begins = [](const std::string& text, const std::string& with) {
    return text.rfind(with, 0) == 0;
  };
  EXPECT_TRUE(begins(fault_after([](AtomicsSeen& seen) { seen.after_add = 1; }),
                     "fetch-and-add leaves 0x0000000000000001"));
  EXPECT_TRUE(begins(fault_after([](AtomicsSeen& seen) { seen.not_swapped = 0; }),
                     "a compare-and-swap that fails returns"));
  EXPECT_TRUE(begins(
      fault_after([](AtomicsSeen& seen) { seen.after_failing_swap = AtomicsSeen::kSwappedIn; }),
      "a compare-and-swap that fails leaves"));
  EXPECT_TRUE(begins(fault_after([](AtomicsSeen& seen) { seen.after_swap = kSum; }),
                     "compare-and-swap leaves"));
}

}  // namespace
}  // namespace verbena::rdma
