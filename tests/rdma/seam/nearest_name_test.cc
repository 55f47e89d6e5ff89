// What a mistyped name is corrected to.
#include "rdma/seam/nearest_name.h"

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

TEST(NearestName, EmptyWordIsClosestToTheShortest) {
  EXPECT_EQ(nearest_name("", kSystems), "farm");
}

TEST(NearestName, NothingKnown) { EXPECT_EQ(nearest_name("farm", {}), ""); }

}  // namespace
}  // namespace verbena
