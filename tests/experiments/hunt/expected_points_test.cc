// Points that a hunt expects, and those of them that were never reached.
#include "experiments/hunt/expected_points.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "txn/registry/load_system.h"

namespace verbena::experiments {
namespace {

using Points = std::set<std::string, std::less<>>;

HuntGround of_systems(std::vector<std::string> systems) {
  return {.systems = std::move(systems), .workloads = {"stress"}, .sets = {}};
}

HuntGround everything() { return of_systems(txn::system_names()); }

bool expects(const HuntGround& ground, std::string_view point) {
  const std::vector<std::string_view> all = expected_points(ground);
  return std::ranges::find(all, point) != all.end();
}

TEST(ExpectedPoints, NoneIsMissedWhereAllWereReached) {
  Points reached(expected_points().begin(), expected_points().end());
  reached.insert("room: what nobody expects");
  EXPECT_TRUE(never_reached(reached, everything()).empty());
}

TEST(ExpectedPoints, TellsWhatIsMissed) {
  EXPECT_EQ(never_reached({}, everything()).size(), expected_points().size());
  Points reached(expected_points().begin(), expected_points().end());
  const std::string_view first = expected_points().front();
  reached.erase(std::string(first));
  ASSERT_EQ(never_reached(reached, everything()).size(), 1U);
  EXPECT_EQ(never_reached(reached, everything()).front(), first);
}

TEST(ExpectedPoints, AreThoseOfTheSystemsThatAreHunted) {
  for (const auto& [system, own, other] :
       {std::tuple("nam", "nam: commit published", "occ: log is full"),
        std::tuple("drtmh", "occ: log is full", "nam: commit published"),
        std::tuple("si-2pc", "si2pc: lock found taken", "one_sided: send queue full")}) {
    EXPECT_TRUE(expects(of_systems({system}), own)) << system;
    EXPECT_FALSE(expects(of_systems({system}), other)) << system;
    EXPECT_TRUE(expects(of_systems({system}), "rpc: request repeated")) << system;
  }
  EXPECT_TRUE(expects(of_systems({"nam", "farm"}), "occ: log is full"));
}

TEST(ExpectedPoints, AreWithoutThoseThatSettingsRuleOut) {
  HuntGround ground = everything();
  const char* const of_rings = "rpc: writer told of room in its ring";
  EXPECT_TRUE(expects(ground, of_rings));
  ground.sets = {{.key = "rdma.rpc_transport", .value = "ud", .place = "--set"}};
  EXPECT_FALSE(expects(ground, of_rings));
  ground.sets[0].value = "write-ring";
  EXPECT_TRUE(expects(ground, of_rings));
}

TEST(ExpectedPoints, AreWithoutLogsWhereNobodyHasBackups) {
  HuntGround ground = everything();
  const auto expects_logs = [&](const char* key, const char* value) {
    ground.sets = {{.key = key, .value = value, .place = "--set"}};
    return expects(ground, "occ: log is full") &&
           expects(ground, "store: backup ignores an older update");
  };
  EXPECT_TRUE(expects_logs("replicas", "3"));
  EXPECT_FALSE(expects_logs("replicas", "1"));
  EXPECT_TRUE(expects_logs("run.servers", "0"));
  EXPECT_FALSE(expects_logs("run.servers", "2"));
}

}  // namespace
}  // namespace verbena::experiments
