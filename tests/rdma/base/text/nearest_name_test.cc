// Corrections of mistyped names.
#include "rdma/base/text/nearest_name.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace verbena {
namespace {

const std::vector<std::string> kSystems = {"drtm+h", "farm", "drtm+r", "fasst", "fasst-occ"};

TEST(NearestName, OneWrongLetter) { EXPECT_EQ(nearest_name("fasat", kSystems), "fasst"); }

TEST(NearestName, SwappedNeighboursCountOnce) {
  const std::vector<std::string> known = {"tuuw", "turw"};
  EXPECT_EQ(nearest_name("utuw", known), "tuuw");
}

TEST(NearestName, CaseCountsNothing) { EXPECT_EQ(nearest_name("DRTM+R", kSystems), "drtm+r"); }

TEST(NearestName, FirstOfEquallyClose) { EXPECT_EQ(nearest_name("drtm+x", kSystems), "drtm+h"); }

TEST(NearestName, WhatANameBeginsWithComesBeforeWhatIsAlike) {
  const std::vector<std::string> known = {"nic.ports", "nic.qp_cache_entries", "nic.mtt_cache"};
  EXPECT_EQ(nearest_name("nic.qp_cache", known), "nic.qp_cache_entries");
  EXPECT_EQ(nearest_name("fa", kSystems), "farm") << "the shortest";
}

TEST(NearestName, WhatANameNearlyBeginsWithIsNearForWantOfBetter) {
  const std::vector<std::string> known = {"prism-kv", "pilaf", "prism-rs"};
  EXPECT_EQ(nearest_name("prims", known), "prism-kv");
  EXPECT_EQ(nearest_name("pilfa", known), "pilaf");
  EXPECT_EQ(nearest_name("prix", known), "");
  EXPECT_EQ(nearest_name("plan.foo", std::vector<std::string>{"plan.whole_log"}), "");
}

TEST(NearestNames, TheClosestOfAllHoweverFar) {
  EXPECT_EQ(nearest_names("fasst-oc", kSystems, 2),
            (std::vector<std::string>{"fasst-occ", "fasst"}));
  EXPECT_EQ(nearest_names("f", {}, 2), std::vector<std::string>());
}

TEST(NearestName, NothingIsNear) {
  EXPECT_EQ(nearest_name("", kSystems), "");
  EXPECT_EQ(nearest_name("f", kSystems), "");
  EXPECT_EQ(nearest_name("--foo", std::vector<std::string>{"--nic", "--cpu"}), "");
  EXPECT_EQ(nearest_name("plan.foo", std::vector<std::string>{"nic.ports"}), "");
  EXPECT_EQ(nearest_name("--qps-per-peer", std::vector<std::string>{"--nics-per-node"}), "");
  EXPECT_EQ(nearest_name("drtmh/zzz", std::vector<std::string>{"drtmh/3a", "drtmh/fig10"}), "");
  EXPECT_EQ(nearest_name("drtmh/3b1", std::vector<std::string>{"drtmh/3a", "drtmh/3b"}),
            "drtmh/3b");
  EXPECT_EQ(nearest_name("faults.die_at", std::vector<std::string>{"faults.kill_at"}),
            "faults.kill_at");
  EXPECT_EQ(did_you_mean("--foo", std::vector<std::string>{"--nic"}), "");
}

TEST(NearestName, IsAskedForInAMessage) {
  EXPECT_EQ(did_you_mean("fasat", kSystems), "; did you mean fasst?");
}

TEST(NearestName, NothingKnown) { EXPECT_EQ(nearest_name("farm", {}), ""); }

}  // namespace
}  // namespace verbena
