// Differences of what stations and cores did.
#include "workloads/run/resources/utilization.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "txn/view.h"

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
  std::uint64_t moment(NodeId /*node*/) override { return 0; }
  std::uint64_t trace_digest() const override { return 0; }
  std::string place_of(const rdma::StationUse& station) const override {
    return "place " + std::to_string(station.number);
  }
  // Stations of kind 0 are nodes' own.
  std::optional<NodeId> node_of(const rdma::StationUse& station) const override {
    if (station.kind != 0) return std::nullopt;
    return static_cast<NodeId>(station.number);
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

rdma::CoreUse core_of(NodeId node, Picoseconds clock, Picoseconds transactions) {
  rdma::CoreUse use = core(0, clock, transactions, 0);
  use.node = node;
  return use;
}

/// Nodes 0 to 3 have a station and a core each, and there is a cable: node 2 is the busiest.
rdma::FabricUse four_nodes(Picoseconds time) {
  return {.time = time,
          .kinds = {"units", "cables"},
          .stations = {{0, 0, time / 10, 0, 0},
                       {0, 1, time * 3 / 10, 0, 0},
                       {0, 2, time * 9 / 10, 4 * time, 0},
                       {0, 3, 0, 0, 0},
                       {1, 0, time / 2, 0, 0}},
          .cores = {core_of(0, time, time), core_of(1, time, time * 8 / 10),
                    core_of(2, time, time / 10), core_of(3, time, 0)}};
}

TEST(UtilizationTest, OfEachRoleWhereNodesDifferInTheirs) {
  const std::vector<txn::Role> roles = {txn::Role::kCompute, txn::Role::kCompute,
                                        txn::Role::kMemory, txn::Role::kOracle};
  const Utilization use = utilization_between(Places(), four_nodes(0), four_nodes(kWindow), roles);
  ASSERT_EQ(use.roles.size(), 3U);
  const RoleUse& compute = use.roles[0];
  EXPECT_EQ(compute.role, txn::Role::kCompute);
  EXPECT_EQ(compute.nodes, 2U);
  ASSERT_EQ(compute.stations.size(), 1U) << "a cable is of no role";
  EXPECT_EQ(compute.stations[0].count, 2U);
  EXPECT_NEAR(compute.stations[0].mean, 0.2, 1e-9);
  EXPECT_EQ(compute.stations[0].busiest, "place 1");
  EXPECT_EQ(compute.stations[0].saturated, 0U);
  EXPECT_EQ(compute.cores.count, 2U);
  EXPECT_NEAR(compute.cores.mean, 0.9, 1e-9);
  EXPECT_EQ(compute.cores.saturated, 2U);
  const RoleUse& memory = use.roles[1];
  EXPECT_EQ(memory.role, txn::Role::kMemory);
  EXPECT_NEAR(memory.stations[0].mean, 0.9, 1e-9);
  EXPECT_NEAR(memory.stations[0].at_saturated, 4.9, 1e-9);
  EXPECT_EQ(memory.cores.busiest, "node 2, worker 0");
  EXPECT_NEAR(memory.cores.mean, 0.1, 1e-9);
  EXPECT_NEAR(memory.cores.waiting, 0.9, 1e-9) << "it polls for nothing, or waits";
  const RoleUse& oracle = use.roles[2];
  EXPECT_TRUE(oracle.stations.empty()) << "its station did nothing";
  EXPECT_EQ(oracle.cores.count, 1U);
  ASSERT_EQ(use.stations.size(), 2U) << "of all nodes together";
  EXPECT_NEAR(use.stations[0].mean, 0.325, 1e-9);
  EXPECT_EQ(use.cores.count, 4U);
}

TEST(UtilizationTest, WhereAllNodesAreAlikeThereAreNoRoles) {
  const std::vector<txn::Role> alike(4, txn::Role::kBoth);
  EXPECT_TRUE(
      utilization_between(Places(), four_nodes(0), four_nodes(kWindow), alike).roles.empty());
  EXPECT_TRUE(utilization_between(Places(), four_nodes(0), four_nodes(kWindow)).roles.empty());
}

TEST(UtilizationTest, LinksThatWereDownByTheirTimeInTheInterval) {
  const auto at = [](std::int64_t tenths) { return kWindow + kWindow * tenths / 10; };
  const rdma::FabricUse begin{
      .time = at(0), .kinds = {}, .stations = {}, .cores = {core(0, 0, 0, 0)}};
  const rdma::FabricUse end{.time = at(10),
                            .kinds = {},
                            .stations = {},
                            .cores = {core(0, kWindow, 0, 0)},
                            .outages = {{"before", at(-9), at(-1)},
                                        {"into", at(-5), at(1)},
                                        {"twice", at(2), at(4)},
                                        {"twice", at(5), at(8)},
                                        {"lasting", at(6), {}}}};
  const std::vector<LinkDown> links = utilization_between(Places(), begin, end).links_down;
  ASSERT_EQ(links.size(), 4U);
  EXPECT_EQ(links[0].link, "twice");
  EXPECT_EQ(links[0].times, 2U);
  EXPECT_NEAR(links[0].share, 0.5, 1e-9);
  EXPECT_EQ(links[0].from, to_nanoseconds(at(2)));
  EXPECT_EQ(links[0].until, to_nanoseconds(at(8)));
  EXPECT_EQ(links[1].link, "lasting");
  EXPECT_NEAR(links[1].share, 0.4, 1e-9);
  EXPECT_FALSE(links[1].until);
  EXPECT_EQ(links[2].link, "into");
  EXPECT_NEAR(links[2].share, 0.1, 1e-9);
  EXPECT_EQ(links[2].from, to_nanoseconds(at(-5))) << "when it went down";
  EXPECT_EQ(links[3].link, "before");
  EXPECT_EQ(links[3].share, 0);
}

TEST(UtilizationTest, LinksThatWereDownInAnIntervalThatEndedBeforeItWasObserved) {
  const rdma::FabricUse begin{.time = kWindow, .kinds = {}, .stations = {}, .cores = {}};
  const rdma::FabricUse end{.time = 100 * kWindow,
                            .kinds = {},
                            .stations = {},
                            .cores = {},
                            .outages = {{"up", kWindow + kWindow / 2, 5 * kWindow},
                                        {"up", 6 * kWindow, 7 * kWindow},
                                        {"after", 3 * kWindow, 4 * kWindow}}};
  const std::vector<LinkDown> links = links_down(begin, end, 2 * kWindow);
  ASSERT_EQ(links.size(), 1U);
  EXPECT_EQ(links[0].link, "up");
  EXPECT_EQ(links[0].times, 1U);
  EXPECT_NEAR(links[0].share, 0.5, 1e-9);
}

TEST(UtilizationTest, OfNoTimeThereIsNone) {
  const rdma::FabricUse now{
      .time = kWindow, .kinds = {}, .stations = {}, .cores = {core(0, kWindow, 0, 0)}};
  EXPECT_TRUE(utilization_between(Places(), now, now).empty());
  EXPECT_TRUE(utilization_between(Places(), {}, {}).empty());
  const rdma::FabricUse later{.time = kWindow,
                              .kinds = {},
                              .stations = {},
                              .cores = {core(0, kWindow, 0, 0)},
                              .outages = {{"link", 0, kWindow / 2}}};
  const Utilization use = utilization_between(Places(), later, later);
  EXPECT_TRUE(use.empty());
  ASSERT_EQ(use.links_down.size(), 1U) << "what it did may last";
  EXPECT_EQ(use.links_down.front().share, 0);
}

}  // namespace
}  // namespace verbena::workloads
