// Compute servers that die: what they had told, and what they had begun, is finished by others.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "rdma/base/errors.h"
#include "rdma/base/reached_points.h"
#include "rdma/base/value_text.h"
#include "rdma/seam/crash_point.h"
#include "tests/support/test_fabric.h"
#include "tests/workloads/run/set_parameter.h"
#include "txn/registry/load_system.h"
#include "txn/system.h"
#include "workloads/registry/registry.h"
#include "workloads/run/cluster_run.h"

namespace verbena::testing {
namespace {

constexpr std::uint32_t kNodes = 6;  // three compute, two keep records, one counts
constexpr std::uint32_t kWorkers = 2;

struct Crashing {
  std::uint32_t nodes = kNodes;
  std::uint16_t fibers = 4;
  std::string workload = "smallbank";
  std::vector<std::pair<std::string, std::string>> parameters = {};  // of the workload
  std::uint64_t seed = 1;
  std::string point = {};  // none dies
  std::uint64_t count = 1;
  NodeId node{1};
  std::string second_point = {};  // only one dies
  std::uint64_t second_count = 1;
  NodeId second_node{2};
  std::uint32_t journal_bytes = 0;
  std::uint32_t extent_records = 0;
  Nanoseconds heartbeat = 10 * kMicrosecond;
  Nanoseconds suspect_after = 200 * kMicrosecond;
  std::string jitter_ns = "500";
  Nanoseconds late = 800 * kMicrosecond;  // see rdma::CrashPoint
  Nanoseconds patience = 30 * kMillisecond;
  Nanoseconds duration = kMillisecond;
  std::string rc_loss = "0";
  ReachedPoints* reached = nullptr;
};

workloads::RunResult run_crashing(const Crashing& asked) {
  FabricShape shape{.nodes = asked.nodes, .workers = kWorkers, .seed = asked.seed, .chaos = true};
  shape.overrides = {{"fabric.chaos_jitter_ns", asked.jitter_ns},
                     {"fabric.rc_loss", asked.rc_loss}};
  const auto fabric = make_fabric(shape);
  const auto factory = workloads::workload_factory(asked.workload);
  const auto system = txn::load_system("nam");
  set_parameter(*system, "stable_snapshots", "true");
  set_parameter(*system, "journals", "2");
  set_parameter(*system, "journal_bytes", std::to_string(asked.journal_bytes));
  set_parameter(*system, "extent_records", std::to_string(asked.extent_records));
  set_parameter(*system, "heartbeat", format_duration(asked.heartbeat));
  set_parameter(*system, "suspect_after", format_duration(asked.suspect_after));
  const std::uint32_t partitions =
      system->place({.nodes = asked.nodes, .replicas = 1}).partitions();
  for (const auto& [name, value] : factory->info().small_tables) {
    set_parameter(*factory, name, name == "warehouses" ? std::to_string(partitions) : value);
  }
  for (const auto& [name, value] : asked.parameters) set_parameter(*factory, name, value);
  const auto workload = factory->make({.partitions = partitions, .workers = kWorkers});
  std::array<rdma::CrashPoint, 2> crashes;
  crashes[0].node = asked.node;
  crashes[0].point = asked.point;
  crashes[0].count = asked.count;
  crashes[1].node = asked.second_node;
  crashes[1].point = asked.second_point;
  crashes[1].count = asked.second_count;
  // Requests that the dead had sent may arrive long after the others have finished their
  // transactions.
  for (rdma::CrashPoint& crash : crashes) crash.late = asked.late;
  workloads::RunOptions options;
  options.endpoint = options_for(shape);
  if (asked.rc_loss != "0") options.endpoint.rc_timeout_exponent = 6;  // 262 us
  options.fibers = asked.fibers;
  options.replicas = 1;
  options.duration = asked.duration;
  options.seed = asked.seed;
  options.patience = asked.patience;
  options.check_history = true;
  for (rdma::CrashPoint& crash : crashes) {
    if (!crash.point.empty()) options.crashes.push_back(&crash);
  }
  options.reached = asked.reached;
  return workloads::ClusterRun(*fabric, *workload, *system, options).run();
}

std::string first_error(const workloads::RunResult& result) {
  if (!result.verification.checked) return "was not verified";
  return result.verification.ok() ? anomaly_text(result.anomaly) : result.verification.errors[0];
}

TEST(NamJournals, ChangeNothingOfWhatIsPromised) {
  for (const std::string workload : {"smallbank", "stress", "tpcc"}) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      const auto result = run_crashing({.workload = workload, .seed = seed});
      EXPECT_EQ(first_error(result), "") << workload << ", seed " << seed;
      EXPECT_GT(result.committed_total, 20U) << workload << ", seed " << seed;
      EXPECT_TRUE(result.lost.empty()) << workload << ", seed " << seed;
    }
  }
}

TEST(NamJournals, GoAround) {
  ReachedPoints reached;
  const auto result = run_crashing({.journal_bytes = 1500, .heartbeat = 0, .reached = &reached});
  EXPECT_EQ(first_error(result), "");
  EXPECT_TRUE(reached.points().contains("nam: journal goes around"));
}

class NamRecovery : public ::testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Points, NamRecovery,
                         ::testing::Values("nam: about to lock", "nam: all locks held",
                                           "nam: journal written",
                                           "nam: new versions are being written",
                                           "nam: new versions installed", "nam: commit published"));

void expect_recovered(const Crashing& asked) {
  const auto result = run_crashing(asked);
  const std::string where =
      asked.workload + " " + asked.point + ", seed " + std::to_string(asked.seed);
  EXPECT_EQ(first_error(result), "") << where;
  EXPECT_EQ(result.lost, std::vector<NodeId>{asked.node}) << where;
  EXPECT_GT(result.committed_total, 0U) << where;
}

TEST_P(NamRecovery, KeepsWhatWasToldAndLeavesNoLock) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    expect_recovered({.seed = seed, .point = GetParam(), .count = 5 + seed * 3 % 40});
  }
}

TEST_P(NamRecovery, KeepsTheConditionsOfTpcc) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    expect_recovered(
        {.workload = "tpcc", .seed = seed, .point = GetParam(), .count = 1 + seed % 7});
  }
}

// Records are inserted and erased, ranges scanned.
TEST_P(NamRecovery, KeepsKeysAndRanges) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    expect_recovered(
        {.workload = "stress", .seed = seed, .point = GetParam(), .count = 1 + seed % 9});
  }
}

TEST(NamRecoveryOf, EveryComputeServer) {
  for (const NodeId node : {NodeId{0}, NodeId{1}, NodeId{2}}) {
    expect_recovered({.seed = 3, .point = "nam: journal written", .count = 9, .node = node});
  }
}

// Runs came to all that a recovery may have to do.
TEST(NamRecoveryOf, TransactionsInAllStates) {
  ReachedPoints reached;
  for (const char* point :
       {"nam: all locks held", "nam: journal written", "nam: new versions are being written"}) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      run_crashing({.workload = "tpcc", .seed = seed, .point = point, .reached = &reached});
    }
  }
  for (const char* point : {"nam: lock of a dead server released",
                            "nam: transaction of a dead server rolled forward"}) {
    EXPECT_TRUE(reached.points().contains(point)) << point;
  }
}

// Entries that were allocated to them can be used by others.
TEST(NamRecoveryOf, ExtentsOfTheDead) {
  ReachedPoints reached;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    expect_recovered({.workload = "tpcc",
                      .seed = seed,
                      .point = "nam: journal written",
                      .extent_records = 4,
                      .reached = &reached});
  }
  EXPECT_TRUE(reached.points().contains("nam: entry that was allocated to a dead server freed"));
}

// Lines of a WRITE take effect so far apart that the fence comes in between.
TEST(NamRecoveryOf, RecordsThatWereWrittenInParts) {
  ReachedPoints reached;
  for (std::uint64_t seed = 1; seed <= 120; ++seed) {
    expect_recovered({.workload = "ycsb",
                      .parameters = {{"core", "F"}, {"field_count", "20"}},
                      .seed = seed,
                      .point = "nam: new versions are being written",
                      .count = 1 + seed % 5,
                      .heartbeat = 50 * kMicrosecond,
                      .suspect_after = 600 * kMicrosecond,
                      .jitter_ns = "40000",
                      .late = 700 * kMicrosecond,
                      .patience = kSecond,
                      .reached = &reached});
  }
  EXPECT_TRUE(reached.points().contains("nam: record of a dead server was written in parts"));
}

// A NIC sends what was lost again after 262 us only, unless something comes behind it.
TEST(NamRecoveryOf, HardlyAnybodyWhoseBeatsAreLost) {
  std::uint64_t suspected = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    try {
      const auto result = run_crashing({.seed = seed,
                                        .heartbeat = 50 * kMicrosecond,
                                        .suspect_after = 350 * kMicrosecond,
                                        .patience = kSecond,
                                        .duration = 10 * kMillisecond,
                                        .rc_loss = "0.03"});
      EXPECT_EQ(first_error(result), "") << "seed " << seed;
    } catch (const PeerMissing&) {
      ++suspected;  // it is shut out, and finds so
    }
  }
  EXPECT_LT(suspected, 15U);
}

// Which of these two the other one watched, or who was to finish whose transactions, is drawn by
// when they come to their points.
TEST(NamRecoveryOf, TwoComputeServersAtOnce) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const Crashing asked{.seed = seed,
                         .point = "nam: new versions are being written",
                         .count = 5 + seed * 3 % 20,
                         .node = static_cast<NodeId>(seed % 3),
                         .second_point = "nam: all locks held",
                         .second_count = 10 + seed * 5 % 40,
                         .second_node = static_cast<NodeId>((seed + 1 + seed / 3 % 2) % 3)};
    const auto result = run_crashing(asked);
    EXPECT_EQ(first_error(result), "") << "seed " << seed;
    EXPECT_EQ(result.lost.size(), 2U) << "seed " << seed;
  }
}

// The one behind it in the ring takes care of both.
TEST(NamRecoveryOf, AMonitorThatDiesBeforeItsRecovery) {
  for (const char* point : {"nam: compute server is silent for too long",
                            "nam: transactions of a dead server are finished",
                            "nam: transaction of a dead server rolled forward"}) {
    std::uint64_t died = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const auto result = run_crashing({.seed = seed,
                                        .point = "nam: journal written",
                                        .count = 5 + seed * 3 % 40,
                                        .node = NodeId{0},
                                        .second_point = point,
                                        .second_node = NodeId{1}});
      EXPECT_EQ(first_error(result), "") << point << ", seed " << seed;
      if (result.lost.size() == 2) ++died;
    }
    EXPECT_GT(died, 5U) << point;
  }
}

// All transactions have ended by then but those of the first to die, and nobody waits for these.
TEST(NamRecoveryOf, AMonitorThatDiesInItsRecoveryWhenNothingElseIsLeft) {
  for (const char* point : {"nam: transactions of a dead server are finished",
                            "nam: transaction of a dead server rolled forward"}) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      const auto result = run_crashing({.fibers = 1,
                                        .seed = seed,
                                        .point = "nam: new versions are being written",
                                        .node = NodeId{0},
                                        .second_point = point,
                                        .second_node = NodeId{1},
                                        .suspect_after = 3 * kMillisecond,
                                        .duration = 50 * kMicrosecond});
      EXPECT_EQ(first_error(result), "") << point << ", seed " << seed;
      EXPECT_EQ(result.lost, (std::vector<NodeId>{NodeId{0}, NodeId{1}}))
          << point << ", seed " << seed;
    }
  }
}

// A recovery with many journals to read takes longer than servers may be silent, and the one behind
// both does not know yet that it is watched by another now.
TEST(NamRecoveryOf, TwoNeighboursWhileOthersLive) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto result = run_crashing({.nodes = 8,
                                      .fibers = 60,
                                      .seed = seed,
                                      .point = "nam: journal written",
                                      .count = 40,
                                      .node = NodeId{2},
                                      .second_point = "nam: journal written",
                                      .second_count = 20 + 3 * seed,
                                      .second_node = NodeId{1},
                                      .suspect_after = 150 * kMicrosecond,
                                      .late = 100 * kMicrosecond,
                                      .duration = 2 * kMillisecond});
    EXPECT_EQ(first_error(result), "") << "seed " << seed;
    EXPECT_EQ(result.lost, (std::vector<NodeId>{NodeId{1}, NodeId{2}})) << "seed " << seed;
  }
}

TEST(NamRecoveryOf, RefusesWhatCannotWork) {
  const auto error = [](const std::function<void(txn::System&)>& change) -> std::string {
    const auto system = txn::load_system("nam");
    change(*system);
    try {
      system->place({.nodes = kNodes, .replicas = 1});
    } catch (const ConfigurationError& refused) {
      return refused.what();
    }
    return "";
  };
  const auto journals = [](std::uint32_t copies) {
    return [copies](txn::System& system) {
      set_parameter(system, "journals", std::to_string(copies));
    };
  };
  EXPECT_EQ(error(journals(0)), "");
  EXPECT_NE(error(journals(1)).find("nam.journals 1; allowed are 0, and from 2 on"),
            std::string::npos);
  EXPECT_EQ(error(journals(2)), "");
  EXPECT_NE(error(journals(3)).find("nam.journals 3; allowed are at most as many as memory"),
            std::string::npos);
  EXPECT_NE(error([](txn::System& system) {
              set_parameter(system, "heartbeat", "1us");
            }).find("nam.heartbeat 1us; allowed is 0, or nam.journals"),
            std::string::npos);
  EXPECT_NE(error([](txn::System& system) {
              set_parameter(system, "journals", "2");
              set_parameter(system, "heartbeat", "1s");
            }).find("nam.suspect_after 10ms; allowed is at least twice"),
            std::string::npos);
}

}  // namespace
}  // namespace verbena::testing
