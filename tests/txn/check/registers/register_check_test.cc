// The check of single records: accepts what some order of the operations explains, and names what
// none does.
#include "txn/check/registers/register_check.h"

#include <gtest/gtest.h>

#include <cstdint>
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

const ValueDigest kLoaded = testing::loaded_value();

// A record that is loaded, and one that is not.
constexpr Key kThere = 0;
constexpr Key kNew = 20;

RegisterCheck new_check() { return {testing::history_schema(), Isolation::kLinearizableRegisters}; }

ClientHistory history_of(const std::vector<AttemptBuilder>& attempts) {
  ClientHistory history;
  for (const AttemptBuilder& attempt : attempts) attempt.add_to(history);
  return history;
}

std::optional<Anomaly> checked(const std::vector<AttemptBuilder>& attempts) {
  RegisterCheck check = new_check();
  check.add(history_of(attempts));
  check.finish();
  EXPECT_EQ(check.undecided(), 0U);
  return check.anomaly();
}

// With what a record holds in the end.
std::optional<Anomaly> checked(const std::vector<AttemptBuilder>& attempts, Key key,
                               ValueDigest found) {
  RegisterCheck check = new_check();
  check.add(history_of(attempts));
  check.finish();
  EXPECT_EQ(name_of(check.anomaly()), "");
  check.compare_final(std::vector{HistoryChecker::FinalValue{
      .record = {.table = 0, .partition = 0, .key = key}, .value = found}});
  return check.anomaly();
}

// The clients of an anomaly's operations, in its order.
std::vector<int> fibers_of(const std::optional<Anomaly>& anomaly) {
  std::vector<int> fibers;
  if (!anomaly) return fibers;
  for (const AnomalousAttempt& one : anomaly->attempts) fibers.push_back(one.attempt.client.fiber);
  return fibers;
}

// Each of another client, from 1.
class Operations {
 public:
  AttemptBuilder during(Moment began, Moment ended) {
    return AttemptBuilder(++fiber_).during(began, ended);
  }
  AttemptBuilder read(Moment began, Moment ended, ValueDigest value, Key key = kThere) {
    return during(began, ended).read(key, value);
  }
  AttemptBuilder put(Moment began, Moment ended, ValueDigest value, Key key = kThere) {
    return during(began, ended).put(key, value);
  }
  AttemptBuilder step(Moment began, Moment ended, ValueDigest read, ValueDigest written,
                      Key key = kThere) {
    return during(began, ended).write(key, read, written);
  }

 private:
  std::uint16_t fiber_ = 0;
};

TEST(RegisterCheck, AcceptsReadsOfWhatWasWrittenLast) {
  Operations of;
  EXPECT_EQ(
      name_of(checked({of.read(1, 2, kLoaded), of.put(3, 4, 71), of.read(5, 6, 71),
                       of.put(7, 8, 72), of.read(9, 10, 72), of.read(11, 12, kAbsentValue, kNew),
                       of.put(13, 14, 73, kNew), of.read(15, 16, 73, kNew)})),
      "");
}

TEST(RegisterCheck, AcceptsEitherValueWhileAWriteIsInFlight) {
  Operations of;
  EXPECT_EQ(name_of(checked({of.put(1, 10, 71), of.read(2, 3, kLoaded), of.read(4, 9, 71),
                             of.read(5, 6, kLoaded), of.read(7, 8, 71)})),
            "");
}

TEST(RegisterCheck, FindsReadsOfWhatWasReplaced) {
  Operations of;
  const auto anomaly = checked({of.put(1, 2, 71), of.put(3, 4, 72), of.read(5, 6, 71)});
  EXPECT_EQ(name_of(anomaly), "stale read");
  EXPECT_EQ(fibers_of(anomaly), (std::vector{3, 1}));
  EXPECT_EQ(name_of(checked({of.put(1, 2, 71), of.read(3, 4, kLoaded)})), "stale read");
}

// The write may come at any time, but not before one read and after a later one.
TEST(RegisterCheck, FindsReadsThatGoBack) {
  Operations of;
  const auto anomaly = checked({of.put(1, 10, 71), of.read(2, 3, 71), of.read(4, 5, kLoaded)});
  EXPECT_EQ(name_of(anomaly), "stale read");
  EXPECT_EQ(fibers_of(anomaly).size(), 2U);
}

TEST(RegisterCheck, FindsTwoValuesInTurn) {
  Operations of;
  EXPECT_EQ(name_of(checked({of.put(1, 20, 71), of.put(1, 20, 72), of.read(2, 3, 71),
                             of.read(4, 5, 72), of.read(6, 7, 71), of.read(8, 9, 72)})),
            "stale read");
  EXPECT_EQ(name_of(checked({of.put(1, 20, 71), of.put(1, 20, 72), of.read(2, 3, 71),
                             of.read(4, 5, 71), of.read(6, 7, 72), of.read(8, 9, 72)})),
            "");
}

// While one value is there for sure, another comes and goes.
TEST(RegisterCheck, FindsAValueWithinTheTimeOfAnother) {
  Operations of;
  const std::vector<AttemptBuilder> around = {of.put(1, 2, 71), of.read(9, 10, 71)};
  std::vector<AttemptBuilder> within = around;
  within.push_back(of.put(4, 6, 72));
  EXPECT_EQ(name_of(checked(within)), "stale read");
  std::vector<AttemptBuilder> reaches_out = around;
  reaches_out.push_back(of.put(4, 9, 72));
  EXPECT_EQ(name_of(checked(reaches_out)), "");
  reaches_out.push_back(of.read(5, 9, 72));
  EXPECT_EQ(name_of(checked(reaches_out)), "");
  reaches_out.push_back(of.read(5, 8, 72));
  EXPECT_EQ(name_of(checked(reaches_out)), "stale read");
}

// One that ends at the moment at which another begins is not before it.
TEST(RegisterCheck, TakesTheSameMomentForEitherOrder) {
  Operations of;
  EXPECT_EQ(name_of(checked({of.put(1, 3, 71), of.read(3, 4, kLoaded)})), "");
  EXPECT_EQ(name_of(checked({of.put(1, 2, 71), of.read(3, 4, kLoaded)})), "stale read");
}

TEST(RegisterCheck, FindsReadsBeforeTheWrite) {
  Operations of;
  const auto anomaly = checked({of.read(1, 2, 71), of.put(3, 4, 71)});
  EXPECT_EQ(name_of(anomaly), "early read");
  EXPECT_EQ(fibers_of(anomaly).size(), 2U);
  EXPECT_EQ(name_of(checked({of.put(1, 9, 70), of.read(2, 3, 71), of.put(4, 5, 71)})),
            "early read");
}

TEST(RegisterCheck, FindsValuesThatNobodyWrote) {
  Operations of;
  EXPECT_EQ(name_of(checked({of.read(1, 2, 99)})), "unwritten value");
  EXPECT_EQ(name_of(checked({of.put(1, 9, 71), of.read(2, 3, kAbsentValue)})), "unwritten value");
}

TEST(RegisterCheck, FindsReadsOfWhatWasNotCommitted) {
  Operations of;
  const auto aborted = of.put(1, 2, 71).outcome(Outcome::kAborted);
  const auto rolled_back = of.step(1, 2, kLoaded, 71).outcome(Outcome::kRolledBack);
  for (const AttemptBuilder& writer : {aborted, rolled_back}) {
    const auto anomaly = checked({writer, of.read(3, 4, 71)});
    EXPECT_EQ(name_of(anomaly), "G1a");
    EXPECT_EQ(fibers_of(anomaly).size(), 2U);
    EXPECT_EQ(name_of(checked({writer, of.read(3, 4, kLoaded)})), "");
  }
}

TEST(RegisterCheck, LooksAtWhatRolledBackOnesRead) {
  Operations of;
  EXPECT_EQ(name_of(checked(
                {of.put(1, 2, 71), of.step(3, 4, kLoaded, 72).outcome(Outcome::kRolledBack)})),
            "stale read");
  EXPECT_EQ(
      name_of(checked({of.put(1, 2, 71), of.step(3, 4, kLoaded, 72).outcome(Outcome::kAborted)})),
      "");
}

TEST(RegisterCheck, AcceptsStepsFromValueToValue) {
  Operations of;
  EXPECT_EQ(name_of(checked({of.step(1, 9, 71, 72), of.step(2, 8, kLoaded, 71),
                             of.step(3, 7, 72, 73), of.read(4, 9, 71), of.read(10, 11, 73)})),
            "");
}

TEST(RegisterCheck, FindsLostUpdates) {
  Operations of;
  const auto anomaly = checked({of.step(1, 5, kLoaded, 71), of.step(2, 6, kLoaded, 72)});
  EXPECT_EQ(name_of(anomaly), "lost update");
  EXPECT_EQ(fibers_of(anomaly).size(), 2U);
}

TEST(RegisterCheck, FindsStepsAgainstTheClock) {
  Operations of;
  // The values lie next to each other, and the first of them was read after the last.
  EXPECT_EQ(name_of(checked({of.step(1, 20, kLoaded, 71), of.step(1, 20, 71, 72), of.read(2, 3, 72),
                             of.read(4, 5, 71)})),
            "stale read");
  EXPECT_EQ(name_of(checked({of.step(1, 20, kLoaded, 71), of.step(1, 20, 71, 72), of.read(2, 3, 71),
                             of.read(4, 5, 72)})),
            "");
  // The later step ended before the one whose value it replaced began.
  EXPECT_EQ(name_of(checked({of.during(1, 30).put(kThere, 70), of.step(2, 3, 71, 72),
                             of.step(4, 5, kLoaded, 71)})),
            "early read");
}

TEST(RegisterCheck, FindsAWriteBetweenTheValuesOfAStep) {
  Operations of;
  EXPECT_EQ(name_of(checked({of.step(1, 20, kLoaded, 71), of.put(2, 8, 72), of.read(3, 4, 71),
                             of.step(7, 8, 71, 73)})),
            "");
  EXPECT_EQ(name_of(checked({of.step(1, 20, kLoaded, 71), of.put(5, 6, 72), of.read(3, 4, 71),
                             of.step(7, 8, 71, 73)})),
            "stale read");
}

TEST(RegisterCheck, FindsStepsInACircle) {
  Operations of;
  EXPECT_EQ(name_of(checked({of.step(1, 9, 71, 72), of.step(2, 8, 72, 71)})), "G1c");
}

TEST(RegisterCheck, AStepThatLeavesWhatItFoundIsARead) {
  Operations of;
  EXPECT_EQ(name_of(checked({of.step(1, 2, kLoaded, kLoaded), of.step(3, 9, kLoaded, 71),
                             of.step(4, 8, kLoaded, kLoaded)})),
            "");
}

TEST(RegisterCheck, WritesOfUnknownOutcomeCountIfTheyWereRead) {
  Operations of;
  const auto unknown = of.put(3, 4, 71).outcome(Outcome::kUnknown);
  EXPECT_EQ(name_of(checked({unknown, of.read(5, 6, kLoaded)})), "");
  EXPECT_EQ(name_of(checked({unknown, of.read(5, 6, kLoaded), of.read(7, 8, 71)})), "");
  EXPECT_EQ(name_of(checked({unknown, of.read(5, 6, 71), of.read(7, 8, kLoaded)})), "stale read");
  EXPECT_EQ(name_of(checked({unknown, of.read(1, 2, 71)})), "early read");
  EXPECT_EQ(name_of(checked({unknown}, kThere, 71)), "");
  EXPECT_EQ(name_of(checked({unknown}, kThere, kLoaded)), "");
}

TEST(RegisterCheck, NobodyKnowsTheOutcomeOfWhatWasNotTold) {
  Operations of;
  for (const Outcome outcome : {Outcome::kCommitted, Outcome::kAborted}) {
    const auto untold = of.put(3, 4, 71).outcome(outcome).untold();
    EXPECT_EQ(name_of(checked({untold, of.read(5, 6, kLoaded), of.read(7, 8, 71)})), "");
  }
}

TEST(RegisterCheck, StepsOfUnknownOutcomeCountIfSomethingFollowsThem) {
  Operations of;
  const auto first = of.step(1, 2, kLoaded, 71).outcome(Outcome::kUnknown);
  const auto second = of.step(3, 4, 71, 72).outcome(Outcome::kUnknown);
  const auto other = of.step(5, 6, kLoaded, 73);
  EXPECT_EQ(name_of(checked({first, second, other, of.read(7, 8, 73)})), "");
  EXPECT_EQ(name_of(checked({first, second, of.read(7, 8, 72)})), "");
  EXPECT_EQ(name_of(checked({first, second, other, of.read(7, 8, 72)})), "lost update");
}

TEST(RegisterCheck, AcceptsRecordsThatComeAndGo) {
  Operations of;
  EXPECT_EQ(name_of(checked({of.put(1, 6, 71, kNew), of.put(2, 7, kAbsentValue, kNew),
                             of.read(3, 4, kAbsentValue, kNew), of.read(5, 8, 71, kNew),
                             of.put(9, 14, kAbsentValue, kNew), of.put(10, 15, 72, kNew),
                             of.read(11, 12, 72, kNew), of.read(13, 16, kAbsentValue, kNew)})),
            "");
}

TEST(RegisterCheck, FindsAbsenceThatNobodyCanHaveBroughtBack) {
  Operations of;
  // Between the two reads of absence 71 was read, and the erasure had ended before.
  const std::vector<AttemptBuilder> attempts = {
      of.put(1, 20, 71, kNew), of.put(2, 3, kAbsentValue, kNew), of.read(4, 5, 71, kNew),
      of.read(6, 7, kAbsentValue, kNew)};
  EXPECT_EQ(name_of(checked(attempts)), "not linearizable");
  std::vector<AttemptBuilder> erased_again = attempts;
  erased_again.push_back(of.put(2, 6, kAbsentValue, kNew));
  EXPECT_EQ(name_of(checked(erased_again)), "");
}

// Each takes the key, and it was free only once.
TEST(RegisterCheck, FindsTwoInsertsWithoutAnErasureBetween) {
  Operations of;
  const auto one = of.step(1, 10, kAbsentValue, 71, kNew);
  const auto other = of.step(2, 9, kAbsentValue, 72, kNew);
  const auto erasure = of.step(3, 8, 71, kAbsentValue, kNew);
  EXPECT_EQ(name_of(checked({one, other})), "lost update");
  EXPECT_EQ(name_of(checked({one, other, erasure})), "");
  const auto third = of.step(4, 9, kAbsentValue, 73, kNew);
  EXPECT_EQ(name_of(checked({one, other, erasure, third})), "not linearizable");
}

TEST(RegisterCheck, AWriteMayHideAnother) {
  Operations of;
  // 71 by the first write, and again by the second, which hid what was written between.
  EXPECT_EQ(
      name_of(checked({of.put(1, 2, 71), of.put(3, 8, 71), of.put(4, 5, 72), of.read(6, 7, 71)})),
      "");
  EXPECT_EQ(name_of(checked({of.put(1, 2, 71), of.put(3, 8, 71), of.put(4, 5, 72),
                             of.read(6, 7, 72), of.read(9, 10, 72)})),
            "");
  EXPECT_EQ(name_of(checked({of.put(1, 2, 71), of.put(3, 8, 71), of.put(4, 5, 72),
                             of.read(6, 7, 72), of.read(9, 10, 71), of.read(11, 12, 72)})),
            "stale read");
}

TEST(RegisterCheck, AWriteOfWhatIsThereMayHideAnother) {
  Operations of;
  // 99, absence again, the step, and its value until it is written once more.
  EXPECT_EQ(name_of(checked({of.put(1, 12, 99, kNew), of.put(3, 9, kAbsentValue, kNew),
                             of.step(5, 8, kAbsentValue, 71, kNew), of.read(13, 18, 71, kNew),
                             of.put(19, 25, 71, kNew)})),
            "");
}

TEST(RegisterCheck, ComparesTheFinalValue) {
  Operations of;
  const std::vector<AttemptBuilder> attempts = {of.put(1, 2, 70), of.put(3, 5, 71),
                                                of.put(4, 6, 72)};
  EXPECT_EQ(name_of(checked(attempts, kThere, 71)), "");
  EXPECT_EQ(name_of(checked(attempts, kThere, 72)), "");
  EXPECT_EQ(name_of(checked(attempts, kThere, 70)), "final state");
  EXPECT_EQ(name_of(checked(attempts, kThere, kLoaded)), "final state");
  EXPECT_EQ(name_of(checked(attempts, 1, kLoaded)), "");
  EXPECT_EQ(name_of(checked(attempts, 1, 71)), "final state");
  EXPECT_EQ(name_of(checked(attempts, kNew, kAbsentValue)), "");
  EXPECT_EQ(name_of(checked(attempts, kNew, 71)), "final state");
}

TEST(RegisterCheck, NamesTheLastWriteOfAWrongFinalValue) {
  Operations of;
  const auto anomaly = checked({of.put(1, 2, 70), of.put(3, 5, 71)}, kThere, 99);
  EXPECT_EQ(name_of(anomaly), "final state");
  EXPECT_EQ(fibers_of(anomaly), std::vector{2});
}

TEST(RegisterCheck, TellsOperationsAndTimes) {
  Operations of;
  EXPECT_EQ(anomaly_text(checked({of.put(1, 2, 0x71).told_at(20_ns),
                                  of.put(3, 4, kAbsentValue).told_at(40_ns),
                                  of.read(5, 6, 0x71).told_at(60_ns)})),
            "stale read: table 0 partition 0 key 0: a value was read after it had been replaced: "
            "attempt 1 of node 0, worker 0, fiber 3 read 71 from 0 to 60 ns; "
            "attempt 1 of node 0, worker 0, fiber 1 wrote 71 from 0 to 20 ns");
}

TEST(RegisterCheck, FindsChangedValues) {
  Operations of;
  ClientHistory history = history_of({of.read(1, 2, kLoaded)});
  history.all_accesses[0].changed = true;
  RegisterCheck check = new_check();
  check.add(std::move(history));
  EXPECT_EQ(name_of(check.anomaly()), "changed value");
}

// Most operations are forgotten then: what is read must have been written since.
TEST(RegisterCheck, ForgetsWhatIsInOrder) {
  RegisterCheck check = new_check();
  for (Moment i = 1; i <= 1000; ++i) {
    Operations of;
    check.add(
        history_of({of.put(10 * i, 10 * i + 2, 1000 + i), of.read(10 * i + 1, 10 * i + 4, 1000 + i),
                    of.put(10 * i + 5, 10 * i + 8, 2000 + i).outcome(Outcome::kAborted)}));
    check.replay(10 * i + 10);
    ASSERT_EQ(name_of(check.anomaly()), "") << i;
  }
  Operations of;
  check.add(history_of({of.read(20'000, 20'001, 1001)}));
  check.finish();
  EXPECT_EQ(name_of(check.anomaly()), "unwritten value");
  EXPECT_NE(anomaly_text(check.anomaly()).find("or long before"), std::string::npos);
}

// Until 80 is there for sure the search is not done, but after that.
TEST(RegisterCheck, CountsWhatASearchGivesUp) {
  Operations of;
  std::vector<AttemptBuilder> attempts = {
      of.put(1, 100, 99), of.put(2, 10, 71),  of.put(2, 10, 71),
      of.put(2, 10, 72),  of.put(2, 10, 72),  of.read(5, 9, 71),
      of.read(5, 9, 72),  of.put(13, 14, 80), of.read(16, 17, 80)};
  const auto unchecked = [&](std::size_t states, const std::string& name) {
    RegisterCheck check(testing::history_schema(), Isolation::kLinearizableRegisters,
                        {.states = states});
    check.add(history_of(attempts));
    check.finish();
    EXPECT_EQ(name_of(check.anomaly()), name);
    return check.undecided();
  };
  EXPECT_EQ(unchecked(1000, ""), 0U);
  EXPECT_GT(unchecked(2, ""), 0U);
  attempts.push_back(of.put(20, 21, 71));
  attempts.push_back(of.put(22, 23, 81));
  attempts.push_back(of.read(24, 25, 71));
  attempts.push_back(of.read(24, 25, 71));
  EXPECT_EQ(unchecked(1000, "not linearizable"), 0U);
  EXPECT_GT(unchecked(2, "not linearizable"), 0U);
}

TEST(RegisterCheck, GivesUpWhereTooMuchIsInFlight) {
  Operations of;
  std::vector<AttemptBuilder> attempts = {of.put(1, 100, 99), of.put(60, 61, 80),
                                          of.read(63, 64, 80)};
  for (int i = 0; i < 300; ++i) attempts.push_back(of.put(2, 50, 71));
  for (const char* name : {"", "not linearizable"}) {
    RegisterCheck check = new_check();
    check.add(history_of(attempts));
    check.finish();
    EXPECT_EQ(name_of(check.anomaly()), name);
    EXPECT_GT(check.undecided(), 0U);
    attempts.push_back(of.read(65, 66, 71));
  }
}

TEST(RegisterCheck, VisitsRecordsAndCountsAttempts) {
  Operations of;
  RegisterCheck check = new_check();
  check.add(history_of({of.put(1, 2, 71), of.read(3, 4, kAbsentValue, kNew), of.during(5, 6),
                        of.put(7, 8, 72).outcome(Outcome::kAborted)}));
  check.finish();
  EXPECT_EQ(check.replayed(), 3U);
  std::vector<Key> keys;
  check.visit_records([&](const RecordName& record) { keys.push_back(record.key); });
  EXPECT_EQ(keys, (std::vector<Key>{kThere, kNew}));
}

TEST(RegisterCheck, RefusesOperationsOnSeveralRecords) {
  Operations of;
  EXPECT_THROW(checked({of.during(1, 2).read(0, kLoaded).read(1, kLoaded)}), std::logic_error);
  EXPECT_THROW(checked({of.during(1, 2).scan(0, 9, 5, {})}), std::logic_error);
}

TEST(RegisterCheck, IsForSingleRecordsOnly) {
  EXPECT_THROW(RegisterCheck(testing::history_schema(), Isolation::kStrictSerializability),
               std::logic_error);
  EXPECT_FALSE(RegisterCheck::can_check(Isolation::kSnapshotIsolation));
  EXPECT_TRUE(can_check(Isolation::kLinearizableRegisters));
  SystemInfo system;
  system.isolation = Isolation::kLinearizableRegisters;
  const auto check = make_checker(testing::history_schema(), system);
  EXPECT_NE(dynamic_cast<RegisterCheck*>(check.get()), nullptr);
}

}  // namespace
}  // namespace verbena::txn
