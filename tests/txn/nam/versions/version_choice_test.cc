// The version that a snapshot reads, also of headers that were read at different times.
#include "txn/nam/versions/version_choice.h"

#include <gtest/gtest.h>

#include <vector>

#include "txn/nam/records/version.h"

namespace verbena::txn::nam {
namespace {

// The version that was installed as the how-manieth, by the commit of slot 1 with that number.
OldHeader version(std::uint32_t installs, bool erased = false) {
  return {.version = version_of({.slot = 1, .count = installs}, erased), .installs = installs};
}
OldHeader none() { return {}; }

// The version chosen in a snapshot that holds the first `commits`; 0: no version.
std::uint32_t chosen(const std::vector<OldHeader>& headers, std::uint32_t commits,
                     bool overflows = false) {
  const std::vector<std::uint32_t> snapshot = {0, commits};
  const VersionChoice choice = choose_version(headers, snapshot, overflows);
  return choice.versions == Versions::kFound ? choice.latest->installs : 0;
}

Versions versions(const std::vector<OldHeader>& headers, std::uint32_t commits,
                  bool overflows = false) {
  const std::vector<std::uint32_t> snapshot = {0, commits};
  return choose_version(headers, snapshot, overflows).versions;
}

TEST(VersionChoice, IsTheLatestThatTheSnapshotHolds) {
  const std::vector<OldHeader> headers = {version(8), version(9), version(5), version(6),
                                          version(7)};
  EXPECT_EQ(chosen(headers, 7), 7U);
  EXPECT_EQ(chosen(headers, 9), 9U);
  EXPECT_EQ(chosen(headers, 5), 5U);
}

TEST(VersionChoice, IsNoneWhereAllThatAreKeptAreLater) {
  EXPECT_EQ(versions({version(8), version(9), version(7)}, 6), Versions::kNone);
}

TEST(VersionChoice, IsAmongTheFirst) {
  EXPECT_EQ(chosen({none(), version(1), version(2), none()}, 1), 1U);
}

// 5 to 9 in five places, of which 9 is in the last. The first four were read then; before the last
// was, 10 and 11 had come, and 14 in the place of 9.
TEST(VersionChoice, IsNotMadeWhereTheNextVersionIsMissing) {
  EXPECT_EQ(versions({version(5), version(6), version(7), version(8), version(14)}, 9),
            Versions::kTorn)
      << "9 was the latest of the snapshot";
  EXPECT_EQ(chosen({version(5), version(6), version(7), version(8), version(14)}, 7), 7U)
      << "with 8 behind it, it is what the snapshot reads";
}

TEST(VersionChoice, IsNotMadeWhereErasedOnesAreTornEither) {
  EXPECT_EQ(versions({version(8, true), version(14)}, 9), Versions::kTorn);
}

// The last leads into overflow.
TEST(VersionChoice, IsNotMadeWhereOverflowAndPlacesAreOfDifferentTimes) {
  EXPECT_EQ(chosen({version(7), version(8), version(6)}, 6, true), 6U);
  EXPECT_EQ(versions({version(8), version(9), version(6)}, 6, true), Versions::kTorn);
  EXPECT_EQ(versions({version(8), version(9), version(6)}, 5, true), Versions::kTorn);
  EXPECT_EQ(versions({version(7), version(8), version(6)}, 5, true), Versions::kNone)
      << "what precedes 6 in overflow is looked at";
}

}  // namespace
}  // namespace verbena::txn::nam
