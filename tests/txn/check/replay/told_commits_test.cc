// The latest commit that had been told by a time, which alone counts.
#include "txn/check/replay/told_commits.h"

#include <gtest/gtest.h>

namespace verbena::txn {
namespace {

// The count that is known before a time; 0: none is.
std::uint32_t before(const ToldCommits& commits, std::uint64_t at) {
  const ToldCommits::Told* told = commits.latest_before(at);
  return told == nullptr ? 0 : told->count;
}

TEST(ToldCommits, WhatIsToldCountsFromThenOn) {
  ToldCommits commits;
  commits.add({.at = 10, .count = 1});
  commits.add({.at = 20, .count = 2});
  EXPECT_EQ(before(commits, 10), 0U);
  EXPECT_EQ(before(commits, 11), 1U);
  EXPECT_EQ(before(commits, 20), 1U);
  EXPECT_EQ(before(commits, 21), 2U);
}

TEST(ToldCommits, ComeInAnyOrder) {
  ToldCommits commits;
  commits.add({.at = 30, .count = 3});
  commits.add({.at = 10, .count = 2});
  commits.add({.at = 20, .count = 1});  // by then 2 was known
  commits.add({.at = 5, .count = 1});
  EXPECT_EQ(before(commits, 6), 1U);
  EXPECT_EQ(before(commits, 25), 2U);
  EXPECT_EQ(before(commits, 31), 3U);
  EXPECT_EQ(commits.size(), 3U);
}

TEST(ToldCommits, AnEarlierOneOfAGreaterCountReplacesThoseAfterIt) {
  ToldCommits commits;
  commits.add({.at = 10, .count = 1});
  commits.add({.at = 20, .count = 2});
  commits.add({.at = 5, .count = 3});
  EXPECT_EQ(before(commits, 6), 3U);
  EXPECT_EQ(commits.size(), 1U);
}

TEST(ToldCommits, ForgetsWhatNobodyWillAskFor) {
  ToldCommits commits;
  for (std::uint32_t i = 1; i <= 10; ++i) commits.add({.at = 10 * i, .count = i});
  commits.forget_before(55);
  EXPECT_EQ(before(commits, 55), 5U);
  EXPECT_EQ(commits.size(), 6U);
}

}  // namespace
}  // namespace verbena::txn
