// Runs that seeds stand for.
#include "experiments/hunt/draw/draw.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "rdma/base/errors.h"
#include "txn/registry/load_system.h"
#include "workloads/registry/registry.h"

namespace verbena::experiments {
namespace {

HuntGround everything() {
  return {.systems = txn::system_names(), .workloads = workloads::workload_names(), .sets = {}};
}

TEST(HuntDraw, EqualSeedsAreEqualRuns) {
  const HuntGround ground = everything();
  std::set<std::string> lines;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    EXPECT_EQ(draw_run(seed, ground).command_line(), draw_run(seed, ground).command_line());
    lines.insert(draw_run(seed, ground).command_line());
  }
  EXPECT_EQ(lines.size(), 100U);
}

TEST(HuntDraw, AnotherDrawOfASeedIsAnotherRunOfIt) {
  const HuntedRun first = draw_run(7, everything());
  const HuntedRun second = draw_run(7, everything(), 1);
  EXPECT_EQ(second.seed, 7U);
  EXPECT_NE(second.settings, first.settings);
  EXPECT_EQ(second.settings, draw_run(7, everything(), 1).settings);
}

TEST(HuntDraw, ComesByAllSystemsWorkloadsAndWaysOfTheFabric) {
  const HuntGround ground = everything();
  std::set<std::string> systems;
  std::set<std::string> workloads;
  std::set<std::string> transports;
  std::set<std::string> chaos;
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    const HuntedRun run = draw_run(seed, ground);
    systems.insert(run.value_of("system"));
    workloads.insert(run.value_of("workload"));
    transports.insert(run.value_of("rdma.rpc_transport"));
    chaos.insert(run.value_of("chaos"));
  }
  EXPECT_EQ(systems.size(), ground.systems.size());
  EXPECT_EQ(workloads.size(), ground.workloads.size());
  EXPECT_EQ(transports, (std::set<std::string>{"", "write-ring"}));
  EXPECT_EQ(chaos, (std::set<std::string>{"", "true"}));
}

TEST(HuntDraw, OrderNumbersAreDrawnWhereSystemsCan) {
  const HuntGround ground = everything();
  std::set<std::string> drawn;
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    const HuntedRun run = draw_run(seed, ground);
    if (run.value_of("workload.next_order").empty()) continue;
    drawn.insert(run.value_of("workload"));
    EXPECT_TRUE(txn::load_system(run.value_of("system"))->info().draws);
  }
  EXPECT_EQ(drawn, (std::set<std::string>{"tpcc", "tpcc-no"}));
}

// A protocol says where it is registered what hunts are to draw for its systems.
TEST(HuntDraw, DrawsTheSettingsOfEverySystemThatIsRegistered) {
  const HuntGround ground = everything();
  for (const std::string& system : txn::system_names()) {
    const HuntGround alone{.systems = {system}, .workloads = ground.workloads, .sets = {}};
    std::set<std::string> sections;
    for (txn::ParameterSection& section : txn::load_system(system)->parameters()) {
      sections.insert(section.name + ".");
    }
    std::set<std::string> drawn;
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
      for (const HuntedSetting& setting : draw_run(seed, alone).settings) {
        drawn.insert(setting.key.substr(0, setting.key.find('.') + 1));
      }
    }
    for (const std::string& section : sections) {
      EXPECT_TRUE(drawn.contains(section)) << system << " has settings " << section;
    }
  }
}

// Runs that are refused find nothing.
TEST(HuntDraw, SystemsWithoutScansAreToScanNothing) {
  const HuntGround ground{
      .systems = {"prism-tx"}, .workloads = workloads::workload_names(), .sets = {}};
  std::map<std::string, int> drawn;
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    const HuntedRun run = draw_run(seed, ground);
    EXPECT_NE(run.value_of("workload"), "tpcc") << "seed " << seed;
    if (run.value_of("workload") == "stress") {
      EXPECT_EQ(run.value_of("workload.scan_percent"), "0") << "seed " << seed;
    }
    for (const char* key : {"tx.prepare", "tx.merge_rmw", "tx.clock_skew", "tx.abort",
                            "prism.servers", "workload.update"}) {
      if (!run.value_of(key).empty()) ++drawn[key];
    }
  }
  EXPECT_EQ(drawn.size(), 6U);
  for (const auto& [key, count] : drawn) EXPECT_GE(count, 10) << key;
}

// A fifth of the runs or so. Who is alive is not silent for so long.
TEST(HuntDraw, ClientsOfPrismsServersDie) {
  for (const char* system : {"pilaf", "prism-kv", "prism-tx"}) {
    const HuntGround ground{
        .systems = {system}, .workloads = workloads::workload_names(), .sets = {}};
    std::map<std::string, int> points;
    int died = 0;
    int died_where_packets_are_lost = 0;
    for (std::uint64_t seed = 1; seed <= 500; ++seed) {
      const HuntedRun run = draw_run(seed, ground);
      const bool lossy =
          !run.value_of("fabric.ud_loss").empty() || !run.value_of("fabric.rc_loss").empty();
      const std::string silence = run.value_of("prism.suspect_after");
      EXPECT_EQ(lossy, silence == "4s" || silence == "20s") << "seed " << seed;
      const bool late = run.value_of("rdma.rpc_max_timeout") == "10ms";
      EXPECT_FALSE(late && (silence == "10ms" || silence == "20ms")) << "seed " << seed;
      if (run.value_of("faults.kill_at").empty()) continue;
      ++died;
      died_where_packets_are_lost += lossy ? 1 : 0;
      ++points[run.value_of("faults.kill_at")];
      EXPECT_LT(std::stoul(run.value_of("faults.kill_node")), std::stoul(run.value_of("nodes")))
          << "seed " << seed;
      EXPECT_FALSE(run.value_of("prism.suspect_after").empty()) << "seed " << seed;
    }
    EXPECT_GT(died, 50) << system;
    EXPECT_LT(died, 150) << system;
    EXPECT_GE(died_where_packets_are_lost, 5) << system;
    EXPECT_EQ(points.size(), std::string(system) == "prism-tx" ? 5U : 2U) << system;
  }
}

// A market feed that lost all races committed after 200 ms and a little more.
TEST(HuntDraw, ChainsOfDozensOfOperationsAreWaitedFor) {
  const HuntGround ground{.systems = {"prism-tx"}, .workloads = {"tpce-cp"}, .sets = {}};
  int feeds = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const HuntedRun run = draw_run(seed, ground);
    if (run.value_of("workload.market_feed_percent").empty()) continue;
    if (run.value_of("fabric.chaos_interrupt_ns").empty()) continue;
    EXPECT_NE(run.value_of("rdma.drain_timeout"), "200ms") << "seed " << seed;
    ++feeds;
  }
  EXPECT_GT(feeds, 20);
}

// Code that needs a crash, a journal or a checkpoint would never be tried otherwise.
TEST(HuntDraw, NodesOfNamDieAndItsClustersBeginAgain) {
  const HuntGround ground{.systems = {"nam"}, .workloads = workloads::workload_names(), .sets = {}};
  std::map<std::string, int> drawn;
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    const HuntedRun run = draw_run(seed, ground);
    for (const char* key : {"nam.journals", "nam.journal_bytes", "nam.heartbeat", "faults.kill_at",
                            "faults.second_at", "faults.restore", "nam.own_by_nic"}) {
      if (!run.value_of(key).empty()) ++drawn[key];
    }
    const bool dies = !run.value_of("faults.kill_at").empty();
    const bool goes_on = !run.value_of("nam.heartbeat").empty();
    EXPECT_TRUE(!dies || goes_on || !run.value_of("faults.restore").empty())
        << "seed " << seed << ": nobody goes on without the node";
    EXPECT_TRUE(!goes_on || !run.value_of("nam.journals").empty()) << "seed " << seed;
  }
  EXPECT_EQ(drawn.size(), 7U);
  for (const auto& [key, count] : drawn) EXPECT_GE(count, 20) << key;
}

// Else those that are alive would be shut out.
TEST(HuntDraw, ServersAreSilentForLongWherePacketsAreLost) {
  HuntGround ground{.systems = {"nam"}, .workloads = {"stress"}, .sets = {}};
  ground.sets = {{.key = "fabric.rc_loss", .value = "0.01", .place = "--set"}};
  int watched = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const HuntedRun run = draw_run(seed, ground);
    if (run.value_of("nam.heartbeat").empty()) continue;
    EXPECT_EQ(run.value_of("nam.suspect_after"), "190ms") << "seed " << seed;
    ++watched;
  }
  EXPECT_GT(watched, 10);
}

// One fiber takes them for all; where its core is interrupted all the while they are milliseconds
// old when they are there, and an attempt lasts as long.
TEST(HuntDraw, SnapshotsThatAreTakenLateMayGetOld) {
  const HuntGround ground{.systems = {"nam"}, .workloads = {"stress"}, .sets = {}};
  int late = 0;
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    const HuntedRun run = draw_run(seed, ground);
    const std::string interrupts = run.value_of("fabric.chaos_interrupt_ns");
    const bool long_ones = interrupts == "10000" || interrupts == "30000";
    const std::string limit = run.value_of("nam.longest_transaction");
    if (!long_ones || run.value_of("nam.background_snapshots").empty() || limit.empty()) continue;
    EXPECT_NE(limit, "10ms") << "seed " << seed;
    if (limit == "100ms") ++late;
  }
  EXPECT_GT(late, 10);
}

// A scan's replies alone take a millisecond there.
TEST(HuntDraw, SnapshotsMayGetOldWhereCoresAreInterruptedAllTheWhile) {
  const HuntGround ground{.systems = {"nam", "nam-naive"}, .workloads = {"stress"}, .sets = {}};
  int limited = 0;
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    const HuntedRun run = draw_run(seed, ground);
    const std::string interrupts = run.value_of("fabric.chaos_interrupt_ns");
    const std::string limit = run.value_of("nam.longest_transaction");
    if ((interrupts != "10000" && interrupts != "30000") || limit.empty()) continue;
    EXPECT_TRUE(limit != "30us" && limit != "50us" && limit != "1ms") << limit << ", seed " << seed;
    EXPECT_NE(run.value_of("run.patience"), "90ms") << "seed " << seed;
    ++limited;
  }
  EXPECT_GT(limited, 100);
}

// By a stream of its own: the last setting, which goes when it is given for all runs.
TEST(HuntDraw, CoresCarryOutTheRequestsOfAQuarterAndNothingElseChanges) {
  const HuntGround ground = everything();
  HuntGround by_nic = everything();
  by_nic.sets = {{.key = "prism", .value = "auto", .place = "--prism"}};
  int by_cores = 0;
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    const HuntedRun run = draw_run(seed, ground);
    const HuntedRun other = draw_run(seed, by_nic);
    if (run.value_of("prism") == "nic") continue;
    const bool drawn = run.value_of("prism") == "software";
    by_cores += drawn ? 1 : 0;
    // Where NAM-DB's requests are carried out by cores, servers have several of them.
    if (drawn && run.value_of("system").starts_with("nam")) continue;
    ASSERT_EQ(run.settings.size() + (drawn ? 0 : 1), other.settings.size()) << "seed " << seed;
    for (const HuntedSetting& setting : run.settings) {
      if (setting.key == "prism") continue;
      EXPECT_EQ(other.value_of(setting.key), setting.value) << "seed " << seed;
    }
  }
  EXPECT_GT(by_cores, 200);
  EXPECT_LT(by_cores, 300);
}

TEST(HuntDraw, NicsCarryOutTheChainsOfThreeQuarters) {
  const HuntGround ground{
      .systems = {"prism-kv", "prism-rs", "prism-tx"}, .workloads = {"ycsb"}, .sets = {}};
  int by_nic = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    const HuntedRun run = draw_run(seed, ground);
    if (run.value_of("prism") != "nic") continue;
    ++by_nic;
    EXPECT_EQ(run.value_of("nics-per-node"), "1") << "seed " << seed;
  }
  EXPECT_GT(by_nic, 250);
  EXPECT_LT(by_nic, 350);
}

// So that they meet in the midst of a request.
TEST(HuntDraw, CoresOfMemoryServersAreSeveralWhereTheyCarryRequestsOut) {
  HuntGround ground{.systems = {"nam"}, .workloads = workloads::workload_names(), .sets = {}};
  int by_cores = 0;
  int several = 0;
  int one_counter = 0;
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    const HuntedRun run = draw_run(seed, ground);
    if (run.value_of("prism") != "software") continue;
    ++by_cores;
    EXPECT_NE(run.value_of("threads"), "1") << "seed " << seed;
    several += run.value_of("nam.memory_workers") == run.value_of("threads") ? 1 : 0;
    one_counter += run.value_of("nam.oracle") == "counter" ? 1 : 0;
  }
  EXPECT_GT(by_cores, 150);
  EXPECT_LT(by_cores, 300);
  EXPECT_GT(several, by_cores * 3 / 4);
  EXPECT_GT(one_counter, by_cores / 3);
}

// Its parts are sent one after the other, and one of them may be late.
TEST(HuntDraw, SomeUpdatesAreLongerThanAMessageToACore) {
  HuntGround ground{.systems = {"drtmh"}, .workloads = {"stress"}, .sets = {}};
  int in_parts = 0;
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    const HuntedRun run = draw_run(seed, ground);
    if (run.value_of("workload.long_bytes") != "704") continue;
    ++in_parts;
    EXPECT_EQ(run.value_of("prism"), "software") << "seed " << seed;
    EXPECT_EQ(run.value_of("rdma.rpc_max_message_bytes"), "768") << "seed " << seed;
    EXPECT_EQ(run.value_of("rdma.rpc_transport"), "ud") << "seed " << seed;
    EXPECT_FALSE(run.value_of("fabric.ud_loss").empty()) << "seed " << seed;
  }
  EXPECT_GT(in_parts, 10);
  EXPECT_LT(in_parts, 80);
}

// For as long as others take to replace and use again what a chain has found.
TEST(HuntDraw, ChainsOfAFairShareStandStillForLongWithoutSpareBuffers) {
  for (const char* system : {"prism-kv", "prism-rs", "prism-tx"}) {
    HuntGround ground{.systems = {system}, .workloads = workloads::workload_names(), .sets = {}};
    int interrupted = 0;
    for (std::uint64_t seed = 1; seed <= 500; ++seed) {
      const HuntedRun run = draw_run(seed, ground);
      if (run.value_of("fabric.chaos_interrupt_ns") != "100000") continue;
      ++interrupted;
      EXPECT_EQ(run.value_of("chaos"), "true") << system << ", seed " << seed;
      EXPECT_EQ(run.value_of("threads"), "3") << system << ", seed " << seed;
      EXPECT_NE(run.value_of("prism.server_workers"), "1") << system << ", seed " << seed;
      EXPECT_NE(run.value_of("run.patience"), "200ms") << system << ", seed " << seed;
    }
    EXPECT_GT(interrupted, 150) << system;
    EXPECT_LT(interrupted, 250) << system;
  }
}

// A server takes them one after the other, and clients that repeat theirs sooner keep it busy for
// ever.
TEST(HuntDraw, MessagesThatTakeLongToBeWrittenAreRepeatedLater) {
  int slow = 0;
  for (const char* system : {"prism-kv", "prism-rs", "prism-tx"}) {
    const HuntGround ground{
        .systems = {system}, .workloads = workloads::workload_names(), .sets = {}};
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
      const HuntedRun run = draw_run(seed, ground);
      if (run.value_of("fabric.chaos_jitter_ns") != "30000") continue;
      ++slow;
      EXPECT_NE(run.value_of("rdma.rpc_max_timeout"), "1ms") << system << ", seed " << seed;
    }
  }
  EXPECT_GT(slow, 30);
}

// By a stream of its own. Buffers of a dead client are lost for the rest of such a run.
TEST(HuntDraw, AThirdDoesWithoutAnExtensionAndNothingElseChanges) {
  for (const char* system : {"prism-kv", "prism-rs", "prism-tx"}) {
    const HuntGround ground{
        .systems = {system}, .workloads = workloads::workload_names(), .sets = {}};
    HuntGround with_all = ground;
    with_all.sets = {{.key = "prism.without", .value = "nothing", .place = "--set"}};
    std::map<std::string, int> drawn;
    for (std::uint64_t seed = 1; seed <= 500; ++seed) {
      const HuntedRun run = draw_run(seed, ground);
      const HuntedRun other = draw_run(seed, with_all);
      const std::string without = run.value_of("prism.without");
      if (!without.empty()) ++drawn[without];
      const bool dies = !without.empty() && !run.value_of("faults.kill_at").empty();
      EXPECT_TRUE(!dies || run.value_of("prism.spares") == "64") << "seed " << seed;
      const bool by_one = run.value_of("tx.merge_rmw") == "true";
      EXPECT_TRUE(without != "chaining" || run.value_of("tx.prepare") != "pipelined" || by_one)
          << "seed " << seed << ": such a run is refused";
      for (const HuntedSetting& setting : run.settings) {
        const std::string& key = setting.key;
        if (key == "prism.without" || key == "prism.spares" || key == "tx.merge_rmw") continue;
        EXPECT_EQ(other.value_of(key), setting.value) << system << ", seed " << seed;
      }
    }
    EXPECT_EQ(drawn.size(), std::string(system) == "prism-tx" ? 3U : 4U) << system;
    for (const auto& [without, count] : drawn) EXPECT_GT(count, 20) << without;
  }
}

// Likewise, but for what servers apart do without.
TEST(HuntDraw, SomeHaveServersApartAndNothingElseChanges) {
  const HuntGround ground = everything();
  HuntGround together = everything();
  together.sets = {{.key = "run.servers", .value = "0", .place = "--set"}};
  int apart = 0;
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    const HuntedRun run = draw_run(seed, ground);
    const HuntedRun other = draw_run(seed, together);
    const std::string servers = run.value_of("run.servers");
    if (!servers.empty()) {
      ++apart;
      EXPECT_EQ(txn::protocol_of_system(run.value_of("system")), "occ") << "seed " << seed;
      EXPECT_LT(std::stoul(servers), std::stoul(run.value_of("nodes"))) << "seed " << seed;
      EXPECT_EQ(run.value_of("replicas"), "1") << "seed " << seed;
    }
    for (const HuntedSetting& setting : run.settings) {
      if (setting.key == "run.servers") continue;
      if (setting.key == "run.server_workers" || setting.key == "run.client_workers") continue;
      const bool follows = setting.key == "replicas" || setting.key == "warehouses";
      if (follows && !servers.empty()) continue;
      EXPECT_EQ(other.value_of(setting.key), setting.value) << "seed " << seed;
    }
  }
  EXPECT_GT(apart, 20);
  EXPECT_LT(apart, 100);
}

TEST(HuntDraw, ServersApartFitWhatIsSet) {
  HuntGround ground = everything();
  ground.systems = {"farm"};
  ground.sets = {{.key = "replicas", .value = "2", .place = "--set"}};
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    EXPECT_EQ(draw_run(seed, ground).value_of("run.servers"), "");
  }
  ground.sets = {{.key = "run.servers", .value = "1", .place = "--set"}};
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    EXPECT_EQ(draw_run(seed, ground).value_of("replicas"), "1");
  }
}

TEST(HuntDraw, WhatIsSetIsNotDrawn) {
  HuntGround ground = everything();
  ground.sets = {{.key = "nodes", .value = "2", .place = "--set"},
                 {.key = "workload.records", .value = "3", .place = "--set"}};
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const HuntedRun run = draw_run(seed, ground);
    EXPECT_EQ(run.value_of("nodes"), "2");
    EXPECT_EQ(run.value_of("workload.records"), "3");
    EXPECT_LE(run.value_of("replicas"), "2") << "what follows from it fits it";
  }
}

TEST(HuntDraw, RefusesToSetWhatNoRunCouldHave) {
  HuntGround ground = everything();
  EXPECT_NO_THROW(check_ground(ground));
  ground.sets = {{.key = "nodes", .value = "none", .place = "--set"}};
  EXPECT_THROW(check_ground(ground), ConfigurationError);
  ground.sets = {{.key = "workload.records", .value = "3", .place = "--set"}};
  ground.workloads = {"stress"};
  EXPECT_NO_THROW(check_ground(ground));
  ground.workloads = {"smallbank"};
  EXPECT_THROW(check_ground(ground), ConfigurationError) << "it is of another workload";
}

}  // namespace
}  // namespace verbena::experiments
