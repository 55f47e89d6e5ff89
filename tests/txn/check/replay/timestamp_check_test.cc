// The replay by timestamps: accepts what fits their order, whatever the clock says, and tells what
// does not.
#include "txn/check/replay/timestamp_check.h"

#include <gtest/gtest.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/txn/check/client_histories.h"
#include "txn/check/checkers.h"

namespace verbena::txn {
namespace {

using testing::AttemptBuilder;
using testing::name_of;
using testing::replayed;
using testing::replayed_by_timestamps;

const ValueDigest kLoaded = testing::loaded_value();

// An attempt of fiber 1, 2, 3, ..., at a time that says nothing.
AttemptBuilder client(std::uint16_t fiber) { return AttemptBuilder(fiber).during(1, 99); }

ClientHistory of(const std::vector<AttemptBuilder>& attempts) {
  ClientHistory history;
  for (const AttemptBuilder& attempt : attempts) attempt.add_to(history);
  return history;
}

void expect_told(const std::optional<Anomaly>& anomaly, const std::vector<std::string>& parts) {
  for (const std::string& part : parts) {
    EXPECT_NE(anomaly->what.find(part), std::string::npos)
        << part << " is not in " << anomaly->what;
  }
}

// After the attempts the record holds `found`.
std::string final_verdict(const std::vector<AttemptBuilder>& attempts, Key key, ValueDigest found) {
  TimestampCheck check(testing::history_schema(), Isolation::kSerializability);
  check.add(of(attempts));
  check.finish();
  const TimestampCheck::FinalValue value{.record = {.table = 0, .partition = 0, .key = key},
                                         .value = found};
  check.compare_final({&value, 1});
  return name_of(check.anomaly());
}

TEST(TimestampReplay, OrdersByTimestampsAndNotByPlaces) {
  const std::vector<AttemptBuilder> by_timestamp = {
      client(1).placed(2).timestamp(20).write(0, 72, 71),
      client(2).placed(3).timestamp(10).write(0, kLoaded, 72)};
  EXPECT_EQ(name_of(replayed_by_timestamps(by_timestamp)), "");
  EXPECT_EQ(name_of(replayed(by_timestamp)), "out of place");
  const std::vector<AttemptBuilder> by_place = {
      client(1).placed(2).timestamp(20).write(0, kLoaded, 71),
      client(2).placed(3).timestamp(10).write(0, 71, 72)};
  EXPECT_EQ(name_of(replayed_by_timestamps(by_place)), "out of timestamp order");
  EXPECT_EQ(name_of(replayed(by_place)), "");
}

TEST(TimestampReplay, DoesNotMindTheClock) {
  EXPECT_EQ(name_of(replayed_by_timestamps(
                {AttemptBuilder(1).during(1, 2).timestamp(20).write(0, kLoaded, 71),
                 AttemptBuilder(2).during(3, 4).timestamp(10).read(0, kLoaded)})),
            "");
}

// The one with the lower timestamp installs last, and skips it.
TEST(TimestampReplay, LeavesWhatTheGreatestTimestampWroteUnseen) {
  const std::vector<AttemptBuilder> writers = {client(1).placed(2).timestamp(20).put(0, 71),
                                               client(2).placed(3).timestamp(10).put(0, 72)};
  EXPECT_EQ(final_verdict(writers, 0, 71), "");
  EXPECT_EQ(final_verdict(writers, 0, 72), "final state");
  EXPECT_EQ(final_verdict(writers, 0, kLoaded), "final state");
  EXPECT_EQ(final_verdict(writers, 5, kLoaded), "");
}

TEST(TimestampReplay, PutsReadersBetweenWriters) {
  const auto first = client(1).timestamp(10).put(0, 71);
  const auto second = client(2).timestamp(20).put(0, 72);
  for (const Outcome outcome : {Outcome::kCommitted, Outcome::kRolledBack}) {
    const auto reads = [&](std::uint64_t timestamp, ValueDigest value) {
      return name_of(replayed_by_timestamps(
          {first, second, client(3).timestamp(timestamp).outcome(outcome).read(0, value)}));
    };
    EXPECT_EQ(reads(5, kLoaded), "");
    EXPECT_EQ(reads(15, 71), "");
    EXPECT_EQ(reads(25, 72), "");
    for (const ValueDigest value : {kLoaded, ValueDigest{72}}) {
      EXPECT_EQ(reads(15, value), "out of timestamp order") << value;
    }
    EXPECT_EQ(reads(5, 71), "out of timestamp order");
    EXPECT_EQ(reads(25, 71), "out of timestamp order");
  }
}

TEST(TimestampReplay, TellsWhoSawWhatWhen) {
  const auto anomaly = replayed_by_timestamps(
      {client(1).timestamp(10).put(0, 0x71), client(2).timestamp(20).put(0, 0x72),
       client(3).timestamp(15).told_at(Nanoseconds(77)).read(0, 0x72)});
  ASSERT_EQ(name_of(anomaly), "out of timestamp order");
  expect_told(anomaly, {"fiber 3 (timestamp 15, 0 to 77 ns) read table 0 partition 0 key 0 as 72",
                        "fiber 2 (timestamp 20", "was 71 there", "fiber 1 (timestamp 10"});
  ASSERT_EQ(anomaly->attempts.size(), 3U);
  EXPECT_EQ(anomaly->attempts[0].attempt.client.fiber, 3);
  EXPECT_EQ(anomaly->attempts[1].attempt.client.fiber, 2);
  EXPECT_EQ(anomaly->attempts[2].attempt.client.fiber, 1);
}

TEST(TimestampReplay, WantsRecordsThatAreReplacedUnseenToBeThere) {
  const auto erasure = client(1).timestamp(10).write(0, kLoaded, kAbsentValue);
  EXPECT_EQ(name_of(replayed_by_timestamps({erasure, client(2).timestamp(5).put(0, 71)})),
            "out of timestamp order");
  EXPECT_EQ(name_of(replayed_by_timestamps({client(1).timestamp(10).write(0, 71, kAbsentValue),
                                            client(2).timestamp(5).put(0, 71)})),
            "");
  const auto late = replayed_by_timestamps({erasure, client(2).timestamp(15).put(0, 71)});
  ASSERT_EQ(name_of(late), "out of timestamp order");
  expect_told(late, {"replaced table 0 partition 0 key 0, which was absent there"});
}

TEST(TimestampReplay, RefusesOneTimestampForTwo) {
  const auto one = client(1).timestamp(10).write(0, kLoaded, 71);
  const auto anomaly = replayed_by_timestamps({one, client(2).timestamp(10).read(1, kLoaded)});
  ASSERT_EQ(name_of(anomaly), "same timestamp");
  expect_told(anomaly, {"fiber 1", "fiber 2", "timestamp 10"});
  EXPECT_EQ(anomaly->attempts.size(), 2U);
  for (const Outcome outcome : {Outcome::kAborted, Outcome::kRolledBack}) {
    EXPECT_EQ(name_of(replayed_by_timestamps(
                  {one, client(2).timestamp(10).outcome(outcome).read(1, kLoaded)})),
              "");
  }
}

TEST(TimestampReplay, NeedsTimestampsOfWhatCommitted) {
  EXPECT_THROW(replayed_by_timestamps({client(1).read(0, kLoaded)}), std::logic_error);
  EXPECT_THROW(replayed_by_timestamps({client(1).placed(2).put(0, 71)}), std::logic_error);
  EXPECT_EQ(name_of(replayed_by_timestamps({client(1)})), "") << "it accessed nothing";
  EXPECT_EQ(name_of(replayed_by_timestamps({client(1).outcome(Outcome::kRolledBack).read(0, 5)})),
            "");
  EXPECT_EQ(name_of(replayed_by_timestamps({client(1).outcome(Outcome::kAborted).read(0, 5)})), "");
}

TEST(TimestampReplay, ExplainsWhatItCanAsOthersAre) {
  EXPECT_EQ(name_of(replayed_by_timestamps({client(1).timestamp(10).read(0, 5)})),
            "unwritten value");
  EXPECT_EQ(
      name_of(replayed_by_timestamps({client(1).timestamp(10).outcome(Outcome::kAborted).put(0, 71),
                                      client(2).timestamp(20).read(0, 71)})),
      "G1a");
  EXPECT_EQ(name_of(replayed_by_timestamps({client(1).timestamp(10).write(0, kLoaded, 71),
                                            client(2).timestamp(20).write(0, kLoaded, 72)})),
            "G-single");
  EXPECT_EQ(name_of(replayed_by_timestamps(
                {client(1).timestamp(10).read(0, kLoaded).write(1, kLoaded, 71),
                 client(2).timestamp(20).read(1, kLoaded).write(0, kLoaded, 72)})),
            "G2");
}

// The reader of 71 read what the first wrote unseen, not what the last wrote who had read of it.
TEST(TimestampReplay, DoesNotGuessWhoWroteWhatSeveralDid) {
  const std::vector<AttemptBuilder> attempts = {
      client(1).timestamp(10).put(0, 71), client(2).timestamp(20).read(0, 71).write(1, kLoaded, 81),
      client(3).timestamp(30).put(0, 72), client(4).timestamp(40).read(1, 81).write(0, 72, 71)};
  EXPECT_EQ(name_of(replayed_by_timestamps(attempts)), "");
  auto with_misfit = attempts;
  with_misfit.push_back(client(5).timestamp(50).put(2, 91));
  with_misfit.push_back(client(6).timestamp(60).read(2, kLoaded));
  EXPECT_EQ(name_of(replayed_by_timestamps(with_misfit)), "out of timestamp order");
}

// Scans, of table 1 with keys 0 to 9.

TEST(TimestampReplay, ChecksWhatScansLeaveOut) {
  const auto insert = client(1).timestamp(10).write(12, kAbsentValue, 71, 1);
  const auto scan = [](std::uint64_t timestamp, const std::vector<Key>& keys) {
    return client(2).timestamp(timestamp).scan(9, 20, 9, keys);
  };
  EXPECT_EQ(name_of(replayed_by_timestamps({insert, scan(15, {9, 12})})), "");
  EXPECT_EQ(name_of(replayed_by_timestamps({insert, scan(5, {9})})), "");
  EXPECT_EQ(name_of(replayed_by_timestamps({insert, scan(15, {9})})), "out of timestamp order");
}

// Attempts whose clients were told nothing.

TEST(TimestampReplay, CountsAnUnknownAttemptIfSomebodyReadWhatItWrote) {
  for (const bool told : {true, false}) {
    auto lost = client(1).timestamp(10).put(0, 71).put(1, 81);
    lost.outcome(told ? Outcome::kUnknown : Outcome::kAborted);
    if (!told) lost.untold();
    const auto reader = client(2).timestamp(20).read(0, 71);
    EXPECT_EQ(name_of(replayed_by_timestamps({lost, reader})), "");
    EXPECT_EQ(name_of(replayed_by_timestamps({lost, AttemptBuilder(reader).read(1, 81)})), "");
    EXPECT_EQ(name_of(replayed_by_timestamps({lost, AttemptBuilder(reader).read(1, kLoaded)})),
              "out of timestamp order")
        << "half of what one wrote is no state at all";
    EXPECT_EQ(name_of(replayed_by_timestamps({lost, client(2).timestamp(5).read(0, 71)})),
              "out of timestamp order");
    EXPECT_EQ(name_of(replayed_by_timestamps({lost, client(2).timestamp(20).read(0, kLoaded)})),
              "");
  }
}

TEST(TimestampReplay, FollowsWhatUnknownAttemptsReadOfEachOther) {
  const std::vector<AttemptBuilder> attempts = {
      client(1).timestamp(10).outcome(Outcome::kUnknown).put(0, 71).put(5, 75),
      client(2).timestamp(20).outcome(Outcome::kUnknown).read(0, 71).put(1, 72),
      client(3).timestamp(30).read(1, 72)};
  EXPECT_EQ(name_of(replayed_by_timestamps(attempts)), "");
  auto with_stale = attempts;
  with_stale.push_back(client(4).timestamp(40).read(5, kLoaded));
  EXPECT_EQ(name_of(replayed_by_timestamps(with_stale)), "out of timestamp order");
}

TEST(TimestampReplay, LeavesOpenWhatSeveralMayHaveWritten) {
  const auto lost = client(1).timestamp(20).outcome(Outcome::kUnknown).put(0, kLoaded);
  const auto before = client(2).timestamp(10).put(0, 71);
  for (const ValueDigest value : {kLoaded, ValueDigest{71}}) {
    EXPECT_EQ(
        name_of(replayed_by_timestamps({lost, before, client(3).timestamp(30).read(0, value)})),
        "");
    EXPECT_EQ(final_verdict({lost, before}, 0, value), "");
  }
  EXPECT_EQ(
      name_of(replayed_by_timestamps({lost, before, client(3).timestamp(15).read(0, kLoaded)})),
      "out of timestamp order");
}

// It may have died when some of its writes were in place.
TEST(TimestampReplay, LetsWritesOfUnknownAttemptsBeMissingInTheEnd) {
  const auto lost = client(1).timestamp(10).outcome(Outcome::kUnknown).put(0, 71).put(1, 81);
  const auto reader = client(2).timestamp(20).read(0, 71);
  for (const auto& attempts : {std::vector{lost}, std::vector{lost, reader}}) {
    for (const Key key : {0U, 1U}) {
      EXPECT_EQ(final_verdict(attempts, key, key == 0 ? 71 : 81), "");
      EXPECT_EQ(final_verdict(attempts, key, kLoaded), "");
      EXPECT_EQ(final_verdict(attempts, key, 99), "final state");
    }
    auto replaced = attempts;
    replaced.push_back(client(3).timestamp(30).put(1, 91));
    EXPECT_EQ(final_verdict(replaced, 1, 91), "");
    EXPECT_EQ(final_verdict(replaced, 1, 81), "final state");
    EXPECT_EQ(final_verdict(replaced, 1, kLoaded), "final state");
  }
}

TEST(TimestampReplay, ForgetsUnknownAttemptsWithoutTimestamp) {
  const auto lost = client(1).outcome(Outcome::kUnknown).put(0, 71);
  EXPECT_EQ(final_verdict({lost}, 0, 71), "final state");
  EXPECT_EQ(final_verdict({lost}, 0, kLoaded), "");
}

// As a checker.

TEST(TimestampReplay, WaitsForTheEnd) {
  TimestampCheck check(testing::history_schema(), Isolation::kSerializability);
  check.add(of({client(1).timestamp(20).write(0, 72, 71)}));
  check.replay(kAfterAll);
  EXPECT_EQ(check.replayed(), 0U);
  check.add(of({client(2).timestamp(10).write(0, kLoaded, 72),
                client(2).timestamp(5).outcome(Outcome::kAborted).read(0, 1)}));
  check.finish();
  EXPECT_EQ(name_of(check.anomaly()), "");
  EXPECT_EQ(check.replayed(), 2U);
  std::size_t records = 0;
  check.visit_records([&](const RecordName& record) {
    ++records;
    EXPECT_EQ(record.key, 0U);
  });
  EXPECT_EQ(records, 1U);
}

TEST(TimestampReplay, LooksAtEachAttemptAlone) {
  for (const std::uint64_t timestamp : {0U, 10U}) {
    ClientHistory changed =
        of({client(1).timestamp(timestamp).outcome(Outcome::kRolledBack).read(0, kLoaded)});
    changed.all_accesses[0].changed = true;
    TimestampCheck check(testing::history_schema(), Isolation::kSerializability);
    check.add(changed);
    check.finish();
    EXPECT_EQ(name_of(check.anomaly()), "changed value");
  }
}

TEST(TimestampReplay, IsTheCheckOfSystemsThatSaySo) {
  SystemInfo info;
  info.isolation = Isolation::kSerializability;
  for (const bool by_timestamps : {false, true}) {
    info.ordered_by_timestamps = by_timestamps;
    const auto check = make_checker(testing::history_schema(), info);
    check->add(of({client(1).placed(2).timestamp(20).write(0, 72, 71),
                   client(2).placed(3).timestamp(10).put(0, 72)}));
    check->finish();
    const TimestampCheck::FinalValue value{.record = {}, .value = 71};
    check->compare_final({&value, 1});
    EXPECT_EQ(name_of(check->anomaly()), by_timestamps ? "" : "final state");
  }
  info.isolation = Isolation::kStrictSerializability;
  EXPECT_THROW(make_checker(testing::history_schema(), info), std::logic_error);
}

}  // namespace
}  // namespace verbena::txn
