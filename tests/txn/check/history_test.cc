// The serializability check: accepts serial histories and names what is wrong with others.
#include "txn/check/history.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
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
  std::string violation() const { return serializability_violation(history_).value_or(""); }
  std::string strict_violation() const {
    return strict_serializability_violation(history_).value_or("");
  }

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
  EXPECT_NE(violation.find("involves 3 transactions"), std::string::npos) << violation;
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
