// Differences of what stations and cores did.
#include "workloads/run/utilization.h"

#include <gtest/gtest.h>

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace verbena::workloads {
namespace {

using rdma::Activity;

constexpr Picoseconds kWindow{1'000'000};

/// Only says where stations are.
class Places final : public rdma::Fabric {
 public:
  std::uint32_t nodes() const override { return 1; }
  const std::vector<NodeId>& hosted() const override { return hosted_; }
  const rdma::VerbsTable& verbs(NodeId /*node*/) override { throw std::logic_error("unused"); }
  rdma::Rendezvous& rendezvous() override { throw std::logic_error("unused"); }
  void run(std::vector<rdma::CoreTask> /*tasks*/) override {}
  std::map<std::string, std::uint64_t> counters(NodeId /*node*/) override { return {}; }
  std::uint64_t trace_digest() const override { return 0; }
  std::string place_of(const rdma::StationUse& station) const override {
    return "place " + std::to_string(station.number);
  }

 private:
  std::vector<NodeId> hosted_ = {0};
};

rdma::CoreUse core(WorkerId worker, Picoseconds clock, Picoseconds transactions,
                   Picoseconds empty_polls) {
  rdma::CoreUse use{.node = 0, .worker = worker, .clock = clock, .spent = {}, .waited = 0};
  use.spent[static_cast<std::size_t>(Activity::kTransactions)] = transactions;
  use.spent[static_cast<std::size_t>(Activity::kEmptyPolls)] = empty_polls;
  return use;
}

TEST(UtilizationTest, IsOfTheIntervalAlone) {
  const Picoseconds start = 5 * kWindow;
  const rdma::FabricUse begin{.time = start,
                              .kinds = {"units", "slots"},
                              .stations = {{0, 0, 4 * kWindow, 9 * kWindow, kWindow},
                                           {0, 2, 0, 0, 0},
                                           {1, 7, kWindow, 0, 0}},
                              .cores = {core(0, start, start, 0)}};
  // Unit 1 is new, and the core's clock is ahead.
  const rdma::FabricUse end{
      .time = start + kWindow,
      .kinds = {"units", "slots"},
      .stations = {{0, 0, 4 * kWindow + kWindow * 9 / 10, 11 * kWindow, kWindow + kWindow * 3 / 10},
                   {0, 1, kWindow * 3 / 10, 0, 0},
                   {0, 2, 0, 0, 0},
                   {1, 7, kWindow, 0, 0}},
      .cores = {core(0, start + 2 * kWindow, start + kWindow, kWindow / 2)}};
  const Utilization use = utilization_between(Places(), begin, end);
  ASSERT_EQ(use.stations.size(), 1U) << "slots did nothing";
  const StationsUse& units = use.stations.front();
  EXPECT_EQ(units.kind, "units");
  EXPECT_EQ(units.count, 3U);
  EXPECT_NEAR(units.mean, 0.4, 1e-9);
  EXPECT_NEAR(units.most, 0.9, 1e-9);
  EXPECT_EQ(units.busiest, "place 0");
  EXPECT_NEAR(units.waiting, 2, 1e-9);
  EXPECT_NEAR(units.for_miss, 0.25, 1e-9) << "0.3 of 1.2";
  EXPECT_EQ(units.saturated, 1U);
  EXPECT_NEAR(units.saturated_mean, 0.9, 1e-9);
  EXPECT_NEAR(units.at_saturated, 2.9, 1e-9);
  EXPECT_NEAR(use.cores.mean, 0.5, 1e-9);
  EXPECT_NEAR(use.cores.waiting, 0.25, 1e-9);
  EXPECT_NEAR(use.cores.shares[static_cast<std::size_t>(Activity::kEmptyPolls)], 0.25, 1e-9);
}

TEST(UtilizationTest, EmptyPollsAreNoWork) {
  const rdma::FabricUse begin{
      .time = 0, .kinds = {}, .stations = {}, .cores = {core(0, 0, 0, 0), core(1, 0, 0, 0)}};
  const rdma::FabricUse end{
      .time = kWindow,
      .kinds = {},
      .stations = {},
      .cores = {core(0, kWindow, kWindow / 10, kWindow * 9 / 10), core(1, kWindow, kWindow, 0)}};
  const CoresUse cores = utilization_between(Places(), begin, end).cores;
  EXPECT_EQ(cores.count, 2U);
  EXPECT_EQ(cores.saturated, 1U);
  EXPECT_NEAR(cores.saturated_mean, 1, 1e-9);
  EXPECT_NEAR(cores.mean, 0.55, 1e-9);
  EXPECT_EQ(cores.busiest, "node 0, worker 1");
}

TEST(UtilizationTest, OfNoTimeThereIsNone) {
  const rdma::FabricUse now{
      .time = kWindow, .kinds = {}, .stations = {}, .cores = {core(0, kWindow, 0, 0)}};
  EXPECT_TRUE(utilization_between(Places(), now, now).empty());
  EXPECT_TRUE(utilization_between(Places(), {}, {}).empty());
}

}  // namespace
}  // namespace verbena::workloads
