// Transactions of one node that come between two steps of a transaction of another, in simulated
// time.
#include "tests/txn/occ/interruption.h"

#include <algorithm>
#include <atomic>
#include <span>

#include "txn/store/record.h"

namespace verbena::txn::occ {
namespace {

using Intent = Transaction::Intent;

// Enough for what nobody waits for: write-back and unlocking.
constexpr Nanoseconds kSettled = 50 * kMicrosecond;

void fill(std::span<std::byte> payload, std::uint64_t word) {
  for (std::size_t at = 0; at < payload.size(); at += 8) store_word(payload.data() + at, word);
}

// Attempts that `change` a record, wanted with `intent`, until one commits. Nobody is in the way
// for long.
void commit_change(Transaction& transaction, const RecordName& name, Intent intent,
                   const std::function<void(Transaction::Handle)>& change) {
  constexpr int kMost = 20;
  for (int attempt = 0; attempt < kMost; ++attempt) {
    transaction.begin();
    const auto record = transaction.want(name, intent);
    if (transaction.fetch()) change(record);
    const bool committed = transaction.commit();
    transaction.wait(kSettled);
    if (committed) return;
  }
  ADD_FAILURE() << "key " << name.key << " cannot be changed";
}

}  // namespace

void run_interrupted(
    TransactionCluster& cluster,
    const std::function<void(Transaction&, const std::function<void()>& pause)>& body,
    const std::function<void(Transaction&)>& other) {
  constexpr Nanoseconds kLook = 5 * kMicrosecond;
  enum class Turn : std::uint8_t { kFirst, kOther, kLast };
  std::atomic<Turn> turn = Turn::kFirst;  // nodes may be simulated by different threads
  cluster.run([&](Transaction& transaction, const Place& place) {
    if (place.node > 1 || place.worker != 0 || place.fiber != 0) return;
    const auto await = [&](Turn awaited) {
      while (turn != awaited) transaction.wait(kLook);
    };
    if (place.node == 0) {
      body(transaction, [&] {
        turn = Turn::kOther;
        await(Turn::kLast);
      });
      // A body that failed before it paused keeps nobody waiting.
      if (turn == Turn::kFirst) turn = Turn::kOther;
    } else {
      await(Turn::kOther);
      other(transaction);
      turn = Turn::kLast;
    }
  });
}

void update(Transaction& transaction, const RecordName& name, std::uint64_t word) {
  commit_change(transaction, name, Intent::kUpdate, [&](Transaction::Handle record) {
    ASSERT_TRUE(transaction.found(record)) << name.key;
    fill(transaction.update_payload(record), word);
  });
}

void insert(Transaction& transaction, const RecordName& name, std::uint64_t word) {
  commit_change(transaction, name, Intent::kInsert, [&](Transaction::Handle record) {
    ASSERT_FALSE(transaction.found(record)) << name.key;
    fill(transaction.create_payload(record), word);
  });
}

void erase(Transaction& transaction, const RecordName& name) {
  commit_change(transaction, name, Intent::kUpdate, [&](Transaction::Handle record) {
    ASSERT_TRUE(transaction.found(record)) << name.key;
    transaction.erase(record);
  });
}

void give_up_insert(Transaction& transaction, const RecordName& name) {
  transaction.begin();
  const auto record = transaction.want(name, Intent::kInsert);
  ASSERT_TRUE(transaction.fetch());
  fill(transaction.create_payload(record), 1);
  EXPECT_TRUE(transaction.roll_back());
  transaction.wait(kSettled);
}

std::string plan_test_name(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

}  // namespace verbena::txn::occ
