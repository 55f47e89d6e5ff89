// A run that is measured adds up, and what does not is told.
#include "workloads/run/bookkeeping.h"

#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "rdma/base/time.h"
#include "tests/support/test_fabric.h"
#include "txn/metrics.h"
#include "txn/occ/system.h"
#include "txn/plan/plan.h"
#include "txn/system_info.h"
#include "workloads/run/cluster_run.h"
#include "workloads/run/worker_run.h"
#include "workloads/smallbank/smallbank.h"

namespace verbena::workloads {
namespace {

using testing::by_fabric;
using testing::FabricShape;

/// A worker with one stream, and a window from 1000 to 2000 ns: a transaction that began at 900 and
/// was committed at 1100, one from 1110 on that was aborted, and rolled back at 1500, and one that
/// began then and was decided after the window.
struct Example {
  WorkerRun worker;
  txn::Metrics metrics;

  Example() {
    txn::SystemInfo system;
    system.abort_causes = {"locked", "rolled_back"};
    metrics = txn::Metrics(system);
    metrics.latency.record(200_ns);
    metrics.aborted = {1, 1};
    worker.from = 1000_ns;
    worker.until = 2000_ns;
    worker.begun = {kNever};
    worker.series = IntervalSeries(1000_ns, 2000_ns);
    worker.series.commit(1100_ns, 200_ns);
    worker.series.abort(1200_ns);
    worker.series.abort(1500_ns);
    worker.committed_by_kind = {1, 0};
    worker.latency_by_kind = {200_ns, 0_ns};
    worker.rolled_back = 1;
    worker.rolling_back = 390_ns;
    worker.in_flight = worker.undecided = {500_ns};
    worker.entered = {100_ns};
    worker.ledger = {.lived = 1000_ns,
                     .between = 10_ns,
                     .streams_ended = 1,
                     .returned_late = 1,
                     .decided_late = 1};
  }

  std::size_t errors() const { return what_does_not_add_up(worker, metrics).size(); }
};

TEST(Bookkeeping, OfASoundWorkerAddsUp) { EXPECT_EQ(Example().errors(), 0U); }

struct Mistake {
  std::string name;
  std::function<void(Example&)> make;
};

// NOLINTNEXTLINE(readability-identifier-naming): the name that GoogleTest looks for
void PrintTo(const Mistake& mistake, std::ostream* out) { *out << mistake.name; }

class BookkeepingTest : public ::testing::TestWithParam<Mistake> {};

TEST_P(BookkeepingTest, TellsWhatDoesNotAddUp) {
  Example example;
  GetParam().make(example);
  EXPECT_GT(example.errors(), 0U);
}

INSTANTIATE_TEST_SUITE_P(
    Mistakes, BookkeepingTest,
    ::testing::Values(
        Mistake{"CommitOfNoInterval",
                [](Example& example) { example.worker.series = IntervalSeries(1000_ns, 2000_ns); }},
        Mistake{"LatencyThatIsTooShort",
                [](Example& example) {
                  example.worker.latency_by_kind = {150_ns, 0_ns};
                  example.worker.series = IntervalSeries(1000_ns, 2000_ns);
                  example.worker.series.commit(1100_ns, 150_ns);
                  example.worker.series.abort(1200_ns);
                  example.worker.series.abort(1500_ns);
                  example.metrics.latency = Histogram();
                  example.metrics.latency.record(150_ns);
                }},
        Mistake{"LatencyOfOneTransactionForAnother",
                [](Example& example) {
                  example.metrics.latency = Histogram();
                  example.metrics.latency.record(201_ns);
                }},
        Mistake{"AbortWithoutACause",
                [](Example& example) {
                  example.metrics.aborted = {0, 1};
                }},
        Mistake{"NobodyInFlight", [](Example& example) { example.worker.in_flight.clear(); }},
        Mistake{"NobodyUndecided", [](Example& example) { example.worker.undecided.clear(); }},
        Mistake{"WarmUpKept", [](Example& example) { example.worker.entered.clear(); }}),
    [](const auto& mistake) { return mistake.param.name; });

TEST(Bookkeeping, SaysNothingOfStreamsThatDidNotEnd) {
  Example example;
  example.worker.undecided.clear();
  example.worker.ledger.streams_ended = 0;
  EXPECT_EQ(example.errors(), 0U);
}

struct Setting {
  std::string name;
  std::optional<Nanoseconds> warm_up = 100 * kMicrosecond;
  std::optional<Nanoseconds> duration = 200 * kMicrosecond;
  double offered_per_second = 0;
  bool latency_until_return = false;
};

// NOLINTNEXTLINE(readability-identifier-naming): the name that GoogleTest looks for
void PrintTo(const Setting& setting, std::ostream* out) { *out << setting.name; }

/// Runs SmallBank on three nodes of two workers, with so few accounts that transactions conflict.
RunResult run_with_conflicts(RunOptions options) {
  const FabricShape shape{.nodes = 3, .workers = 2};
  const auto fabric = testing::make_fabric(shape);
  const SmallBank bank(shape.nodes, shape.workers, {.accounts_per_worker = 20});
  const txn::occ::System system({{.plan = txn::plan_preset("drtmh")}});
  options.endpoint = testing::options_for(shape);
  options.replicas = 2;
  return ClusterRun(*fabric, bank, system, options).run();
}

class MeasuredRunTest : public ::testing::TestWithParam<Setting> {};

// With retries, and with transactions in flight at either end of the window.
TEST_P(MeasuredRunTest, AddsUp) {
  RunOptions options;
  options.fibers = by_fabric(4U, 2U);
  options.max_transactions = by_fabric(0, 20);
  options.warm_up = by_fabric(GetParam().warm_up, std::optional(0_ns));
  options.duration = by_fabric(GetParam().duration, std::optional(60 * kSecond));
  options.goal.longest = 2 * kMillisecond;
  options.offered = {.per_second = GetParam().offered_per_second / by_fabric(1, 100),
                     .poisson = true};
  options.latency_until_return = GetParam().latency_until_return;
  const RunResult result = run_with_conflicts(options);
  EXPECT_EQ(result.unsound, std::vector<std::string>());
  EXPECT_GT(result.metrics.committed, 0U);
  if (testing::on_hardware()) return;
  EXPECT_GT(result.retrying, 0_ns);
  EXPECT_GT(result.in_flight.count(), 0U);
}

// Transactions that are due after the end have kept nobody waiting.
TEST(MeasuredRun, ThatEndsEarlyHasNoBacklogFromAfterItsEnd) {
  RunOptions options;
  options.fibers = 2;
  options.max_transactions = 20;
  options.warm_up = 0_ns;
  options.duration = by_fabric(kSecond, 60 * kSecond);
  options.offered = {.per_second = by_fabric(3e6, 3e4), .poisson = true};
  const RunResult result = run_with_conflicts(options);
  EXPECT_EQ(result.unsound, std::vector<std::string>());
  EXPECT_LE(result.in_flight.max(), static_cast<std::uint64_t>(result.duration.count()));
  if (testing::on_hardware()) return;
  const double due =
      options.offered.per_second * static_cast<double>(result.duration.count()) / 1e9;
  EXPECT_LT(static_cast<double>(result.backlog), 1.1 * due);
}

INSTANTIATE_TEST_SUITE_P(
    Settings, MeasuredRunTest,
    ::testing::Values(Setting{.name = "Usual"}, Setting{.name = "NoWarmUp", .warm_up = 0_ns},
                      Setting{.name = "UntilPrecise", .warm_up = {}, .duration = {}},
                      Setting{.name = "OpenLoop", .offered_per_second = 3e6},
                      Setting{.name = "UntilReturn", .latency_until_return = true}),
    [](const auto& setting) { return setting.param.name; });

}  // namespace
}  // namespace verbena::workloads
