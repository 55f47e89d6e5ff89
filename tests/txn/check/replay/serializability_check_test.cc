// The replay: accepts what fits one order, and names what does not.
#include "txn/check/replay/serializability_check.h"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

#include "tests/txn/check/client_histories.h"

namespace verbena::txn {
namespace {

using testing::AttemptBuilder;
using testing::name_of;
using testing::replayed;

const ValueDigest kLoaded = testing::loaded_value();

// An attempt of fiber 1, 2, 3, ...
AttemptBuilder client(std::uint16_t fiber) { return AttemptBuilder(fiber); }

TEST(Replay, AcceptsOneAfterTheOther) {
  EXPECT_EQ(name_of(replayed({client(1).during(1, 3).placed(2).write(0, kLoaded, 71),
                              client(2).during(4, 6).placed(5).write(0, 71, 72).read(1, kLoaded),
                              client(3).during(7, 8).read(0, 72)})),
            "");
}

TEST(Replay, OrdersWritersByTheirPlacesNotByTheirEnds) {
  EXPECT_EQ(name_of(replayed({client(1).during(1, 9).placed(3).write(0, kLoaded, 71),
                              client(2).during(2, 5).placed(4).write(0, 71, 72)})),
            "");
}

TEST(Replay, LetsReadersChooseAMomentWithinTheirTime) {
  const auto first = client(1).during(10, 13).placed(11).write(0, kLoaded, 71);
  const auto second = client(1).during(20, 23).placed(21).write(0, 71, 72);
  for (const ValueDigest value : {kLoaded, ValueDigest{71}, ValueDigest{72}}) {
    EXPECT_EQ(name_of(replayed({first, second, client(2).during(1, 30).read(0, value)})), "");
  }
  EXPECT_EQ(name_of(replayed({first, second, client(2).during(15, 30).read(0, kLoaded)})),
            "stale read");
  EXPECT_EQ(name_of(replayed({first, second, client(2).during(24, 30).read(0, 71)})), "stale read");
}

TEST(Replay, WantsOneMomentForAllThatWasRead) {
  const auto first = client(1).during(10, 13).placed(11).write(0, kLoaded, 71);
  const auto second = client(1).during(20, 23).placed(21).write(1, kLoaded, 72);
  EXPECT_EQ(
      name_of(replayed({first, second, client(2).during(1, 30).read(0, 71).read(1, kLoaded)})), "");
  const auto skewed = client(2).during(1, 30).read(0, kLoaded).read(1, 72);
  EXPECT_EQ(name_of(replayed({first, second, skewed})), "stale read");
  EXPECT_EQ(name_of(replayed({first, second, skewed}, Isolation::kSerializability)), "");
  // Half of what one wrote is no state at all.
  const auto both = client(1).during(10, 13).placed(11).write(0, kLoaded, 71).write(1, kLoaded, 72);
  EXPECT_EQ(name_of(replayed({both, skewed})), "G-single");
}

TEST(Replay, FindsTheMomentAtWhichAValueHadComeBack) {
  EXPECT_EQ(name_of(replayed({client(1).during(10, 13).placed(11).write(0, kLoaded, 71),
                              client(1).during(20, 23).placed(21).write(0, 71, kLoaded),
                              client(1).during(30, 33).placed(31).write(1, kLoaded, 72),
                              client(2).during(14, 40).read(0, kLoaded).read(1, 72)})),
            "");
}

// Serializability alone does not mind that the reader came later.
TEST(Replay, MindsTimesOnlyWhereTheyArePromised) {
  const std::vector<AttemptBuilder> stale = {client(1).during(1, 3).placed(2).write(0, kLoaded, 71),
                                             client(2).during(4, 5).read(0, kLoaded)};
  EXPECT_EQ(name_of(replayed(stale)), "stale read");
  EXPECT_EQ(name_of(replayed(stale, Isolation::kSerializability)), "");
  EXPECT_TRUE(SerializabilityCheck::can_check(Isolation::kSerializability));
  EXPECT_FALSE(SerializabilityCheck::can_check(Isolation::kSnapshotIsolation));
  EXPECT_THROW(SerializabilityCheck({}, Isolation::kSnapshotIsolation), std::logic_error);
}

TEST(Replay, ChecksWhatWasRolledBackAndNotWhatWasAborted) {
  const auto writer = client(1).during(1, 3).placed(2).write(0, kLoaded, 71);
  const auto late = client(2).during(4, 5).read(0, kLoaded);
  EXPECT_EQ(name_of(replayed({writer, AttemptBuilder(late).outcome(Outcome::kRolledBack)})),
            "stale read");
  EXPECT_EQ(name_of(replayed({writer, AttemptBuilder(late).outcome(Outcome::kAborted)})), "");
}

TEST(Replay, DoesNotApplyWhatDidNotCommit) {
  for (const Outcome outcome : {Outcome::kRolledBack, Outcome::kAborted}) {
    EXPECT_EQ(
        name_of(replayed({client(1).during(1, 3).placed(2).write(0, kLoaded, 71).outcome(outcome),
                          client(2).during(4, 5).read(0, kLoaded)})),
        "");
  }
}

// Nobody knows what they replaced, but it was there.
TEST(Replay, AcceptsWritesOfRecordsUnseen) {
  const auto first = client(1).during(1, 5).placed(2).put(0, 71);
  const auto second = client(2).during(1, 5).placed(3).put(0, 72);
  EXPECT_EQ(name_of(replayed({first, second, client(3).during(6, 7).read(0, 72)})), "");
  EXPECT_EQ(name_of(replayed({first, second, client(3).during(6, 7).read(0, 71)})), "out of place");
  EXPECT_EQ(name_of(replayed({client(1).during(1, 3).placed(2).put(11, 71)})), "out of place");
}

// The names.

TEST(Replay, NamesAReadOfWhatWasAborted) {
  for (const Outcome outcome : {Outcome::kRolledBack, Outcome::kAborted}) {
    const auto anomaly =
        replayed({client(1).during(1, 3).placed(2).write(0, kLoaded, 71).outcome(outcome),
                  client(2).during(4, 5).read(0, 71)});
    ASSERT_EQ(name_of(anomaly), "G1a");
    ASSERT_EQ(anomaly->attempts.size(), 2U);
    EXPECT_EQ(anomaly->attempts[0].attempt.client.fiber, 2);
    EXPECT_EQ(anomaly->attempts[1].attempt.client.fiber, 1);
    ASSERT_EQ(anomaly->edges.size(), 1U);
    EXPECT_EQ(anomaly->edges[0].from, 1U);
    EXPECT_EQ(anomaly->edges[0].value, 71U);
  }
}

TEST(Replay, NamesAValueThatNobodyWrote) {
  EXPECT_EQ(name_of(replayed({client(1).during(1, 2).read(0, 99)})), "unwritten value");
}

TEST(Replay, NamesALostUpdate) {
  const auto anomaly = replayed({client(1).during(1, 5).placed(2).write(0, kLoaded, 71),
                                 client(2).during(1, 5).placed(3).write(0, kLoaded, 72)});
  ASSERT_EQ(name_of(anomaly), "G-single");
  EXPECT_NE(anomaly->what.find("lost update"), std::string::npos);
}

TEST(Replay, NamesWritesInACircle) {
  // The second replaced what the first wrote of key 0, and the other way round of key 1.
  EXPECT_EQ(
      name_of(replayed({client(1).during(1, 9).placed(2).write(0, kLoaded, 71).write(1, 82, 81),
                        client(2).during(1, 9).placed(3).write(0, 71, 72).write(1, kLoaded, 82)})),
      "G0");
}

TEST(Replay, NamesInformationInACircle) {
  EXPECT_EQ(name_of(replayed({client(1).during(1, 9).placed(2).write(0, kLoaded, 71).read(1, 82),
                              client(2).during(1, 9).placed(3).write(1, kLoaded, 82).read(0, 71)})),
            "G1c");
}

TEST(Replay, NamesWriteSkew) {
  const auto anomaly =
      replayed({client(1).during(1, 9).placed(2).write(0, kLoaded, 71).read(1, kLoaded),
                client(2).during(1, 9).placed(3).write(1, kLoaded, 82).read(0, kLoaded)});
  ASSERT_EQ(name_of(anomaly), "G2");
  ASSERT_EQ(anomaly->edges.size(), 2U);
  for (const AnomalyEdge& edge : anomaly->edges) {
    EXPECT_EQ(edge.why, Precedence::kReadWrite);
    EXPECT_EQ(edge.value, kLoaded);
  }
}

// Before the first would do, but that is not where its system says that it is.
TEST(Replay, NamesWhatIsNotInItsPlace) {
  const std::vector<AttemptBuilder> other_order = {
      client(1).during(1, 9).placed(2).write(0, kLoaded, 71).read(1, 82),
      client(2).during(1, 9).placed(3).write(1, kLoaded, 82)};
  EXPECT_EQ(name_of(replayed(other_order)), "out of place");
  EXPECT_EQ(name_of(replayed(other_order, Isolation::kSerializability)), "");
}

TEST(Replay, NamesALoadedRecordThatIsMissing) {
  for (const std::uint64_t key : {0U, 5U}) {
    const auto read = replayed({client(1).during(1, 3).read(key, kAbsentValue)});
    ASSERT_EQ(name_of(read), "unwritten value");
    EXPECT_NE(read->what.find("nobody had erased"), std::string::npos);
    EXPECT_EQ(name_of(replayed({client(1).during(1, 3).placed(2).write(key, kAbsentValue, 71)})),
              "unwritten value");
  }
}

TEST(Replay, BlamesNobodyWhereSeveralWroteTheValue) {
  // Two wrote 91; the reader saw the first, which fits. What does not fit is of others.
  const auto anomaly = replayed({client(1).during(10, 12).placed(11).write(0, kLoaded, 91),
                                 client(1).during(20, 22).placed(21).write(0, 91, 92),
                                 client(1).during(25, 27).placed(26).write(1, kLoaded, 93),
                                 client(1).during(30, 32).placed(31).write(0, 92, 91),
                                 client(2).during(5, 40).read(0, 91).read(1, kLoaded),
                                 client(3).during(5, 40).read(2, 99)});
  ASSERT_EQ(name_of(anomaly), "unwritten value");
  EXPECT_EQ(anomaly->attempts[0].attempt.client.fiber, 3);
}

TEST(Replay, NamesAnAnomalyBehindManyOthers) {
  std::vector<AttemptBuilder> attempts;
  for (std::uint16_t fiber = 1; fiber <= 40; ++fiber) {
    attempts.push_back(client(fiber).during(1, 99).read(fiber % 10, kLoaded).read(3, 71));
  }
  attempts.push_back(client(41).during(1, 99).placed(50).write(3, kLoaded, 72));
  EXPECT_EQ(name_of(replayed(attempts)), "unwritten value");
}

// Scans, of table 1 with keys 0 to 9.

TEST(Replay, AcceptsScansThatLeaveOutWhatWasAbsent) {
  EXPECT_EQ(name_of(replayed({client(1).during(1, 3).placed(2).write(5, kLoaded, kAbsentValue, 1),
                              client(2).during(4, 5).scan(4, 6, 9, {4, 6})})),
            "");
}

TEST(Replay, AcceptsScansThatGiveTooMuch) {
  EXPECT_EQ(name_of(replayed({client(1).during(1, 3).placed(2).write(5, kLoaded, kAbsentValue, 1),
                              client(2).during(4, 5).scan(4, 6, 9, {4, 5, 6})})),
            "");
}

TEST(Replay, NamesPhantoms) {
  const auto insert = client(1).during(1, 3).placed(2).write(12, kAbsentValue, 71, 1);
  const auto anomaly = replayed({insert, client(2).during(4, 5).scan(9, 20, 9, {9})});
  ASSERT_EQ(name_of(anomaly), "stale read");
  EXPECT_TRUE(anomaly->edges[0].scanned || anomaly->edges[1].scanned);
  EXPECT_EQ(name_of(replayed({insert, client(2).during(4, 5).scan(9, 20, 9, {9, 12})})), "");
  // Two that each scan where the other inserts.
  const auto skew = replayed(
      {client(1).during(1, 9).placed(2).write(12, kAbsentValue, 71, 1).scan(20, 29, 9, {}),
       client(2).during(1, 9).placed(3).write(22, kAbsentValue, 72, 1).scan(10, 19, 9, {})});
  ASSERT_EQ(name_of(skew), "G2");
  EXPECT_NE(skew->what.find("phantom"), std::string::npos);
}

TEST(Replay, KnowsHowFarAScanWithALimitHasSeen) {
  const auto insert = client(1).during(1, 3).placed(2).write(12, kAbsentValue, 71, 1);
  EXPECT_EQ(name_of(replayed({insert, client(2).during(4, 5).scan(8, 20, 2, {8, 9})})), "");
  EXPECT_EQ(name_of(replayed({insert, client(2).during(4, 5).scan(8, 20, 2, {9, 8}, true)})),
            "stale read");
  EXPECT_EQ(name_of(replayed({insert, client(2).during(4, 5).scan(8, 20, 2, {12, 9}, true)})), "");
}

TEST(Replay, MissesLoadedKeysThatAScanLeavesOut) {
  EXPECT_EQ(name_of(replayed({client(1).during(1, 2).scan(3, 5, 9, {3, 5})})), "out of place");
}

TEST(Replay, ForgetsKeysThatAreGoneForGood) {
  // A queue: the first key is taken out, one comes at the end.
  std::vector<AttemptBuilder> attempts;
  Moment now = 0;
  for (Key head = 0; head < 300; ++head, now += 10) {
    const ValueDigest value = head < 10 ? kLoaded : head;
    attempts.push_back(client(1)
                           .during(now + 1, now + 3)
                           .placed(now + 2)
                           .scan(0, 999, 1, {head})
                           .write(head, value, kAbsentValue, 1)
                           .write(head + 10, kAbsentValue, head + 10, 1));
  }
  EXPECT_EQ(name_of(replayed(attempts)), "");
  attempts.push_back(client(2).during(now + 1, now + 2).scan(0, 999, 1, {302}));
  EXPECT_EQ(name_of(replayed(attempts)), "stale read");
  // One that had gone comes back.
  attempts.back() = client(1).during(now + 1, now + 3).placed(now + 2).write(4, kAbsentValue, 7, 1);
  attempts.push_back(client(2).during(now + 4, now + 5).scan(0, 999, 1, {300}));
  EXPECT_EQ(name_of(replayed(attempts)), "stale read");
}

// In parts.

ClientHistory of(const AttemptBuilder& attempt) {
  ClientHistory history;
  attempt.add_to(history);
  return history;
}

TEST(Replay, InPartsWaitsForThoseWhoBeganBefore) {
  SerializabilityCheck check(testing::history_schema(), Isolation::kStrictSerializability);
  check.add(of(client(2).during(2, 5).placed(4).write(0, 71, 72)));
  check.replay(1);  // another began at 1
  EXPECT_EQ(check.replayed(), 0U);
  check.add(of(client(1).during(1, 7).placed(3).write(0, kLoaded, 71)));
  check.replay(8);
  EXPECT_EQ(check.replayed(), 2U);
  EXPECT_FALSE(check.anomaly());
}

TEST(Replay, InPartsRemembersWhatReadersMayAskFor) {
  SerializabilityCheck check(testing::history_schema(), Isolation::kStrictSerializability);
  ValueDigest value = kLoaded;
  for (Moment at = 10; at < 1000; at += 10) {
    check.add(of(client(1).during(at, at + 3).placed(at + 1).write(0, value, at)));
    value = at;
    check.replay(15);  // a reader began then
  }
  check.add(of(client(2).during(15, 1000).read(0, 500)));
  check.finish();
  EXPECT_FALSE(check.anomaly());
  EXPECT_EQ(check.replayed(), 100U);
}

// Adds the values 71, 72, ..., 99 of key 0, the first of which are forgotten.
SerializabilityCheck& with_a_past(SerializabilityCheck& check) {
  ValueDigest value = kLoaded;
  Moment at = 10;
  for (ValueDigest next = 71; next < 100; value = next++, at += 10) {
    check.add(of(client(1).during(at, at + 3).placed(at + 1).write(0, value, next)));
    check.replay(at + 4);
  }
  return check;
}

TEST(Replay, KnowsOfWhatItHasForgottenThatItIsOld) {
  for (const ValueDigest value : {kLoaded, ValueDigest{71}, ValueDigest{72}, ValueDigest{98}}) {
    for (const bool writes : {false, true}) {
      SerializabilityCheck check(testing::history_schema(), Isolation::kStrictSerializability, 3);
      AttemptBuilder late = client(2).during(900, 902).placed(901);
      with_a_past(check).add(of(writes ? late.write(0, value, 200) : late.read(0, value)));
      check.finish();
      ASSERT_TRUE(check.anomaly());
      if (value == 98) {
        EXPECT_EQ(check.anomaly()->name, writes ? "G-single" : "stale read");
      } else {
        EXPECT_NE(check.anomaly()->what.find("as it was long before"), std::string::npos) << value;
      }
    }
  }
}

TEST(Replay, RemembersThosesPartnersWhoAreStillRunning) {
  SerializabilityCheck check(testing::history_schema(), Isolation::kStrictSerializability, 3);
  ValueDigest value = kLoaded;
  for (Moment at = 10; at < 300; at += 10) {
    check.add(of(client(1).during(at, at + 3).placed(at + 1).write(0, value, at)));
    value = at;
    check.replay(5);  // one that began then is still running
  }
  check.add(of(client(2).during(5, 400).read(0, 50).read(1, 99)));
  check.finish();
  EXPECT_EQ(name_of(check.anomaly()), "unwritten value");
}

TEST(Replay, NamesWhatIsWrongWhateverOthersDid) {
  ClientHistory changed = of(client(1).during(1, 2).read(0, kLoaded));
  changed.all_accesses[0].changed = true;
  ClientHistory disorderly = of(client(1).during(1, 2).scan(0, 9, 2, {0, 1}));
  disorderly.all_scans[0].orderly = false;
  for (const auto& [history, name] :
       {std::pair(changed, "changed value"), std::pair(disorderly, "disorderly scan")}) {
    SerializabilityCheck check(testing::history_schema(), Isolation::kStrictSerializability);
    check.add(history);
    check.finish();
    EXPECT_EQ(name_of(check.anomaly()), name);
  }
}

void compare_final(SerializabilityCheck& check, Key key, ValueDigest value) {
  const SerializabilityCheck::FinalValue found{.record = {.table = 0, .partition = 0, .key = key},
                                               .value = value};
  check.compare_final({&found, 1});
}

TEST(Replay, ComparesTheFinalState) {
  SerializabilityCheck check(testing::history_schema(), Isolation::kStrictSerializability);
  check.add(of(client(1).during(1, 3).placed(2).write(0, kLoaded, 71).read(1, kLoaded)));
  check.finish();
  std::size_t records = 0;
  check.visit_records([&](const RecordName& record) {
    ++records;
    EXPECT_LE(record.key, 1U);
  });
  EXPECT_EQ(records, 2U) << "what was only read may be lost, too";
  compare_final(check, 0, 71);
  compare_final(check, 3, kLoaded);
  compare_final(check, 33, kAbsentValue);
  EXPECT_FALSE(check.anomaly());
  compare_final(check, 0, kLoaded);
  ASSERT_EQ(name_of(check.anomaly()), "final state");
  ASSERT_EQ(check.anomaly()->attempts.size(), 1U);
  EXPECT_EQ(check.anomaly()->attempts[0].attempt.client.fiber, 1);
}

TEST(Replay, RefusesWhatItCannotPlace) {
  EXPECT_THROW(replayed({client(1).during(1, 3).write(0, kLoaded, 71)}), std::logic_error);
  EXPECT_THROW(replayed({client(1).during(1, 3).outcome(Outcome::kUnknown)}), std::logic_error);
}

TEST(Digests, TellValuesOfAllLengthsApart) {
  std::array<std::byte, 64> bytes{};
  std::set<ValueDigest> seen = {kAbsentValue};
  for (std::size_t length = 0; length <= bytes.size(); ++length) {
    EXPECT_TRUE(seen.insert(digest_of(std::span(bytes).first(length))).second) << length;
  }
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      bytes[i] = static_cast<std::byte>(1U << bit);
      EXPECT_TRUE(seen.insert(digest_of(bytes)).second) << i << " " << bit;
      bytes[i] = std::byte{0};
    }
  }
}

}  // namespace
}  // namespace verbena::txn
