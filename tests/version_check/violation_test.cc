// The serializability check: accepts serial histories and names what is wrong with others.
#include "tests/version_check/violation.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "rdma/base/random.h"

namespace verbena::txn {
namespace {

RecordName record(Key key) { return {.table = 0, .partition = 0, .key = key}; }

HistoryAccess read_of(Key key, std::uint64_t version) {
  return {.record = record(key), .read_version = version, .written_version = 0};
}
HistoryAccess write_of(Key key, std::uint64_t version) {
  return {.record = record(key), .read_version = version, .written_version = version + 1};
}

class Histories {
 public:
  Histories& committed(const std::vector<HistoryAccess>& accesses) { return add(accesses, true); }
  /// During [begin, end].
  Histories& committed(Nanoseconds begin, Nanoseconds end,
                       const std::vector<HistoryAccess>& accesses) {
    return add(accesses, true, begin, end);
  }
  Histories& aborted(const std::vector<HistoryAccess>& accesses) { return add(accesses, false); }
  std::string violation() const { return violation_text(serializability_violation(history_)); }
  std::string strict_violation() const {
    return violation_text(strict_serializability_violation(history_));
  }

  const History& history() const { return history_; }

 private:
  Histories& add(const std::vector<HistoryAccess>& accesses, bool committed, Nanoseconds begin = 0,
                 Nanoseconds end = 0) {
    HistoryEntry entry{};
    entry.sequence = ++count_;
    entry.committed = committed;
    entry.begin = begin;
    entry.end = end;
    history_.add(entry, accesses);
    return *this;
  }
  History history_;
  std::uint64_t count_ = 0;
};

TEST(Serializability, HoldsForTransactionsOneAfterTheOther) {
  EXPECT_EQ(Histories()
                .committed({write_of(1, 1), read_of(2, 1)})
                .committed({write_of(1, 2), write_of(2, 1)})
                .violation(),
            "");
}

TEST(Serializability, IgnoresWhatWasAborted) {
  EXPECT_EQ(Histories().committed({write_of(1, 1)}).aborted({write_of(1, 1)}).violation(), "");
}

TEST(Serializability, FindsALostUpdate) {
  EXPECT_NE(Histories()
                .committed({write_of(1, 1)})
                .committed({write_of(1, 1)})
                .violation()
                .find("written twice"),
            std::string::npos);
}

TEST(Serializability, FindsWriteSkew) {
  EXPECT_NE(Histories()
                .committed({read_of(1, 1), write_of(2, 1)})
                .committed({read_of(2, 1), write_of(1, 1)})
                .violation()
                .find("cycle"),
            std::string::npos);
}

TEST(Serializability, FindsAnInconsistentRead) {
  EXPECT_NE(Histories()
                .committed({write_of(1, 1), write_of(2, 1)})
                .committed({read_of(1, 1), read_of(2, 2)})
                .violation(),
            "");
}

TEST(Serializability, FindsAVersionFromNowhere) {
  EXPECT_NE(Histories()
                .aborted({write_of(1, 1)})
                .committed({read_of(1, 2)})
                .violation()
                .find("no committed"),
            std::string::npos);
}

TEST(StrictSerializability, FindsAStaleRead) {
  Histories histories;
  histories.committed(10_ns, 20_ns, {write_of(1, 1)}).committed(30_ns, 40_ns, {read_of(1, 1)});
  EXPECT_EQ(histories.violation(), "");
  EXPECT_EQ(histories.strict_violation(),
            "transaction (node 0, worker 0, fiber 0, number 2) began after transaction (node 0, "
            "worker 0, fiber 0, number 1) had ended, but comes before it by what they read and "
            "wrote");
}

// Words on a violation: the transactions, and why each comes before the next.
TEST(Violation, NamesTheTransactionsOfAShortestCycleAndTheirEdges) {
  Histories histories;
  // Besides a cycle of two there is one of three, with which it shares nothing.
  histories.committed({read_of(5, 1), write_of(6, 1)})
      .committed({read_of(6, 1), write_of(7, 1)})
      .committed({read_of(7, 1), write_of(5, 1)})
      .committed({write_of(1, 1), write_of(2, 1)})
      .committed({read_of(2, 1), write_of(3, 1), read_of(1, 2)});
  const auto found = serializability_violation(histories.history());
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->what, "the serialization graph has a cycle of 2 transactions");
  ASSERT_EQ(found->transactions.size(), 2U);
  EXPECT_EQ(found->transactions[0].entry.sequence, 4U);
  EXPECT_EQ(found->transactions[1].entry.sequence, 5U);
  ASSERT_EQ(found->transactions[1].accesses.size(), 3U);
  EXPECT_EQ(found->transactions[1].accesses[1].record, record(3));
  EXPECT_EQ(found->transactions[1].accesses[1].written_version, 2U);
}

TEST(Violation, TellsWhyEachTransactionComesBeforeTheNext) {
  // 1 reads key 1 before 2 replaces it; 3 reads what 2 wrote; 1 replaces what 3 wrote of key 2.
  Histories histories;
  histories.committed({read_of(1, 1), write_of(2, 2)})
      .committed({write_of(1, 1)})
      .committed({read_of(1, 2), write_of(2, 1)});
  const auto found = serializability_violation(histories.history());
  ASSERT_TRUE(found.has_value());
  ASSERT_EQ(found->edges.size(), 3U);
  const auto edge = [&](Dependency why) {
    for (const ViolationEdge& candidate : found->edges) {
      if (candidate.why == why) return candidate;
    }
    return ViolationEdge{};
  };
  const auto number = [&](std::size_t i) { return found->transactions[i].entry.sequence; };
  const ViolationEdge rw = edge(Dependency::kReadWrite);
  EXPECT_EQ(number(rw.from), 1U);
  EXPECT_EQ(number(rw.to), 2U);
  EXPECT_EQ(rw.record, record(1));
  EXPECT_EQ(rw.from_version, 1U);
  EXPECT_EQ(rw.to_version, 2U);
  const ViolationEdge read = edge(Dependency::kWriteRead);
  EXPECT_EQ(number(read.from), 2U);
  EXPECT_EQ(number(read.to), 3U);
  EXPECT_EQ(read.from_version, 2U);
  EXPECT_EQ(read.to_version, 2U);
  // The version that 3 wrote is what 1 read before it wrote the next.
  std::size_t closed = 0;
  for (const ViolationEdge& candidate : found->edges) {
    if (number(candidate.from) == 3U && number(candidate.to) == 1U) ++closed;
  }
  EXPECT_EQ(closed, 1U);
}

TEST(Violation, OfALostUpdateShowsBothThatReplacedTheSameVersion) {
  Histories histories;
  histories.committed({write_of(1, 1)}).committed({write_of(1, 1)});
  const auto found = serializability_violation(histories.history());
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->transactions.size(), 2U);
  ASSERT_EQ(found->edges.size(), 2U);
  for (const ViolationEdge& edge : found->edges) {
    EXPECT_EQ(edge.why, Dependency::kReadWrite);
    EXPECT_EQ(edge.from_version, 1U);
    EXPECT_EQ(edge.to_version, 2U);
  }
}

TEST(Violation, OfAReadOfWhatWasAbortedShowsWhoWroteIt) {
  Histories histories;
  histories.aborted({write_of(1, 1)}).committed({read_of(1, 2)});
  const auto found = serializability_violation(histories.history());
  ASSERT_TRUE(found.has_value());
  ASSERT_EQ(found->transactions.size(), 2U);
  EXPECT_FALSE(found->transactions[1].entry.committed);
  ASSERT_EQ(found->edges.size(), 1U);
  EXPECT_EQ(found->edges[0].from, 1U);
  EXPECT_EQ(found->edges[0].why, Dependency::kWriteRead);
}

TEST(Violation, OfAStaleReadShowsThatTheWriterHadEnded) {
  Histories histories;
  histories.committed(10_ns, 20_ns, {write_of(1, 1)}).committed(30_ns, 40_ns, {read_of(1, 1)});
  const auto found = strict_serializability_violation(histories.history());
  ASSERT_TRUE(found.has_value());
  ASSERT_EQ(found->edges.size(), 2U);
  EXPECT_EQ(found->transactions[0].entry.begin, 30_ns);
  EXPECT_EQ(found->edges[0].why, Dependency::kReadWrite);
  EXPECT_EQ(found->edges[1].why, Dependency::kRealTime);
  EXPECT_EQ(found->edges[1].from, 1U);
}

TEST(StrictSerializability, LetsTransactionsThatOverlapComeInAnyOrder) {
  for (const Nanoseconds begin : {5_ns, 15_ns, 20_ns}) {
    EXPECT_EQ(Histories()
                  .committed(10_ns, 20_ns, {write_of(1, 1)})
                  .committed(begin, 40_ns, {read_of(1, 1)})
                  .strict_violation(),
              "");
  }
}

// The reader overlaps both writers, but sees the later one's write and not the earlier one's.
TEST(StrictSerializability, FindsACycleThatRunsThroughTimeBetweenOthers) {
  Histories histories;
  histories.committed(10_ns, 20_ns, {write_of(1, 1)})
      .committed(30_ns, 40_ns, {write_of(2, 1)})
      .committed(5_ns, 50_ns, {read_of(1, 1), read_of(2, 2)});
  EXPECT_EQ(histories.violation(), "");
  const std::string violation = histories.strict_violation();
  EXPECT_NE(violation.find("the times"), std::string::npos) << violation;
  EXPECT_NE(violation.find("cycle of 3 transactions"), std::string::npos) << violation;
}

TEST(StrictSerializability, IsAlsoViolatedByWhatIsNotSerializable) {
  EXPECT_NE(Histories()
                .committed(10_ns, 20_ns, {read_of(1, 1), write_of(2, 1)})
                .committed(10_ns, 20_ns, {read_of(2, 1), write_of(1, 1)})
                .strict_violation()
                .find("serialization graph"),
            std::string::npos);
}

// Each transaction takes effect at an instant of its own within its interval. With one read moved
// to the version before, of a writer that ended earlier, the history is not strict any more.
RC_GTEST_PROP(StrictSerializability, HoldsForInstantsAndNotForAStaleRead, (std::uint64_t seed)) {
  Random random(seed);
  std::map<Key, std::uint64_t> versions;
  Histories strict;
  Nanoseconds last = 0;
  for (Nanoseconds instant = kMicrosecond; instant < 61 * kMicrosecond; instant += kMicrosecond) {
    std::vector<HistoryAccess> accesses;
    for (Key key = 0; key < 6; ++key) {
      const std::uint64_t choice = random.below(4);
      if (choice > 1) continue;
      std::uint64_t& version = versions.try_emplace(key, 1).first->second;
      accesses.push_back(choice == 0 ? read_of(key, version) : write_of(key, version++));
    }
    const auto begin = instant - Nanoseconds(random.below(5000));
    const auto end = instant + Nanoseconds(random.below(5000));
    strict.committed(begin, end, accesses);
    last = std::max(last, end);
  }
  RC_ASSERT(strict.strict_violation().empty());
  const auto written = std::ranges::find_if(versions, [](const auto& v) { return v.second > 1; });
  RC_PRE(written != versions.end());
  strict.committed(last + 1_ns, last + 2_ns, {read_of(written->first, written->second - 1)});
  RC_ASSERT(strict.violation().empty());
  RC_ASSERT(!strict.strict_violation().empty());
}

// Transactions executed serially, then recorded in any order.
RC_GTEST_PROP(Serializability, HoldsForEverySerialExecution, (std::uint64_t seed)) {
  Random random(seed);
  std::map<Key, std::uint64_t> versions;
  std::vector<std::vector<HistoryAccess>> executed;
  for (int t = 0; t < 60; ++t) {
    std::vector<HistoryAccess> accesses;
    for (Key key = 0; key < 6; ++key) {
      const std::uint64_t choice = random.below(4);
      if (choice > 1) continue;
      std::uint64_t& version = versions.try_emplace(key, 1).first->second;
      accesses.push_back(choice == 0 ? read_of(key, version) : write_of(key, version++));
    }
    executed.push_back(accesses);
  }
  for (std::size_t i = executed.size(); i > 1; --i)
    std::swap(executed[i - 1], executed[random.below(i)]);
  Histories histories;
  for (const auto& accesses : executed) histories.committed(accesses);
  RC_ASSERT(histories.violation().empty());
}

}  // namespace
}  // namespace verbena::txn
