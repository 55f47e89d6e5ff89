// Programs whose results may be put together, and what keeps others apart.
#include "experiments/points/gather.h"

#include <gtest/gtest.h>

#include <string>

namespace verbena::experiments {
namespace {

const ProgramVersions kOwn{.commit = "1234567890ab",
                           .libraries = {{"glibc", "2.36"}, {"simgrid", "3.32"}}};

ProgramVersions of_commit(const std::string& commit) {
  return {.commit = commit, .libraries = kOwn.libraries};
}

TEST(GatheredPrograms, OfOneCommitAndEqualLibrariesHaveTheSameResults) {
  EXPECT_EQ(difference(kOwn, kOwn, true), "");
  EXPECT_EQ(difference(kOwn, kOwn, false), "") << "built on another machine";
}

TEST(GatheredPrograms, OfAnotherCommitDiffer) {
  EXPECT_EQ(difference(of_commit("cdef"), kOwn, false),
            "of commit cdef, and this program is of 1234567890ab");
  EXPECT_EQ(difference(of_commit("1234567890ab+"), kOwn, false),
            "of commit 1234567890ab+, and this program is of 1234567890ab");
}

TEST(GatheredPrograms, WithUncommittedChangesHaveToBeTheSameFile) {
  for (const char* commit : {"1234567890ab+", "unknown"}) {
    const ProgramVersions one = of_commit(commit);
    EXPECT_EQ(difference(one, one, true), "");
    EXPECT_EQ(difference(one, one, false), std::string("of another build of commit ") + commit +
                                               ", whose uncommitted changes may differ");
  }
}

TEST(GatheredPrograms, WithOtherLibrariesDiffer) {
  ProgramVersions other = kOwn;
  other.libraries["simgrid"] = "3.35";
  EXPECT_EQ(difference(other, kOwn, false), "with simgrid 3.35, and this program has 3.32");
  other.libraries.clear();
  EXPECT_EQ(difference(other, kOwn, true), "with glibc unknown, and this program has 2.36");
}

TEST(PointNames, AreReadAsTheyAreWritten) {
  const PointName name{.settings = "0123456789abcdef",
                       .program = "fedcba9876543210",
                       .libraries = "0000000000000001"};
  EXPECT_EQ(name.text(), "0123456789abcdef-fedcba9876543210-0000000000000001.json");
  const auto read = parse_point_name(name.text());
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->text(), name.text());
  for (const char* other : {"", "0123456789abcdef.json", "0123456789abcdef-fedcba9876543210-1.json",
                            "0123456789abcdef-fedcba9876543210-0000000000000001.json.tmp"}) {
    EXPECT_FALSE(parse_point_name(other)) << other;
  }
}

}  // namespace
}  // namespace verbena::experiments
