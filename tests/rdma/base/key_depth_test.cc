// Keys of many names are found before a parser follows them.
#include "rdma/base/key_depth.h"

#include <gtest/gtest.h>

#include <string>

namespace verbena {
namespace {

std::string key_of(std::size_t names) {
  std::string key = "a";
  for (std::size_t i = 1; i < names; ++i) key += ".a";
  return key;
}

TEST(KeyDepth, LetsUsualFilesPass) {
  EXPECT_FALSE(line_of_too_deep_key(""));
  EXPECT_FALSE(line_of_too_deep_key("[nic]\nname = \"x\"\na.b.c = 1.5\nlist = [1.5, 2.5]\n"));
  EXPECT_FALSE(line_of_too_deep_key(key_of(kDeepestKey) + " = 1\n"));
}

TEST(KeyDepth, FindsTheLineOfADeepKey) {
  const std::string deep = key_of(kDeepestKey + 1);
  EXPECT_EQ(line_of_too_deep_key(deep + " = 1"), 1U);
  EXPECT_EQ(line_of_too_deep_key("x = 1\n\n[" + deep + "]\n"), 3U);
  EXPECT_EQ(line_of_too_deep_key("x = { " + deep + " = 1 }\n"), 1U);
  EXPECT_EQ(line_of_too_deep_key("x = 1\n" + key_of(30'000) + " = 1\n"), 2U);
}

TEST(KeyDepth, CountsQuotedNamesAndNoDotsInStrings) {
  std::string quoted = "\"a\"";
  for (std::size_t i = 0; i < kDeepestKey; ++i) quoted += ".\"a\"";
  EXPECT_EQ(line_of_too_deep_key(quoted + " = 1"), 1U);
  const std::string dots(1000, '.');
  EXPECT_FALSE(line_of_too_deep_key("x = \"" + dots + "\"\n# " + dots + "\ny = '" + dots + "'\n"));
  EXPECT_FALSE(line_of_too_deep_key("x = \"\"\"\n" + dots + "\"" + dots + "\"\"\"\n"));
  EXPECT_FALSE(line_of_too_deep_key("x = \"\\\"" + dots + "\"\n"));
}

}  // namespace
}  // namespace verbena
