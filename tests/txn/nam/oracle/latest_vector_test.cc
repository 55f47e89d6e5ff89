// Vectors that one thread hands over to others.
#include "txn/nam/oracle/latest_vector.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>
#include <vector>

#include "rdma/seam/core.h"

namespace verbena::txn::nam {
namespace {

// As on hardware, where time passes by itself.
class FreeCore final : public rdma::Core {
 public:
  FreeCore() : Core(rdma::WorkCosts{}) {}
  Nanoseconds now() const override { return 0; }
  void give_way() override {}
  void idle(Nanoseconds /*deadline*/) override {}
  void wake() override {}
};

TEST(LatestVector, HoldsNothingBeforeTheFirst) {
  FreeCore core;
  LatestVector latest(3);
  EXPECT_FALSE(latest.holds({}));
  latest.set(7_ns, std::vector<std::uint32_t>{0, 0, 5}, core);
  EXPECT_TRUE(latest.holds({}));
  EXPECT_TRUE(latest.holds({.slot = 2, .count = 5}));
  EXPECT_FALSE(latest.holds({.slot = 2, .count = 6}));
}

TEST(LatestVector, IsTheOneThatWasSetLast) {
  FreeCore core;
  LatestVector latest(2);
  std::vector<std::uint32_t> copy(2);
  std::uint32_t known = 0;
  for (std::uint32_t count = 1; count < 6; ++count) {
    latest.set(Nanoseconds(10 * count), std::vector<std::uint32_t>{0, count}, core);
    EXPECT_EQ(latest.copy(copy, known, core), Nanoseconds(10 * count));
    EXPECT_EQ(copy, (std::vector<std::uint32_t>{0, count}));
    EXPECT_EQ(known, count);
  }
}

// All slots of a vector are the same, so a copy of two vectors' parts shows.
TEST(LatestVector, IsCopiedWholeWhileItIsReplaced) {
  constexpr std::uint32_t kSlots = 100;
  constexpr std::uint32_t kVectors = 20'000;
  LatestVector latest(kSlots);
  FreeCore writer_core;
  latest.set(1_ns, std::vector<std::uint32_t>(kSlots, 1), writer_core);
  std::vector<int> wrong(3, 0);
  std::vector<std::thread> readers;
  readers.reserve(wrong.size());
  for (int& errors : wrong) {
    readers.emplace_back([&latest, &errors] {
      FreeCore core;
      std::vector<std::uint32_t> copy(kSlots);
      std::uint32_t known = 0;
      for (std::uint32_t before = 0; before < kVectors; before = copy[0]) {
        const Nanoseconds began_at = latest.copy(copy, known, core);
        const bool whole = std::ranges::count(copy, copy[0]) == kSlots;
        if (!whole || copy[0] < before || began_at != Nanoseconds(copy[0])) ++errors;
        if (!latest.holds({.slot = 1, .count = copy[0]})) ++errors;
      }
    });
  }
  for (std::uint32_t count = 2; count <= kVectors; ++count) {
    latest.set(Nanoseconds(count), std::vector<std::uint32_t>(kSlots, count), writer_core);
  }
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(wrong, std::vector<int>(3, 0));
}

}  // namespace
}  // namespace verbena::txn::nam
