// Inputs that are drawn for the stress workload's transactions.
#include "workloads/stress/input.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace verbena::workloads::stress {
namespace {

constexpr std::uint32_t kPartitions = 3;
constexpr int kDraws = 20'000;

template <typename Visit>
void draw(const StressOptions& options, Visit&& visit) {
  const InputChooser chooser(options, kPartitions);
  Random random(1);
  Input input;
  for (int i = 0; i < kDraws; ++i) {
    chooser.choose(random, input);
    visit(input);
  }
}

std::vector<Use> uses_of(const Input& input) {
  std::vector<Use> uses;
  for (const Round& round : input.rounds) {
    uses.insert(uses.end(), round.uses.begin(), round.uses.end());
  }
  return uses;
}

TEST(StressInput, KindsComeInTheirShares) {
  const StressOptions options;
  std::map<Kind, int> kinds;
  int rolled_back = 0;
  draw(options, [&](const Input& input) {
    ++kinds[input.kind];
    rolled_back += input.rolls_back ? 1 : 0;
    EXPECT_EQ(input.scans, input.kind == Kind::kScan || input.kind == Kind::kScanAndWrite);
  });
  EXPECT_NEAR(kinds[Kind::kRead] + kinds[Kind::kScan], kDraws * 0.30, kDraws * 0.01);
  EXPECT_NEAR(kinds[Kind::kScan] + kinds[Kind::kScanAndWrite], kDraws * 0.15, kDraws * 0.01);
  EXPECT_NEAR(rolled_back, kDraws * 0.05, kDraws * 0.01);
}

TEST(StressInput, OnlyWritersWrite) {
  draw({}, [](const Input& input) {
    if (!input.only_reads()) return;
    for (const Use& use : uses_of(input)) EXPECT_EQ(use.action, Action::kRead);
    for (const Action action : input.scanned) EXPECT_EQ(action, Action::kRead);
  });
}

TEST(StressInput, ActionsComeInTheirShares) {
  const StressOptions options;
  std::map<Action, int> actions;
  int all = 0;
  draw(options, [&](const Input& input) {
    if (input.only_reads()) return;
    for (const Use& use : uses_of(input)) {
      ++actions[use.action];
      ++all;
    }
  });
  const auto share = [&](Action action) { return 100.0 * actions[action] / all; };
  EXPECT_NEAR(share(Action::kUpdate), options.update_percent / 2.0, 1);
  EXPECT_NEAR(share(Action::kUpdateUnannounced), options.update_percent / 2.0, 1);
  EXPECT_NEAR(share(Action::kInsert), options.insert_percent, 1);
  EXPECT_NEAR(share(Action::kErase), options.erase_percent, 1);
  EXPECT_NEAR(share(Action::kLeaveUpdate), options.leave_percent / 2.0, 1);
  EXPECT_NEAR(share(Action::kLeaveInsert), options.leave_percent / 2.0, 1);
}

TEST(StressInput, UsesAllKeysOfAllPartitionsAndTheHotOnesMore) {
  StressOptions options;
  options.hot_keys = 2;
  options.hot_percent = 50;
  std::map<txn::Key, int> keys;
  std::set<std::uint32_t> partitions;
  std::set<txn::TableId> tables;
  int all = 0;
  draw(options, [&](const Input& input) {
    for (const Use& use : uses_of(input)) {
      ++keys[use.name.key];
      partitions.insert(std::uint32_t{use.name.partition});
      tables.insert(use.name.table);
      ++all;
    }
  });
  EXPECT_EQ(keys.size(), options.keys_per_node);
  EXPECT_EQ(partitions.size(), kPartitions);
  EXPECT_EQ(tables.size(), 2U);
  const double cold = 0.5 / options.keys_per_node;
  EXPECT_NEAR(static_cast<double>(keys[0]) / all, 0.25 + cold, 0.01);
  EXPECT_NEAR(static_cast<double>(keys[1]) / all, 0.25 + cold, 0.01);
  EXPECT_NEAR(static_cast<double>(keys[2]) / all, cold, 0.005);
}

TEST(StressInput, KeepsToItsLimits) {
  StressOptions options;
  options.records = 4;
  options.rounds = 2;
  options.scan_length = 3;
  std::set<std::size_t> records;
  bool descends = false;
  bool ascends = false;
  draw(options, [&](const Input& input) {
    const std::size_t used = uses_of(input).size();
    records.insert(used);
    EXPECT_LE(used, 4U);
    EXPECT_LE(input.rounds.size(), 2U);
    EXPECT_GE(used + (input.scans ? 1 : 0), 1U) << "does nothing";
    for (const Round& round : input.rounds) EXPECT_LE(round.pause, 20 * kMicrosecond);
    if (!input.scans) return;
    EXPECT_LE(input.scan_limit, 3U);
    EXPECT_LE(input.range.first, input.range.last);
    EXPECT_LT(input.range.last, options.keys_per_node);
    (input.range.descending ? descends : ascends) = true;
  });
  EXPECT_EQ(records, (std::set<std::size_t>{0, 1, 2, 3, 4}));
  EXPECT_TRUE(descends && ascends);
}

}  // namespace
}  // namespace verbena::workloads::stress
