// TATP's mix and its choice of subscribers.
#include "workloads/tatp/tatp.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace verbena::workloads {
namespace {

TEST(Tatp, TheMixIsTheStandards) {
  Random random(1);
  constexpr int kDraws = 200'000;
  std::array<double, static_cast<std::size_t>(TatpKind::kCount)> shares{};
  for (int i = 0; i < kDraws; ++i) {
    shares[static_cast<std::size_t>(Tatp::choose_kind(random))] += 100.0 / kDraws;
  }
  const std::array<double, shares.size()> expected = {35, 10, 35, 2, 14, 2, 2};
  for (std::size_t kind = 0; kind < shares.size(); ++kind) {
    EXPECT_NEAR(shares[kind], expected[kind], 0.4) << kind;
  }
}

TEST(Tatp, SubscribersOfAllNodesAreDrawnSomeMuchMoreOften) {
  const Tatp tatp(4, 1, {.subscribers_per_worker = 25'000});
  constexpr int kDraws = 1'000'000;
  std::vector<int> draws(100'000);
  std::array<double, 4> nodes{};
  Random random(1);
  for (int i = 0; i < kDraws; ++i) {
    const std::uint64_t subscriber = tatp.choose_subscriber(random);
    ASSERT_LT(subscriber, draws.size());
    ++draws[subscriber];
    nodes[tatp.database().partition(subscriber)] += 1.0 / kDraws;
  }
  for (const double share : nodes) EXPECT_GT(share, 0.1);
  // With A = 65 535 a number whose low bits are all set is drawn three times of four at each bit.
  EXPECT_GT(draws[65'535], 1'000);
  EXPECT_LT(draws[65'536], 100);
}

TEST(Tatp, CallForwardingsAreCounted) {
  const Tatp tatp(1, 1, {.subscribers_per_worker = 40});
  for (std::size_t table = 0; table < tatp.schema().size(); ++table) {
    const std::vector<std::byte> payload(tatp.schema()[table].payload_bytes);
    EXPECT_EQ(tatp.amount(static_cast<txn::TableId>(table), payload),
              table == tatp::kCallForwarding ? 1 : 0);
  }
}

}  // namespace
}  // namespace verbena::workloads
