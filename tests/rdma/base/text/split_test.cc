// Where a list is taken apart.
#include "rdma/base/text/split.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace verbena {
namespace {

using Parts = std::vector<std::string>;

TEST(Split, WithoutSeparatorThereIsOnePart) { EXPECT_EQ(split("star", ','), Parts{"star"}); }

TEST(Split, PartsKeepTheirOrder) { EXPECT_EQ(split("2;4,4;1", ';'), (Parts{"2", "4,4", "1"})); }

TEST(Split, EmptyPartsCount) {
  EXPECT_EQ(split("", ','), Parts{""});
  EXPECT_EQ(split(",a,,", ','), (Parts{"", "a", "", ""}));
}

}  // namespace
}  // namespace verbena
