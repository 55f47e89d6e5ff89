// The check of snapshots: accepts what snapshot isolation allows, and names what it does not.
#include "txn/check/replay/snapshot_check.h"

#include <gtest/gtest.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/txn/check/client_histories.h"

namespace verbena::txn {
namespace {

using testing::AttemptBuilder;
using testing::name_of;

const ValueDigest kLoaded = testing::loaded_value();

// An attempt of fiber 1, 2, 3, ..., whose slot is the same.
AttemptBuilder client(std::uint16_t fiber) { return AttemptBuilder(fiber); }

SystemInfo promises(Isolation isolation, bool own_commits = true) {
  SystemInfo system;
  system.isolation = isolation;
  system.own_commits = own_commits;
  return system;
}

SystemInfo promises(Freshness freshness) {
  SystemInfo system = promises(Isolation::kSnapshotIsolation);
  system.freshness = freshness;
  return system;
}

std::optional<Anomaly> checked(const std::vector<AttemptBuilder>& attempts,
                               const SystemInfo& system) {
  ClientHistory history;
  for (const AttemptBuilder& attempt : attempts) attempt.add_to(history);
  SnapshotCheck check(testing::history_schema(), system);
  check.add(std::move(history));
  check.finish();
  return check.anomaly();
}

std::optional<Anomaly> checked(const std::vector<AttemptBuilder>& attempts,
                               Isolation isolation = Isolation::kSnapshotIsolation,
                               bool own_commits = true) {
  return checked(attempts, promises(isolation, own_commits));
}

// Replaces the value of key 0 by 71, as the first commit of slot 1.
AttemptBuilder first_writer() {
  return client(1).during(1, 5).placed(3).snapshot({0, 0, 0}).write(0, kLoaded, 71).stamp(1, 1);
}

TEST(SnapshotCheck, AcceptsWhatTheSnapshotHolds) {
  EXPECT_EQ(name_of(checked({first_writer(), client(2).during(6, 7).snapshot({0, 1, 0}).read(0, 71),
                             client(3).during(2, 8).snapshot({0, 0, 0}).read(0, kLoaded)})),
            "");
}

TEST(SnapshotCheck, AcceptsOldSnapshots) {
  EXPECT_EQ(name_of(checked(
                {first_writer(), client(2).during(60, 70).snapshot({0, 0, 0}).read(0, kLoaded)})),
            "");
}

TEST(SnapshotCheck, AcceptsWriteSkew) {
  const auto one = client(1)
                       .during(1, 5)
                       .placed(3)
                       .snapshot({0, 0, 0})
                       .read(1, kLoaded)
                       .write(0, kLoaded, 71)
                       .stamp(1, 1);
  const auto other = client(2)
                         .during(1, 5)
                         .placed(4)
                         .snapshot({0, 0, 0})
                         .read(0, kLoaded)
                         .write(1, kLoaded, 72)
                         .stamp(2, 1);
  EXPECT_EQ(name_of(checked({one, other})), "");
}

TEST(SnapshotCheck, FindsReadsOfWhatTheSnapshotDoesNotHold) {
  EXPECT_EQ(
      name_of(checked({first_writer(), client(2).during(6, 7).snapshot({0, 0, 0}).read(0, 71)})),
      "early read");
}

TEST(SnapshotCheck, FindsHalfOfACommit) {
  const auto both = client(1)
                        .during(1, 5)
                        .placed(3)
                        .snapshot({0, 0, 0})
                        .write(0, kLoaded, 71)
                        .write(1, kLoaded, 72)
                        .stamp(1, 1);
  EXPECT_EQ(name_of(checked(
                {both, client(2).during(6, 7).snapshot({0, 1, 0}).read(0, 71).read(1, kLoaded)})),
            "fractured read");
}

TEST(SnapshotCheck, FindsValuesThatNobodyCommitted) {
  EXPECT_EQ(name_of(checked({client(2).during(6, 7).snapshot({0, 0, 0}).read(0, 99)})),
            "unwritten value");
}

TEST(SnapshotCheck, FindsLostUpdates) {
  const auto second =
      client(2).during(1, 8).placed(6).snapshot({0, 0, 0}).write(0, kLoaded, 72).stamp(2, 1);
  const auto anomaly = checked({first_writer(), second});
  EXPECT_EQ(name_of(anomaly), "lost update");
  ASSERT_EQ(anomaly->attempts.size(), 2U);
  EXPECT_EQ(anomaly->attempts[1].attempt.client.fiber, 1);
}

TEST(SnapshotCheck, OrdersWritersByTheirPlaces) {
  const auto second =
      client(2).during(4, 6).placed(5).snapshot({0, 1, 0}).write(0, 71, 72).stamp(2, 1);
  const auto late_end =
      client(1).during(1, 50).placed(3).snapshot({0, 0, 0}).write(0, kLoaded, 71).stamp(1, 1);
  EXPECT_EQ(name_of(checked({second, late_end})), "");
}

TEST(SnapshotCheck, FindsLongForksWhereTheyAreRuledOut) {
  const auto second =
      client(2).during(1, 5).placed(4).snapshot({0, 0, 0, 0, 0}).write(1, kLoaded, 72).stamp(2, 1);
  const auto first =
      client(1).during(1, 5).placed(3).snapshot({0, 0, 0, 0, 0}).write(0, kLoaded, 71).stamp(1, 1);
  const std::vector<AttemptBuilder> fork = {
      first, second, client(3).during(6, 7).snapshot({0, 1, 0, 0, 0}).read(0, 71).read(1, kLoaded),
      client(4).during(6, 8).snapshot({0, 0, 1, 0, 0}).read(0, kLoaded).read(1, 72)};
  EXPECT_EQ(name_of(checked(fork)), "long fork");
  EXPECT_EQ(name_of(checked(fork, Isolation::kUpdateAtomicity)), "");
}

TEST(SnapshotCheck, FindsForksOfDifferentSums) {
  const auto two =
      client(1).during(1, 5).placed(3).snapshot({0, 0, 0}).write(0, kLoaded, 71).stamp(1, 1);
  const auto three =
      client(1).sequence(2).during(6, 9).placed(7).snapshot({0, 1, 0}).write(0, 71, 73).stamp(1, 2);
  const auto other =
      client(2).during(1, 5).placed(4).snapshot({0, 0, 0}).write(1, kLoaded, 72).stamp(2, 1);
  EXPECT_EQ(name_of(checked({two, three, other,
                             client(3).during(10, 11).snapshot({0, 2, 0}).read(5, kLoaded),
                             client(4).during(10, 12).snapshot({0, 0, 1}).read(5, kLoaded)})),
            "long fork");
}

TEST(SnapshotCheck, FindsSnapshotsOfWhatWasNotCommitted) {
  EXPECT_EQ(name_of(checked({client(2).during(1, 2).snapshot({0, 1, 0}).read(5, kLoaded)})),
            "early snapshot");
}

TEST(SnapshotCheck, FindsClientsThatMissTheirOwnCommits) {
  EXPECT_EQ(
      name_of(checked({first_writer(),
                       client(1).sequence(2).during(6, 7).snapshot({0, 0, 0}).read(5, kLoaded)})),
      "lost session");
}

TEST(SnapshotCheck, AcceptsThatClientsMissTheirOwnCommitsWhereNothingElseIsPromised) {
  EXPECT_EQ(
      name_of(checked(
          {first_writer(), client(1).sequence(2).during(6, 7).snapshot({0, 0, 0}).read(5, kLoaded)},
          Isolation::kSnapshotIsolation, false)),
      "");
}

// Clients 1 and 2 have stamps of slot 1; the second was placed first.
std::vector<AttemptBuilder> two_of_a_slot(std::uint32_t first, std::uint32_t second) {
  return {client(1).during(1, 6).placed(5).snapshot({0, 0}).write(0, kLoaded, 71).stamp(1, first),
          client(2).during(1, 7).placed(3).snapshot({0, 0}).write(1, kLoaded, 72).stamp(1, second)};
}

TEST(SnapshotCheck, AcceptsClientsThatShareASlot) {
  EXPECT_EQ(name_of(checked(two_of_a_slot(1, 2))), "");
  EXPECT_EQ(name_of(checked(two_of_a_slot(2, 1))), "");
}

TEST(SnapshotCheck, FindsAStampThatTwoClientsHave) {
  EXPECT_EQ(name_of(checked(two_of_a_slot(1, 1))), "stamp used again");
}

TEST(SnapshotCheck, FindsSnapshotsThatPassOverWhoIsStillAtIt) {
  auto attempts = two_of_a_slot(1, 2);
  attempts.push_back(client(3).during(4, 4).snapshot({0, 2}).read(1, 72));
  EXPECT_EQ(name_of(checked(attempts)), "early snapshot");
}

TEST(SnapshotCheck, AcceptsSnapshotsThatPassOverWhoHasAborted) {
  const auto aborted = client(1)
                           .outcome(Outcome::kAborted)
                           .during(1, 5)
                           .placed(4)
                           .snapshot({0, 0})
                           .read(0, kLoaded)
                           .stamp(1, 1);
  const auto reader = client(3).during(7, 8).snapshot({0, 1}).read(0, kLoaded);
  EXPECT_EQ(name_of(checked({aborted, reader})), "");
  EXPECT_EQ(name_of(checked({reader})), "early snapshot");
}

TEST(SnapshotCheck, FindsSnapshotsThatGoBack) {
  EXPECT_EQ(
      name_of(checked({first_writer(), client(2).during(6, 7).snapshot({0, 1, 0}).read(0, 71),
                       client(2).sequence(2).during(8, 9).snapshot({0, 0, 0}).read(5, kLoaded)})),
      "backward snapshot");
}

// Commits of one counter, whose clients may be told a later count sooner.
std::vector<AttemptBuilder> commits_of_one_counter(std::uint32_t first, std::uint32_t second) {
  return {client(1).during(1, 5).placed(3).snapshot({0, 0}).write(0, kLoaded, 71).stamp(1, first),
          client(2).during(1, 6).placed(4).snapshot({0, 0}).write(1, kLoaded, 72).stamp(1, second)};
}

TEST(SnapshotCheck, CommitsOfSeveralClientsMayBePlacedInAnotherOrderThanTheyAreCounted) {
  std::vector<AttemptBuilder> attempts = commits_of_one_counter(2, 1);
  attempts.push_back(client(3).during(7, 8).snapshot({0, 1}).read(0, kLoaded).read(1, 72));
  attempts.push_back(client(4).during(7, 9).snapshot({0, 2}).read(0, 71).read(1, 72));
  EXPECT_EQ(name_of(checked(attempts)), "");
}

TEST(SnapshotCheck, FindsStampsThatAreUsedAgain) {
  const auto again =
      client(1).sequence(2).during(6, 9).placed(7).snapshot({0, 1, 0}).write(0, 71, 73).stamp(1, 1);
  EXPECT_EQ(name_of(checked({first_writer(), again})), "stamp used again");
}

TEST(SnapshotCheck, FindsPhantoms) {
  const auto inserter = client(1)
                            .during(1, 5)
                            .placed(3)
                            .snapshot({0, 0, 0})
                            .write(20, kAbsentValue, 71, 1)
                            .stamp(1, 1);
  EXPECT_EQ(
      name_of(checked({inserter, client(2).during(6, 7).snapshot({0, 1, 0}).scan(10, 30, 5, {})})),
      "phantom");
  EXPECT_EQ(
      name_of(checked({inserter, client(2).during(6, 7).snapshot({0, 0, 0}).scan(10, 30, 5, {})})),
      "");
  EXPECT_EQ(name_of(checked(
                {inserter, client(2).during(6, 7).snapshot({0, 1, 0}).scan(10, 30, 5, {20})})),
            "");
}

// The first writer, who was told at time 5, and another client's attempt.
std::vector<AttemptBuilder> first_writer_and(const AttemptBuilder& other) {
  return {first_writer().told_at(500_ns), other};
}

TEST(SnapshotCheck, FindsSnapshotsWithoutWhatWasToldBeforeTheAttemptBegan) {
  const auto stale = first_writer_and(client(2).during(6, 7).snapshot({0, 0, 0}).read(0, kLoaded));
  const auto anomaly = checked(stale, promises(Freshness::kCurrent));
  EXPECT_EQ(name_of(anomaly), "transaction inversion");
  ASSERT_EQ(anomaly->attempts.size(), 2U);
  EXPECT_EQ(anomaly->attempts[0].attempt.client.fiber, 2);
  EXPECT_EQ(anomaly->attempts[1].attempt.client.fiber, 1);
  EXPECT_EQ(name_of(checked(stale, promises(Freshness::kNone))), "");
}

TEST(SnapshotCheck, AcceptsSnapshotsWithoutWhatWasToldSinceTheAttemptBegan) {
  const auto overlaps =
      first_writer_and(client(2).during(4, 70).snapshot({0, 0, 0}).read(0, kLoaded));
  EXPECT_EQ(name_of(checked(overlaps, promises(Freshness::kCurrent))), "");
}

TEST(SnapshotCheck, FindsSnapshotsWithoutWhatWasToldBeforeTheyWereFetched) {
  const auto fetched = [](Nanoseconds at) {
    return first_writer_and(
        client(2).during(6, 7).snapshot({0, 0, 0}).fetched_at(at).read(0, kLoaded));
  };
  EXPECT_EQ(name_of(checked(fetched(501_ns), promises(Freshness::kAsFetched))),
            "transaction inversion");
  EXPECT_EQ(name_of(checked(fetched(500_ns), promises(Freshness::kAsFetched))), "");
}

TEST(SnapshotCheck, NobodyHasToKnowOfACommitThatNobodyWasToldOf) {
  const auto lost = client(2).during(6, 7).snapshot({0, 0, 0}).read(0, kLoaded);
  EXPECT_EQ(name_of(checked({first_writer().untold(), lost}, promises(Freshness::kCurrent))), "");
}

TEST(SnapshotCheck, FindsCommitsByExpiredSnapshots) {
  const auto placed = [](Nanoseconds at) {
    return std::vector{first_writer().placed_at(at).fetched_at(100_ns).usable(50_ns)};
  };
  EXPECT_EQ(name_of(checked(placed(150_ns))), "");
  EXPECT_EQ(name_of(checked(placed(151_ns))), "expired snapshot");
}

TEST(SnapshotCheck, FindsScansThatGiveMoreThanTheSnapshotHolds) {
  const auto inserter = client(1)
                            .during(1, 5)
                            .placed(3)
                            .snapshot({0, 0, 0})
                            .write(20, kAbsentValue, 71, 1)
                            .stamp(1, 1);
  const auto scan = [](std::uint32_t count) {
    return client(2).during(6, 7).snapshot({0, count, 0}).scan(10, 30, 5, {20});
  };
  SystemInfo exact = promises(Isolation::kSnapshotIsolation);
  exact.exact_scans = true;
  EXPECT_EQ(name_of(checked({inserter, scan(0)}, exact)), "phantom");
  EXPECT_EQ(name_of(checked({inserter, scan(1)}, exact)), "");
  EXPECT_EQ(name_of(checked({inserter, scan(0)})), "");
}

TEST(SnapshotCheck, ComparesTheFinalState) {
  ClientHistory history;
  first_writer().add_to(history);
  SnapshotCheck check(testing::history_schema(), promises(Isolation::kSnapshotIsolation));
  check.add(std::move(history));
  check.finish();
  const auto value = [](Key key, ValueDigest digest) {
    return HistoryChecker::FinalValue{.record = {.table = 0, .partition = 0, .key = key},
                                      .value = digest};
  };
  check.compare_final(std::vector{value(0, 71), value(1, kLoaded), value(30, kAbsentValue)});
  EXPECT_FALSE(check.anomaly());
  check.compare_final(std::vector{value(0, kLoaded)});
  EXPECT_EQ(name_of(check.anomaly()), "final state");
}

// A long history in pieces, of which little is kept: values are forgotten that nobody can read.
TEST(SnapshotCheck, GoesOnWithLongHistories) {
  SnapshotCheck check(testing::history_schema(), promises(Freshness::kCurrent), 8);
  ValueDigest value = kLoaded;
  for (std::uint32_t i = 0; i < 1000; ++i) {
    const Moment now = 10 * (i + 1);
    ClientHistory history;
    client(1)
        .sequence(i + 1)
        .during(now, now + 3)
        .placed(now + 2)
        .snapshot({0, i, 0})
        .write(0, value, 1000 + i)
        .stamp(1, i + 1)
        .add_to(history);
    client(2)
        .sequence(i + 1)
        .during(now + 1, now + 4)
        .snapshot({0, i, 0})
        .read(0, value)
        .add_to(history);
    value = 1000 + i;
    check.add(std::move(history));
    check.replay(now + 5);
    ASSERT_EQ(name_of(check.anomaly()), "") << i;
  }
  EXPECT_EQ(check.replayed(), 2000U);
}

TEST(SnapshotCheck, IsForSnapshotsOnly) {
  EXPECT_THROW(SnapshotCheck(testing::history_schema(), promises(Isolation::kSerializability)),
               std::logic_error);
}

}  // namespace
}  // namespace verbena::txn
