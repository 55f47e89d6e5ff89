// Clusters and settings that NAM-DB takes, and what it promises with them.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "rdma/base/errors.h"
#include "tests/workloads/run/set_parameter.h"
#include "txn/registry/load_system.h"
#include "txn/system.h"

namespace verbena::testing {
namespace {

TEST(NamShape, PromisesWhatItsSnapshotsAllow) {
  auto system = txn::load_system("nam");
  set_parameter(*system, "stable_snapshots", "true");
  EXPECT_EQ(system->info().isolation, txn::Isolation::kSnapshotIsolation);
  set_parameter(*system, "stable_snapshots", "false");
  EXPECT_EQ(system->info().isolation, txn::Isolation::kUpdateAtomicity);
}

TEST(NamShape, RefusesShapesThatCannotWork) {
  const auto system = txn::load_system("nam");
  const auto error = [&](const txn::ClusterShape& shape) -> std::string {
    try {
      system->place(shape);
    } catch (const ConfigurationError& refused) {
      return refused.what();
    }
    return "";
  };
  EXPECT_NE(error({.nodes = 2, .replicas = 1}).find("nodes 2; system 'nam' needs 3"),
            std::string::npos);
  EXPECT_NE(error({.nodes = 3, .replicas = 2}).find("replicas 2; system 'nam' keeps 1 copy"),
            std::string::npos);
  EXPECT_EQ(error({.nodes = 3, .replicas = 1}), "");
  set_parameter(*system, "locality", "true");
  EXPECT_EQ(error({.nodes = 2, .replicas = 1}), "");
  EXPECT_NE(error({.nodes = 1, .replicas = 1}).find("nodes 1; system 'nam' needs 2"),
            std::string::npos);
  set_parameter(*system, "memory_nodes", "1");
  EXPECT_NE(error({.nodes = 3, .replicas = 1}).find("nam.memory_nodes 1; with nam.locality=true"),
            std::string::npos);
  set_parameter(*system, "own_by_nic", "true");
  set_parameter(*system, "locality", "false");
  EXPECT_NE(error({.nodes = 3, .replicas = 1}).find("nam.own_by_nic true; allowed is false"),
            std::string::npos);
  set_parameter(*system, "own_by_nic", "false");
  set_parameter(*system, "memory_nodes", "0");
  set_parameter(*system, "session", "override");
  EXPECT_NE(error({.nodes = 3, .replicas = 1}).find("nam.session override"), std::string::npos);
  set_parameter(*system, "session", "wait");
  set_parameter(*system, "oracle", "counter");
  set_parameter(*system, "oracles", "2");
  EXPECT_NE(error({.nodes = 5, .replicas = 1}).find("nam.oracles 2; allowed is 1"),
            std::string::npos);
  set_parameter(*system, "oracle", "vector");
  EXPECT_NE(error({.nodes = 3, .replicas = 1}).find("nodes 3; system 'nam' needs 4"),
            std::string::npos);
  set_parameter(*system, "oracle_on_memory", "true");
  EXPECT_NE(error({.nodes = 3, .replicas = 1}).find("at most as many as memory servers, 1"),
            std::string::npos);
  const auto naive = txn::load_system("nam-naive");
  set_parameter(*naive, "oracle", "vector");
  EXPECT_THROW(naive->place({.nodes = 4, .replicas = 1}), ConfigurationError);
}

// The refusal when the vector of so many coroutines is laid out, besides what was loaded.
std::string refused_oracles(std::uint32_t oracles, std::uint32_t coroutines) {
  const auto system = txn::load_system("nam");
  set_parameter(*system, "oracles", std::to_string(oracles));
  txn::Deployment deployment{
      .schema = {{.name = "words", .payload_bytes = 8, .initial_records = 10}},
      .limits = {},
      .view = system->place({.nodes = 2 + oracles, .replicas = 1}),
      .fibers = coroutines};
  deployment.limits = txn::TransactionLimits::any_of(deployment.schema, 8);
  try {
    system->endpoint({}, deployment, static_cast<NodeId>(0));
  } catch (const ConfigurationError& refused) {
    return refused.what();
  }
  return "";
}

TEST(NamShape, RefusesWhatNothingFollowsFrom) {
  const auto error =
      [](const std::vector<std::pair<std::string, std::string>>& set) -> std::string {
    const auto system = txn::load_system("nam");
    for (const auto& [key, value] : set) set_parameter(*system, key, value);
    try {
      system->place({.nodes = 6, .replicas = 1});
    } catch (const ConfigurationError& refused) {
      return refused.what();
    }
    return "";
  };
  EXPECT_EQ(error({{"fetch_pause", "50us"}}),
            "nam.fetch_pause 50us; allowed is 0, or nam.background_snapshots=true");
  EXPECT_EQ(error({{"fetch_pause", "50us"}, {"background_snapshots", "true"}}), "");
  EXPECT_EQ(error({{"journal_bytes", "10000"}}),
            "nam.journal_bytes 10000; allowed is 0, or nam.journals from 2 on");
  EXPECT_EQ(error({{"journal_bytes", "10000"}, {"journals", "2"}}), "");
}

// However their names are written.
TEST(NamShape, RefusesToSaveWhereItBeginsFrom) {
  const auto system = txn::load_system("nam");
  set_parameter(*system, "journals", "2");
  set_parameter(*system, "checkpoints", "saved/./now");
  set_parameter(*system, "restore", "saved/now");
  try {
    system->place({.nodes = 6, .replicas = 1});
    FAIL();
  } catch (const ConfigurationError& refused) {
    EXPECT_EQ(std::string(refused.what()).find("nam.checkpoints 'saved/./now'; allowed is another"),
              0U)
        << refused.what();
  }
}

TEST(NamShape, RefusesOraclesThatWouldHaveNoPartOfTheVector) {
  EXPECT_EQ(refused_oracles(1, 1), "");
  EXPECT_EQ(refused_oracles(2, 1),
            "nam.oracles 2; allowed are at most 1: the vector of commits has 1 cache lines, and "
            "an oracle a part of whole ones");
  EXPECT_EQ(refused_oracles(2, 16), "");
  EXPECT_NE(refused_oracles(3, 31).find("nam.oracles 3; allowed are at most 2"), std::string::npos);
  EXPECT_EQ(refused_oracles(3, 32), "");
  EXPECT_NE(refused_oracles(4, 79).find("nam.oracles 4; allowed is 3:"), std::string::npos);
  EXPECT_EQ(refused_oracles(3, 79), "");
}

}  // namespace
}  // namespace verbena::testing
