// A run begins as a long one would have left it.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "tests/support/test_fabric.h"
#include "txn/occ/node/measures.h"
#include "txn/occ/system.h"
#include "workloads/run/cluster_run.h"
#include "workloads/smallbank/smallbank.h"

namespace verbena::workloads {
namespace {

struct Setting {
  std::string plan = "drtmh";
  std::string changes = {};  // of the plan
  bool log_again = false;    // by messages
  bool cold_start = false;
  Nanoseconds warm_up = 50 * kMicrosecond;  // all coroutines begin at once
  Nanoseconds duration = 150 * kMicrosecond;
  std::uint64_t seed = 1;
};

// A call to reclaim takes what a ring got in some 400 us.
RunResult run(const Setting& setting) {
  const testing::FabricShape shape{.nodes = 8, .workers = 2, .seed = setting.seed};
  const auto fabric = testing::make_fabric(shape);
  const SmallBank bank(shape.nodes, shape.workers, {.accounts_per_worker = 10'000});
  txn::Plan plan = txn::changed(txn::plan_preset(setting.plan), setting.changes);
  plan.log_again = setting.log_again;
  const txn::occ::System system({{.plan = plan, .warm_location_cache = true}});
  RunOptions options;
  options.endpoint = testing::options_for(shape);
  options.warm_up = setting.warm_up;
  options.duration = setting.duration;
  options.seed = setting.seed;
  options.cold_start = setting.cold_start;
  options.check_history = true;
  return ClusterRun(*fabric, bank, system, options).run();
}

double applied_per_transaction(const RunResult& result) {
  return static_cast<double>(
             result.metrics
                 .counters[static_cast<std::size_t>(txn::occ::Counter::kAppliedUpdates)]) /
         static_cast<double>(result.metrics.committed);
}

double early(Setting setting) {
  double sum = 0;
  constexpr int kRuns = 5;
  for (int i = 0; i < kRuns; ++i, ++setting.seed) sum += applied_per_transaction(run(setting));
  return sum / kRuns;
}

double late(Setting setting) {
  setting.warm_up = 1500 * kMicrosecond;
  setting.duration = 1500 * kMicrosecond;
  return applied_per_transaction(run(setting));
}

void expect_sound(const RunResult& result, const std::string& which) {
  EXPECT_TRUE(result.verification.checked) << which;
  EXPECT_TRUE(result.verification.ok()) << which << ": " << result.verification.errors.front();
  EXPECT_EQ(anomaly_text(result.anomaly), "") << which;
}

TEST(WarmStart, BackupsApplyAsMuchAsLaterFromTheBeginning) {
  for (const char* plan : {"drtmh", "fasst-occ"}) {
    const double rest = late({.plan = plan});
    EXPECT_NEAR(early({.plan = plan}) / rest, 1, 0.15) << plan;
    EXPECT_LT(early({.plan = plan, .cold_start = true}) / rest, 0.5) << plan;
  }
}

// Backups of a whole log apply what they have copies of.
TEST(WarmStart, SoDoThoseThatGetWholeLogs) {
  const Setting whole{.changes = "log.whole=on"};
  EXPECT_NEAR(early(whole) / late(whole), 1, 0.15);
}

TEST(WarmStart, TranslationsAndQueuePairsAreCached) {
  const auto misses = [](const RunResult& result, const char* name) {
    return result.total_nic_counters.at(name);
  };
  const RunResult warm = run({});
  const RunResult cold = run({.cold_start = true});
  EXPECT_LT(4 * misses(warm, "mtt_cache_misses"), misses(cold, "mtt_cache_misses"));
  EXPECT_LT(4 * misses(warm, "mpt_cache_misses"), misses(cold, "mpt_cache_misses") + 4);
  EXPECT_LT(4 * misses(warm, "qp_cache_misses"), misses(cold, "qp_cache_misses"));
}

TEST(WarmStart, IsDrawnFromTheSeed) {
  EXPECT_EQ(run({}).trace_digest, run({}).trace_digest);
  EXPECT_NE(run({}).trace_digest, run({.cold_start = true}).trace_digest);
}

TEST(WarmStart, NothingIsLostOrAppliedTwice) {
  for (const std::string& plan : txn::plan_names()) {
    for (const bool cold : {false, true}) {
      expect_sound(run({.plan = plan, .cold_start = cold}), plan);
    }
    // Backups apply what messages bring, and rings are cleared by calls that apply nothing.
    const Setting again{.plan = plan, .log_again = true, .duration = kMillisecond};
    expect_sound(run(again), plan + " with log_again");
  }
}

}  // namespace
}  // namespace verbena::workloads
