// Whole runs of SmallBank: they are measured, verified, and serializable.
#include "workloads/run/cluster_run.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>

#include "rdma/base/errors.h"
#include "rdma/base/random.h"
#include "tests/support/test_fabric.h"
#include "txn/occ/node/measures.h"
#include "txn/occ/system.h"
#include "workloads/smallbank/smallbank.h"

namespace verbena::workloads {
namespace {

using testing::by_fabric;
using testing::FabricShape;

struct Setting {
  std::string plan = "drtmh";
  std::string changes = {};  // of the plan
  FabricShape shape = {.nodes = 3, .workers = 2};
  std::uint64_t accounts = 200;  // per worker; few, so that they contend
  Nanoseconds warm_up = 0;
  bool warm_cache = false;
  bool short_timeouts = false;  // lost datagrams are sent again within the run
  const std::atomic<bool>* stop = nullptr;
  bool ignore_conflicts = false;
  bool latency_until_return = false;
  bool verify = true;
};

txn::occ::System system_for(const Setting& setting) {
  txn::Plan plan = txn::changed(txn::plan_preset(setting.plan), setting.changes);
  plan.ignore_conflicts = setting.ignore_conflicts;
  return txn::occ::System({{.plan = plan, .warm_location_cache = setting.warm_cache}});
}

RunOptions options_for(const Setting& setting) {
  RunOptions options;
  options.endpoint = testing::options_for(setting.shape);
  options.fibers = by_fabric(4U, 2U);
  options.replicas = 3;
  options.warm_up = setting.warm_up;
  options.duration = by_fabric(500 * kMicrosecond, 60 * kSecond);
  options.max_transactions = by_fabric(0, 20);
  options.seed = setting.shape.seed;
  options.verify = options.check_history = setting.verify;
  options.latency_until_return = setting.latency_until_return;
  options.stop = setting.stop;
  if (setting.short_timeouts) {
    options.endpoint.rpc.timeout = 50 * kMicrosecond;
    options.endpoint.rpc.ack_delay = 10 * kMicrosecond;
  }
  return options;
}

RunResult run(const Setting& setting) {
  const auto fabric = testing::make_fabric(setting.shape);
  const SmallBank bank(setting.shape.nodes, setting.shape.workers,
                       {.accounts_per_worker = setting.accounts});
  const txn::occ::System system = system_for(setting);
  return ClusterRun(*fabric, bank, system, options_for(setting)).run();
}

std::string first_error(const RunResult& result) {
  return result.verification.ok() ? "" : result.verification.errors[0];
}

class ClusterRunTest : public ::testing::TestWithParam<std::string> {};

// A transaction of SmallBank commits once: its latency and its phases are of the same ones.
void expect_one_count(const txn::Metrics& metrics) {
  const auto count = [&metrics](txn::occ::Phase phase) {
    return metrics.phases[static_cast<std::size_t>(phase)].count();
  };
  EXPECT_EQ(count(txn::occ::Phase::kExecute), metrics.latency.count());
  EXPECT_EQ(count(txn::occ::Phase::kValidate), metrics.latency.count());
}

INSTANTIATE_TEST_SUITE_P(Plans, ClusterRunTest, ::testing::ValuesIn(txn::plan_names()),
                         [](const auto& info) {
                           std::string name = info.param;
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

TEST_P(ClusterRunTest, SmallBankKeepsItsMoneyItsLocksAndItsBackups) {
  if (testing::on_hardware() && GetParam() != "drtmh") {
    GTEST_SKIP() << "the emulated device is slow: systems_test runs it there under every plan";
  }
  for (std::uint64_t seed = 1; seed <= by_fabric(3U, 1U); ++seed) {
    const RunResult result =
        run({.plan = GetParam(), .shape = {.nodes = 3, .workers = 2, .seed = seed}});
    EXPECT_TRUE(result.verification.checked);
    EXPECT_EQ(first_error(result), "") << "seed " << seed;
    EXPECT_EQ(anomaly_text(result.anomaly), "") << "seed " << seed;
    EXPECT_GT(result.committed_total, by_fabric(100U, 50U));
    EXPECT_GT(result.verification.records_checked, 0U);
  }
}

TEST_P(ClusterRunTest, SurvivesChaosAndLostDatagrams) {
  if (testing::on_hardware()) GTEST_SKIP() << "faults are those of the simulated fabric";
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const RunResult result = run({.plan = GetParam(),
                                  .shape = {.nodes = 3,
                                            .workers = 2,
                                            .seed = seed,
                                            .chaos = true,
                                            .overrides = {{"fabric.ud_loss", "0.01"},
                                                          {"fabric.ud_duplicate", "0.01"},
                                                          {"fabric.ud_reorder", "0.05"}}},
                                  .short_timeouts = true});
    EXPECT_GT(result.committed_total, 100U) << "seed " << seed;
    EXPECT_EQ(first_error(result), "") << "seed " << seed;
    EXPECT_EQ(anomaly_text(result.anomaly), "") << "seed " << seed;
    expect_one_count(result.metrics);
  }
}

double bytes_per_log_record(const RunResult& result) {
  const auto counter = [&](txn::occ::Counter which) {
    return static_cast<double>(result.metrics.counters[static_cast<std::size_t>(which)]);
  };
  return counter(txn::occ::Counter::kLogBytes) / counter(txn::occ::Counter::kLogRecords);
}

// With 5 nodes and 3 copies, most backups get updates that they have no copy for.
TEST(ClusterRun, WholeLogsLeaveTheSameCopies) {
  for (const char* plan : {"drtmh", "fasst-occ"}) {
    const FabricShape shape{.nodes = 5, .workers = 1};
    const RunResult whole = run({.plan = plan, .changes = "log.whole=on", .shape = shape});
    EXPECT_EQ(first_error(whole), "") << plan;
    EXPECT_EQ(anomaly_text(whole.anomaly), "") << plan;
    EXPECT_GT(whole.committed_total, by_fabric(100U, 50U)) << plan;
    EXPECT_GT(bytes_per_log_record(whole),
              1.1 * bytes_per_log_record(run({.plan = plan, .shape = shape})))
        << plan;
  }
}

TEST(ClusterRun, ReportsWhatItMeasured) {
  const RunResult result = run({});
  std::uint64_t by_kind = 0;
  for (const auto& [kind, committed] : result.committed_by_kind) by_kind += committed;
  EXPECT_EQ(result.committed_by_kind.size(), 6U);
  EXPECT_EQ(by_kind, result.metrics.committed);
  Nanoseconds latency = 0;
  for (const auto& [kind, sum] : result.latency_by_kind) latency += sum;
  EXPECT_NEAR(static_cast<double>(latency.count()),
              result.metrics.latency.mean() * static_cast<double>(by_kind), 1.0);
  expect_one_count(result.metrics);
  EXPECT_NEAR(result.throughput_per_s,
              static_cast<double>(result.metrics.committed) / to_seconds(result.duration), 1.0);
  EXPECT_GE(result.committed_total, result.metrics.committed);
  EXPECT_GT(result.metrics.latency.percentile(0.5), 0U);
}

TEST(ClusterRun, WarmUpIsNotMeasured) {
  if (testing::on_hardware()) GTEST_SKIP() << "the limit on transactions ends the run in warm-up";
  const RunResult all = run({.warm_up = 0});
  const RunResult half = run({.warm_up = 500 * kMicrosecond});
  EXPECT_GT(half.committed_total, all.committed_total * 3 / 2);
  EXPECT_LT(half.metrics.committed, half.committed_total * 2 / 3);
}

TEST(ClusterRun, AWarmLocationCacheHitsFromTheBeginning) {
  const RunResult cold = run({.accounts = 5000});
  const RunResult warm = run({.accounts = 5000, .warm_cache = true});
  const auto misses = static_cast<std::size_t>(txn::occ::Counter::kCacheMisses);
  EXPECT_GT(cold.metrics.counters[misses], 0U);
  EXPECT_EQ(warm.metrics.counters[misses], 0U);
  EXPECT_EQ(first_error(warm), "");
}

// FaRM's fibers wait until what they have written back is acknowledged.
TEST(ClusterRun, LatencyEndsAtTheDecisionOrWhenTheFiberIsDone) {
  const RunResult decided = run({.plan = "farm", .accounts = 5000});
  const RunResult returned = run({.plan = "farm", .accounts = 5000, .latency_until_return = true});
  if (testing::on_hardware()) GTEST_SKIP() << "after both ways ran: times are the machine's there";
  const auto commit = static_cast<std::size_t>(txn::occ::Phase::kCommit);
  const double commits = decided.metrics.phases[commit].mean();
  EXPECT_GT(commits, 1000.0);
  // Transactions that wrote nothing have no commit phase.
  EXPECT_GT(returned.metrics.latency.mean(), decided.metrics.latency.mean() + 0.6 * commits);
  EXPECT_LT(returned.metrics.latency.mean(), decided.metrics.latency.mean() + 1.1 * commits);
  EXPECT_EQ(first_error(returned), "");
}

TEST(ClusterRun, WhereConflictsAreIgnoredNothingAbortsByThem) {
  const RunResult result = run({.accounts = 20, .ignore_conflicts = true, .verify = false});
  EXPECT_EQ(result.system.isolation, txn::Isolation::kNone);
  EXPECT_GT(result.committed_total, 50U);
  for (std::size_t cause = 0; cause < result.metrics.aborted.size(); ++cause) {
    if (txn::AbortCause(cause) == txn::occ::Abort::kRolledBack) continue;
    EXPECT_EQ(result.metrics.aborted[cause], 0U) << result.system.abort_causes[cause];
  }
}

TEST(ClusterRun, WhereConflictsAreIgnoredThereIsNothingToVerify) {
  try {
    run({.ignore_conflicts = true});
    FAIL() << "was verified";
  } catch (const ConfigurationError& error) {
    EXPECT_STREQ(error.what(),
                 "--verify with plan.ignore_conflicts true: system 'drtmh' then promises nothing "
                 "that could be verified; allowed is a run without --verify");
  }
}

TEST(ClusterRun, RepeatsBitForBitFromItsSeed) {
  if (testing::on_hardware()) GTEST_SKIP() << "time is not repeatable there";
  const RunResult first = run({.shape = {.nodes = 3, .workers = 2, .seed = 5}});
  const RunResult again = run({.shape = {.nodes = 3, .workers = 2, .seed = 5}});
  const RunResult other = run({.shape = {.nodes = 3, .workers = 2, .seed = 6}});
  EXPECT_NE(first.trace_digest, 0U);
  EXPECT_EQ(first.trace_digest, again.trace_digest);
  EXPECT_EQ(first.metrics.committed, again.metrics.committed);
  EXPECT_EQ(first.metrics.latency.percentile(0.99), again.metrics.latency.percentile(0.99));
  EXPECT_EQ(first.verification.final_total, again.verification.final_total);
  EXPECT_NE(first.trace_digest, other.trace_digest);
}

// A client that notices when it is destroyed in the middle of a transaction.
class Client : public WorkloadClient {
 public:
  Client(std::unique_ptr<WorkloadClient> inner, bool fails, int& cut_off)
      : inner_(std::move(inner)), fails_(fails), cut_off_(cut_off) {}
  ~Client() override { cut_off_ += executing_ ? 1 : 0; }

  std::uint32_t next() override { return inner_->next(); }
  Attempt execute(txn::Transaction& transaction) override {
    if (fails_ && ++attempts_ == 20) throw std::runtime_error("an invariant is broken");
    struct Guard {
      bool& flag;
      ~Guard() { flag = false; }
    };
    executing_ = true;
    const Guard guard{executing_};
    return inner_->execute(transaction);
  }
  std::int64_t committed_change() const override { return inner_->committed_change(); }

 private:
  std::unique_ptr<WorkloadClient> inner_;
  bool fails_;
  int& cut_off_;
  int attempts_ = 0;
  bool executing_ = false;
};

class FailingBank : public SmallBank {
 public:
  using SmallBank::SmallBank;
  std::unique_ptr<WorkloadClient> make_client(const ClientPlace& place,
                                              Random random) const override {
    return std::make_unique<Client>(SmallBank::make_client(place, random), place.home == 0,
                                    cut_off_);
  }
  int cut_off() const { return cut_off_; }

 private:
  mutable int cut_off_ = 0;
};

TEST(ClusterRun, AFailedRunUnwindsItsFibersBeforeWhatTheyUseGoes) {
  const Setting setting;
  const auto fabric = testing::make_fabric(setting.shape);
  const FailingBank bank(3, 2, {.accounts_per_worker = 200});
  const txn::occ::System system = system_for(setting);
  EXPECT_THROW(ClusterRun(*fabric, bank, system, options_for(setting)).run(), std::runtime_error);
  EXPECT_EQ(bank.cut_off(), 0);
}

TEST(ClusterRun, RefusesMoreReplicasThanNodes) {
  const Setting setting{.shape = {.nodes = 2, .workers = 1}};
  const auto fabric = testing::make_fabric(setting.shape);
  const SmallBank bank(2, 1, {.accounts_per_worker = 200});
  const txn::occ::System system = system_for(setting);
  EXPECT_THROW(ClusterRun(*fabric, bank, system, options_for(setting)), ConfigurationError);
}

// While it goes on where one thread runs it, so that its length does not matter.
TEST(ClusterRun, ReplaysWhatAllClientsSaw) {
  for (const std::uint64_t seed : {1U, 2U}) {
    const RunResult result = run({.shape = {.nodes = 3, .workers = 2, .seed = seed}});
    EXPECT_EQ(anomaly_text(result.anomaly), "");
    ASSERT_TRUE(result.replayed.has_value());
    EXPECT_GE(*result.replayed, result.committed_total);
  }
}

// Each stream looks after its first transaction.
TEST(ClusterRun, ThatIsToldToStopMeasuresUntilThenAndVerifies) {
  const std::atomic<bool> stop = true;
  const RunResult result = run({.stop = &stop});
  EXPECT_TRUE(result.stopped);
  EXPECT_GT(result.committed_total, 0U);
  const Setting setting;
  EXPECT_LE(result.committed_total,
            std::uint64_t{setting.shape.nodes} * setting.shape.workers * by_fabric(4U, 2U));
  EXPECT_LT(result.duration, options_for(setting).duration);
  EXPECT_GT(result.duration, 0_ns);
  EXPECT_NEAR(result.throughput_per_s * to_seconds(result.duration),
              static_cast<double>(result.metrics.committed), 1e-3);
  EXPECT_TRUE(result.verification.checked);
  EXPECT_EQ(first_error(result), "");
  EXPECT_EQ(anomaly_text(result.anomaly), "");
}

// A client one of whose transactions never commits. It asks for the end when that has been tried
// often.
class VainClient : public WorkloadClient {
 public:
  VainClient(std::unique_ptr<WorkloadClient> inner, std::atomic<bool>& stop)
      : inner_(std::move(inner)), stop_(stop) {}

  std::uint32_t next() override {
    ++transactions_;
    return inner_->next();
  }
  Attempt execute(txn::Transaction& transaction) override {
    if (transactions_ < 3) return inner_->execute(transaction);
    if (++tries_ == 10) stop_ = true;
    transaction.begin();
    transaction.want(0, static_cast<txn::PartitionId>(0), 0, txn::Transaction::Intent::kUpdate);
    if (!transaction.fetch()) {
      transaction.abandon();
    } else {
      transaction.roll_back();
    }
    return Attempt::kAborted;
  }
  std::int64_t committed_change() const override { return inner_->committed_change(); }

 private:
  std::unique_ptr<WorkloadClient> inner_;
  std::atomic<bool>& stop_;
  int transactions_ = 0;
  int tries_ = 0;
};

class VainBank : public SmallBank {
 public:
  using SmallBank::SmallBank;
  std::unique_ptr<WorkloadClient> make_client(const ClientPlace& place,
                                              Random random) const override {
    auto inner = SmallBank::make_client(place, random);
    if (place.home != 0 || place.worker != 0) return inner;
    return std::make_unique<VainClient>(std::move(inner), stop_);
  }
  std::atomic<bool>& stop() const { return stop_; }

 private:
  mutable std::atomic<bool> stop_ = false;
};

// Within its window, and when that is over.
TEST(ClusterRun, ThatIsToldToStopDoesNotWaitForATransactionThatNeverCommits) {
  for (const Nanoseconds duration : {by_fabric(10 * kMillisecond, 60 * kSecond), kMicrosecond}) {
    // There a window so short is over before the transaction begins.
    if (testing::on_hardware() && duration == kMicrosecond) continue;
    const VainBank bank(3, 2, {.accounts_per_worker = 200});
    const Setting setting{.stop = &bank.stop()};
    const auto fabric = testing::make_fabric(setting.shape);
    RunOptions options = options_for(setting);
    options.duration = 50 * kMicrosecond + duration;
    const txn::occ::System system = system_for(setting);
    const RunResult result = ClusterRun(*fabric, bank, system, options).run();
    EXPECT_TRUE(result.stopped);
    EXPECT_GT(result.in_flight.count(), 0U);
    EXPECT_LE(result.duration, options.duration);
    EXPECT_TRUE(result.verification.checked);
    EXPECT_EQ(first_error(result), "");
    EXPECT_EQ(anomaly_text(result.anomaly), "");
  }
}

TEST(ClusterRun, ThatNobodyStopsIsWhole) {
  const std::atomic<bool> stop = false;
  EXPECT_FALSE(run({.stop = &stop}).stopped);
}

}  // namespace
}  // namespace verbena::workloads
