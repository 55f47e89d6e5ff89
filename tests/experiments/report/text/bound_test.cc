// Which resource is named for what was measured.
#include "experiments/report/text/bound.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <optional>
#include <string>

#include "rdma/seam/work.h"
#include "txn/view.h"

namespace verbena::experiments {
namespace {

using workloads::StationsUse;

/// 100 operations in flight, of 10 us each, on 8 cores that work a third of the time.
Measurement idle() {
  Measurement measurement;
  measurement.throughput_per_s = 1e7;
  measurement.committed = 10'000;
  for (int i = 0; i < 10'000; ++i) measurement.latency.record(10'000_ns);
  measurement.aborted = {{"lock_conflict", 0}, {"rolled_back", 0}};
  measurement.utilization.cores = {
      .count = 8, .waiting = 0.66, .mean = 0.33, .most = 0.35, .busiest = "node 1, worker 0"};
  return measurement;
}

StationsUse saturated(const std::string& kind, double busy, double held, std::uint32_t how_many,
                      std::uint32_t of) {
  return {.kind = kind,
          .count = of,
          .mean = busy * how_many / of,
          .most = busy,
          .busiest = "node 3",
          .waiting = held,
          .saturated = how_many,
          .saturated_mean = busy,
          .at_saturated = held};
}

TEST(BoundTest, WithoutAnythingSaturatedItIsLatency) {
  const auto bound = bound_of(idle());
  ASSERT_TRUE(bound);
  EXPECT_EQ(bound->by, "latency");
  EXPECT_NE(bound->text.find("100.0 operations in flight take 10.00 us each"), std::string::npos)
      << bound->text;
}

workloads::LinkDown uplink(double share, std::optional<Nanoseconds> until) {
  return {.link = "uplink", .times = 1, .from = 5 * kMillisecond, .until = until, .share = share};
}

TEST(BoundTest, AnOutageOfALinkIsNamedByLinkAndTime) {
  Measurement measurement = idle();
  measurement.seconds = 1e-2;
  measurement.utilization.links_down = {uplink(0.4, 7 * kMillisecond)};
  const auto bound = bound_of(measurement);
  EXPECT_EQ(bound->by, "outage");
  EXPECT_EQ(bound->busiest, "uplink");
  EXPECT_EQ(bound->text,
            "outage: link uplink was down from 5ms until 7ms by the simulation's clock, for 4.00 "
            "ms of the measured 10.0 ms");
}

TEST(BoundTest, AnOutageInWhichNothingCommitsIsToldAsWell) {
  Measurement measurement = idle();
  measurement.seconds = 1e-2;
  measurement.committed = 0;
  EXPECT_FALSE(bound_of(measurement));
  measurement.utilization.links_down = {uplink(1, {}), {.link = "other", .times = 2, .share = 0.1}};
  EXPECT_EQ(bound_of(measurement)->text,
            "outage: link uplink is down since 5ms by the simulation's clock, for 10.0 ms of the "
            "measured 10.0 ms; 1 other link was down, too");
}

TEST(BoundTest, AnOutageBeforeTheMeasuredTimeIsNamedWhereItIsFeltStill) {
  Measurement measurement = idle();
  measurement.seconds = 1e-2;
  measurement.utilization.links_down = {uplink(0, 7 * kMillisecond)};
  measurement.committed = 0;
  EXPECT_EQ(bound_of(measurement)->by, "outage") << "nothing was committed";
  measurement.committed = 15;
  EXPECT_EQ(bound_of(measurement)->by, "latency") << "so few that throughput is not known";
  measurement.precision.stalled = 2 * kMillisecond;
  EXPECT_EQ(bound_of(measurement)->by, "outage");
  measurement.precision.stalled = 0;
  EXPECT_EQ(bound_of(measurement)->text.find("uplink"), std::string::npos);
}

TEST(BoundTest, AnOutageThatHindersLittleIsMentioned) {
  Measurement measurement = idle();
  measurement.seconds = 1e-2;
  measurement.precision.throughput_per_s =
      workloads::JudgedMean{.estimate = {.mean = 1e7, .half_width = 1e5}};
  measurement.utilization.links_down = {uplink(0.01, 5'100'000_ns)};
  auto bound = bound_of(measurement);
  EXPECT_EQ(bound->by, "latency");
  EXPECT_TRUE(
      bound->text.ends_with("; link uplink was down from 5ms until 5100us by the simulation's "
                            "clock, for 100 us of the measured 10.0 ms"))
      << bound->text;
  measurement.precision.stalled = kMillisecond;
  EXPECT_EQ(bound_of(measurement)->by, "outage") << "what it did lasted for longer";
  measurement.utilization.stations = {saturated("ports", 0.99, 60, 16, 16)};
  EXPECT_EQ(bound_of(measurement)->by, "ports");
}

TEST(BoundTest, WhereTheFabricDoesNotTellNothingIsSaid) {
  Measurement measurement = idle();
  measurement.utilization = {};
  EXPECT_FALSE(bound_of(measurement));
}

TEST(BoundTest, OneBusyStationAtWhichOperationsWaitIsTheBoundOfAll) {
  Measurement measurement = idle();
  measurement.utilization.stations = {saturated("processing units", 0.97, 60, 1, 16)};
  const auto bound = bound_of(measurement);
  EXPECT_EQ(bound->by, "processing units");
  EXPECT_NE(bound->text.find("that of node 3 is 97.0 % busy, the mean of all 16 6.1 %"),
            std::string::npos)
      << bound->text;
}

TEST(BoundTest, OneBusyStationWithFewOperationsIsNot) {
  Measurement measurement = idle();
  measurement.utilization.stations = {saturated("atomic slots", 0.8, 2, 1, 512)};
  EXPECT_EQ(bound_of(measurement)->by, "latency");
  measurement.utilization.stations = {saturated("atomic slots", 0.99, 2, 1, 512)};
  EXPECT_EQ(bound_of(measurement)->by, "atomic slots") << "others wait in their queue pairs";
}

TEST(BoundTest, OneBusyCoreOfManyIsNot) {
  Measurement measurement = idle();
  measurement.utilization.cores.count = 100;
  measurement.utilization.cores.saturated = 1;
  measurement.utilization.cores.saturated_mean = 0.9;
  EXPECT_EQ(bound_of(measurement)->by, "latency");
  measurement.utilization.cores.completions = 30;
  EXPECT_EQ(bound_of(measurement)->by, "worker cores") << "others wait for what it does";
}

TEST(BoundTest, OfTwoSaturatedResourcesTheBusierIsTheBound) {
  Measurement measurement = idle();
  measurement.utilization.cores.saturated = 8;
  measurement.utilization.cores.saturated_mean = 0.98;
  measurement.utilization.cores.completions = 20;
  measurement.utilization.stations = {saturated("PCIe to host", 0.8, 30, 4, 4)};
  EXPECT_EQ(bound_of(measurement)->by, "worker cores");
  measurement.utilization.stations = {saturated("PCIe to host", 0.99, 70, 4, 4)};
  EXPECT_EQ(bound_of(measurement)->by, "PCIe to host") << "equally busy: where more wait";
}

// Verbs are counted where they are, and operations everywhere.
TEST(BoundTest, TellsWhatIsAtTheBoundForEachOperationInFlight) {
  Measurement measurement = idle();
  measurement.utilization.stations = {saturated("PCIe to host", 0.99, 70, 4, 4)};
  EXPECT_EQ(bound_of(measurement)->text,
            "PCIe to host: all 4 are 99.0 % busy (the busiest is node 3, 99.0 %); 70.0 verbs, "
            "replies and acknowledgements are served or wait there on average, 0.70 for each of "
            "the 100.0 operations in flight");
  measurement.utilization.stations = {saturated("processing units", 0.97, 250, 1, 16)};
  EXPECT_EQ(bound_of(measurement)->text,
            "processing units: that of node 3 is 97.0 % busy, the mean of all 16 6.1 %; 250.0 "
            "verbs, replies and acknowledgements are served or wait there on average, 2.50 for "
            "each of the 100.0 operations in flight");
}

TEST(BoundTest, ForLocksCoresWait) {
  Measurement measurement = idle();
  measurement.utilization.stations = {saturated("doorbell locks", 1, 7, 1, 1)};
  EXPECT_EQ(bound_of(measurement)->by, "latency");
  measurement.utilization.cores.shares[static_cast<std::size_t>(rdma::Activity::kLocks)] = 0.8;
  const auto bound = bound_of(measurement);
  EXPECT_EQ(bound->by, "doorbell locks");
  EXPECT_NE(bound->text.find("cores spend 80.0 % of their time there"), std::string::npos);
}

TEST(BoundTest, WhatCoresWaitForEachOthersCacheLinesIsTold) {
  Measurement measurement = idle();
  measurement.utilization.cores.saturated = 8;
  measurement.utilization.cores.saturated_mean = 0.98;
  measurement.utilization.cores.completions = 20;
  EXPECT_EQ(bound_of(measurement)->text.find("cache lines"), std::string::npos);
  measurement.utilization.cores.shares[static_cast<std::size_t>(rdma::Activity::kSharing)] = 0.9;
  const auto bound = bound_of(measurement);
  EXPECT_EQ(bound->by, "worker cores");
  EXPECT_NE(bound->text.find("; 90.0 % of it for cache lines that other cores have changed"),
            std::string::npos)
      << bound->text;
}

TEST(BoundTest, ACableAsFastAsThePortBeforeItIsNotBlamed) {
  Measurement measurement = idle();
  measurement.utilization.stations = {saturated("ports", 0.99, 40, 4, 4),
                                      saturated("links", 0.99, 70, 8, 8)};
  EXPECT_EQ(bound_of(measurement)->by, "ports");
}

TEST(BoundTest, MissesAreToldWhereTheyCauseTheWork) {
  Measurement measurement = idle();
  measurement.nic_counters = {{"qp_cache_hits", 100}, {"qp_cache_misses", 300}};
  measurement.utilization.stations = {saturated("PCIe from host", 0.99, 70, 4, 4)};
  EXPECT_EQ(bound_of(measurement)->text.find("NICs' caches"), std::string::npos);
  measurement.utilization.stations.front().for_miss = 0.6;
  EXPECT_NE(
      bound_of(measurement)
          ->text.find(
              "60 % of that is for misses in NICs' caches (of queue pairs 75.0 % of look-ups)"),
      std::string::npos);
}

// A transaction that is rolled back is done, and was in flight until then.
TEST(BoundTest, WhatIsRolledBackHasEndedToo) {
  Measurement measurement = idle();
  measurement.seconds = 0.001;
  measurement.rolled_back = 2'000;
  measurement.rolling_back = 2'000 * 5'000_ns;  // it neither logs nor writes
  EXPECT_NE(bound_of(measurement)->text.find("110.0 operations in flight take 9.17 us each"),
            std::string::npos)
      << bound_of(measurement)->text;
  measurement.offered_per_s = 1.2e7;
  EXPECT_EQ(bound_of(measurement)->by, "offered rate");
  measurement.rolled_back = 0;
  EXPECT_NE(bound_of(measurement)->by, "offered rate");
}

TEST(BoundTest, WhereTransactionsMostlyTryAgainItIsConflicts) {
  Measurement measurement = idle();
  measurement.aborted = {{"lock_conflict", 30'000}, {"rolled_back", 10}};
  measurement.utilization.stations = {saturated("atomic slots", 0.99, 70, 1, 1)};
  measurement.retrying = 10'000 * 4'000_ns;
  EXPECT_EQ(bound_of(measurement)->by, "atomic slots");
  measurement.retrying = 10'000 * 6'000_ns;
  const auto bound = bound_of(measurement);
  EXPECT_EQ(bound->by, "conflicts");
  EXPECT_NE(bound->text.find("60.0 %"), std::string::npos) << bound->text;
  EXPECT_NE(bound->text.find("3.00 a commit, most by lock_conflict"), std::string::npos)
      << bound->text;
}

/// The same with two compute servers of 8 cores, two memory servers of one each, and the oracle.
Measurement idle_with_roles() {
  Measurement measurement = idle();
  workloads::CoresUse few = measurement.utilization.cores;
  few.count = 2;
  few.mean = 0.05;
  few.most = 0.08;
  few.busiest = "node 3, worker 0";
  measurement.utilization.cores.count = 19;
  const workloads::CoresUse many = {
      .count = 16, .mean = 0.4, .most = 0.45, .busiest = "node 1, worker 0"};
  const workloads::CoresUse one = {.count = 1, .busiest = "node 4, worker 0"};
  measurement.utilization.roles = {
      {.role = txn::Role::kCompute, .nodes = 2, .stations = {}, .cores = many},
      {.role = txn::Role::kMemory, .nodes = 2, .stations = {}, .cores = few},
      {.role = txn::Role::kOracle, .nodes = 1, .stations = {}, .cores = one}};
  return measurement;
}

void add_stations(Measurement& measurement, std::size_t role, const StationsUse& stations) {
  measurement.utilization.roles[role].stations.push_back(stations);
  measurement.utilization.stations.push_back(stations);
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(BoundTest, OfNodesWithRolesItIsLatencyWithTheCoresOfEach) {
  Measurement measurement = idle_with_roles();
  add_stations(measurement, 1,
               {.kind = "ports", .count = 4, .mean = 0.3, .most = 0.4, .busiest = "node 2"});
  const auto bound = bound_of(measurement);
  EXPECT_EQ(bound->by, "latency");
  EXPECT_EQ(bound->role, "");
  EXPECT_TRUE(has(bound->text,
                  "cores of compute servers work 40.0 % of the time (the busiest 45.0 %), of "
                  "memory servers 5.0 % (the busiest 8.0 %), of the oracle 0.0 % (the busiest 0.0 "
                  "%), ports of memory servers at most 40.0 %"))
      << bound->text;
}

TEST(BoundTest, NamesTheRoleAndTheNodeWhoseStationsAreSaturated) {
  Measurement measurement = idle_with_roles();
  add_stations(measurement, 0, saturated("ports", 0.3, 1, 0, 4));
  add_stations(measurement, 1, saturated("ports", 0.97, 60, 2, 4));
  const auto bound = bound_of(measurement);
  EXPECT_EQ(bound->by, "ports");
  EXPECT_EQ(bound->role, "memory");
  EXPECT_EQ(bound->busiest, "node 3");
  EXPECT_TRUE(
      has(bound->text, "ports of memory servers: 2 of 4 are 97.0 % busy (the busiest is node 3"))
      << bound->text;
}

TEST(BoundTest, ComputingCoresAreWeighedAmongThemselves) {
  Measurement measurement = idle_with_roles();
  workloads::CoresUse& cores = measurement.utilization.roles[0].cores;
  cores.saturated = 1;  // of 16: more than a twentieth, and of all 19 too
  cores.saturated_mean = 0.9;
  cores.most = 0.9;
  const auto bound = bound_of(measurement);
  EXPECT_EQ(bound->by, "worker cores");
  EXPECT_EQ(bound->role, "compute");
  EXPECT_EQ(bound->busiest, "node 1, worker 0");
  EXPECT_TRUE(has(bound->text, "worker cores of compute servers: 1 of 16 work 90.0 %"))
      << bound->text;
}

TEST(BoundTest, ACoreThatServesIsTheBoundOnlyWhereOperationsAreThere) {
  Measurement measurement = idle_with_roles();
  workloads::CoresUse& cores = measurement.utilization.roles[2].cores;
  cores.saturated = 1;
  cores.saturated_mean = cores.most = 0.99;
  EXPECT_EQ(bound_of(measurement)->by, "latency") << "it is busy with something of its own";
  cores.completions = 30;
  const auto bound = bound_of(measurement);
  EXPECT_EQ(bound->by, "worker cores");
  EXPECT_EQ(bound->role, "oracle");
  EXPECT_EQ(bound->text,
            "worker cores of the oracle: that of node 4, worker 0 works 99.0 % of the time");
}

TEST(BoundTest, CablesAreOfNoRole) {
  Measurement measurement = idle_with_roles();
  measurement.utilization.stations = {saturated("links", 0.99, 70, 2, 10)};
  const auto bound = bound_of(measurement);
  EXPECT_EQ(bound->by, "links");
  EXPECT_EQ(bound->role, "");
}

}  // namespace
}  // namespace verbena::experiments
