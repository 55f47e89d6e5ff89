// The serializability check: accepts serial histories and names what is wrong with others.
#include "txn/history.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "txn/random.h"

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
  Histories& aborted(const std::vector<HistoryAccess>& accesses) { return add(accesses, false); }
  std::string violation() const { return serializability_violation(history_).value_or(""); }

 private:
  Histories& add(const std::vector<HistoryAccess>& accesses, bool committed) {
    HistoryEntry entry{};
    entry.sequence = ++count_;
    entry.committed = committed;
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
