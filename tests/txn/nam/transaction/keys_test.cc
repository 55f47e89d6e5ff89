// Records that come and go, as snapshots see them: absence, inserts of one key by several, scans.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "rdma/base/errors.h"
#include "tests/txn/nam/nam_cluster.h"
#include "tests/txn/nam/steps.h"
#include "txn/nam/measures.h"

namespace verbena::testing {
namespace {

using txn::Key;
using txn::Transaction;
using txn::nam::Abort;
using Keys = std::vector<Key>;

constexpr std::uint64_t kValue = 7;
const Keys kLoaded = {0, 8, 16, 24, 32};

Transaction::Handle want(Transaction& transaction, Key key,
                         Transaction::Intent intent = Transaction::Intent::kRead) {
  return transaction.want(1, static_cast<txn::PartitionId>(0), key, intent);
}

// The transaction has taken its snapshot.
void take_snapshot(Transaction& transaction) {
  transaction.begin();
  want(transaction, kLoaded[0]);
  ASSERT_TRUE(transaction.fetch());
}

bool there(Transaction& transaction, Key key) {
  const auto handle = want(transaction, key);
  EXPECT_TRUE(transaction.fetch());
  return transaction.found(handle);
}

Keys scan(Transaction& transaction, std::uint32_t limit, bool descending = false) {
  Keys keys;
  EXPECT_TRUE(transaction.scan({.table = 1,
                                .partition = static_cast<txn::PartitionId>(0),
                                .first = 0,
                                .last = txn::kNoKey,
                                .descending = descending},
                               limit, keys));
  return keys;
}

bool insert(Transaction& transaction, const Keys& keys) {
  transaction.begin();
  std::vector<Transaction::Handle> handles;
  for (const Key key : keys)
    handles.push_back(want(transaction, key, Transaction::Intent::kInsert));
  if (!transaction.fetch()) {
    transaction.abandon();
    return false;
  }
  for (const auto handle : handles) {
    transaction.create_payload(handle);
    word_of(transaction, handle) = kValue;
  }
  return transaction.commit();
}

// Tries more than once on an emulated device, where a pause makes a transaction too old.
bool erase(Transaction& transaction, Key key) {
  for (int tries = 0; tries < by_fabric(1, 5); ++tries) {
    transaction.begin();
    const auto handle = want(transaction, key, Transaction::Intent::kUpdate);
    if (!transaction.fetch()) {
      transaction.abandon();
      continue;
    }
    transaction.erase(handle);
    if (transaction.commit()) return true;
  }
  return false;
}

// Lets the second transaction act between the snapshot of the first and what that does then.
void meanwhile(NamCluster& cluster, const std::function<void(Transaction&)>& then,
               const std::function<void(Transaction&)>& between) {
  Steps steps;
  cluster.run({[&](Transaction& transaction, rdma::Worker&) {
                 take_snapshot(transaction);
                 steps.reach(1);
                 steps.await(transaction, 2);
                 then(transaction);
               },
               [&](Transaction& transaction, rdma::Worker&) {
                 steps.await(transaction, 1);
                 between(transaction);
                 steps.reach(2);
               }});
  EXPECT_EQ(cluster.errors(), std::vector<std::string>{});
}

// Parameter: true if the first of two transactions accesses records by the CPU of its machine.
class NamKeys : public ::testing::TestWithParam<bool> {};

INSTANTIATE_TEST_SUITE_P(Locality, NamKeys, ::testing::Bool());

TEST_P(NamKeys, AreThereOnceInserted) {
  NamCluster cluster({.locality = GetParam()});
  cluster.run({[&](Transaction& transaction, rdma::Worker&) {
    take_snapshot(transaction);
    EXPECT_FALSE(there(transaction, 3));
    EXPECT_TRUE(transaction.commit());
    EXPECT_TRUE(insert(transaction, {3, 100}));
    take_snapshot(transaction);
    const auto handle = want(transaction, 3);
    ASSERT_TRUE(transaction.fetch());
    ASSERT_TRUE(transaction.found(handle));
    EXPECT_EQ(read_word(transaction, handle), kValue);
    EXPECT_EQ(scan(transaction, 8), (Keys{0, 3, 8, 16, 24, 32, 100}));
    EXPECT_EQ(scan(transaction, 2, true), (Keys{100, 32}));
    EXPECT_TRUE(transaction.commit());
  }});
  EXPECT_EQ(cluster.keys(), (Keys{0, 3, 8, 16, 24, 32, 100}));
  EXPECT_EQ(cluster.errors(), std::vector<std::string>{});
}

TEST_P(NamKeys, ThatComeLaterAreInNoEarlierSnapshot) {
  NamCluster cluster({.locality = GetParam()});
  meanwhile(
      cluster,
      [&](Transaction& transaction) {
        EXPECT_FALSE(there(transaction, 3));
        EXPECT_EQ(scan(transaction, 8), kLoaded) << "no phantom";
        EXPECT_EQ(scan(transaction, 2, true), (Keys{32, 24})) << "behind those that came later";
        EXPECT_TRUE(transaction.commit());
      },
      [&](Transaction& transaction) {
        EXPECT_TRUE(insert(transaction, {3, 40, 41, 42}));
      });
}

TEST_P(NamKeys, ThatAreErasedLaterAreInEarlierSnapshots) {
  NamCluster cluster({.locality = GetParam()});
  meanwhile(
      cluster,
      [&](Transaction& transaction) {
        EXPECT_TRUE(there(transaction, 16));
        EXPECT_EQ(scan(transaction, 8), kLoaded);
        EXPECT_EQ(scan(transaction, 3), (Keys{0, 8, 16}));
        EXPECT_TRUE(transaction.commit());
        transaction.begin();
        EXPECT_FALSE(there(transaction, 16));
        EXPECT_EQ(scan(transaction, 3), (Keys{0, 8, 24}));
        EXPECT_TRUE(transaction.commit());
      },
      [&](Transaction& transaction) { EXPECT_TRUE(erase(transaction, 16)); });
  EXPECT_EQ(cluster.keys(), (Keys{0, 8, 24, 32}));
}

TEST_P(NamKeys, ThatAreErasedCanBeInsertedAgain) {
  NamCluster cluster({.locality = GetParam()});
  meanwhile(
      cluster,
      [&](Transaction& transaction) {
        const auto handle = want(transaction, 16);
        ASSERT_TRUE(transaction.fetch());
        EXPECT_EQ(read_word(transaction, handle), 0U) << "the first of the two";
        EXPECT_TRUE(transaction.commit());
      },
      [&](Transaction& transaction) {
        EXPECT_TRUE(erase(transaction, 16));
        EXPECT_TRUE(insert(transaction, {16}));
      });
  EXPECT_EQ(cluster.keys(), kLoaded);
}

// Both find that it is in no entry.
TEST_P(NamKeys, ThatTwoInsertAreOneOfTheirs) {
  NamCluster cluster({.locality = GetParam()});
  Steps steps;
  cluster.run({[&](Transaction& transaction, rdma::Worker&) {
                 transaction.begin();
                 const auto mine = want(transaction, 4, Transaction::Intent::kInsert);
                 const auto both = want(transaction, 3, Transaction::Intent::kInsert);
                 ASSERT_TRUE(transaction.fetch());
                 transaction.create_payload(mine);
                 transaction.create_payload(both);
                 steps.reach(1);
                 steps.await(transaction, 2);
                 EXPECT_FALSE(transaction.commit());
                 EXPECT_EQ(transaction.cause(), Abort::kKeyTaken);
                 transaction.begin();
                 EXPECT_FALSE(there(transaction, 4)) << "was given back";
                 EXPECT_TRUE(there(transaction, 3));
                 EXPECT_TRUE(transaction.commit());
                 EXPECT_TRUE(insert(transaction, {4})) << "into the entry that is left";
               },
               [&](Transaction& transaction, rdma::Worker&) {
                 steps.await(transaction, 1);
                 EXPECT_TRUE(insert(transaction, {3}));
                 steps.reach(2);
               }});
  EXPECT_EQ(cluster.keys(), (Keys{0, 3, 4, 8, 16, 24, 32}));
  EXPECT_EQ(cluster.errors(), std::vector<std::string>{});
}

// That it looks absent does not mean that it may be inserted.
TEST_P(NamKeys, ThatAnEarlierSnapshotDoesNotHoldCannotBeInsertedByIt) {
  NamCluster cluster({.locality = GetParam()});
  meanwhile(
      cluster,
      [&](Transaction& transaction) {
        want(transaction, 3, Transaction::Intent::kInsert);
        EXPECT_FALSE(transaction.fetch());
        transaction.abandon();
        EXPECT_EQ(transaction.cause(), Abort::kStaleSnapshot);
      },
      [&](Transaction& transaction) { EXPECT_TRUE(insert(transaction, {3})); });
}

// No snapshot has to be without them yet for that, as long as `longest_transaction` is.
TEST_P(NamKeys, ThatWereErasedAWhileAgoAreInNobodysWay) {
  NamCluster cluster({.locality = GetParam()});
  cluster.run({[&](Transaction& transaction, rdma::Worker&) {
    for (Key key = 100; key < 120; ++key) EXPECT_TRUE(insert(transaction, {key}));
    for (Key key = 100; key < 120; ++key) EXPECT_TRUE(erase(transaction, key));
    const auto look = [&] {
      const std::uint64_t before = cluster.scanned_keys();
      transaction.begin();
      EXPECT_EQ(scan(transaction, 8), kLoaded);
      EXPECT_TRUE(transaction.commit());
      return cluster.scanned_keys() - before;
    };
    EXPECT_EQ(look(), kLoaded.size() + 20);
    for (int i = 0; i < 3; ++i) {
      transaction.wait(8 * kMillisecond);
      look();
    }
    EXPECT_EQ(look(), kLoaded.size());
    EXPECT_TRUE(insert(transaction, {110}));
    transaction.begin();
    EXPECT_EQ(scan(transaction, 8), (Keys{0, 8, 16, 24, 32, 110})) << "came again";
    EXPECT_TRUE(transaction.commit());
  }});
  EXPECT_EQ(cluster.keys(), (Keys{0, 8, 16, 24, 32, 110}));
  EXPECT_EQ(cluster.errors(), std::vector<std::string>{});
}

// Keys are there whatever others have had set aside meanwhile.
TEST_P(NamKeys, ThatAreSetAsideAreInEarlierSnapshots) {
  NamCluster cluster({.locality = GetParam()});
  meanwhile(
      cluster,
      [&](Transaction& transaction) {
        EXPECT_EQ(scan(transaction, 8), kLoaded);
        EXPECT_EQ(scan(transaction, 2, true), (Keys{32, 24}));
        EXPECT_TRUE(transaction.commit());
      },
      [&](Transaction& transaction) {
        EXPECT_TRUE(erase(transaction, 16));
        EXPECT_TRUE(erase(transaction, 32));
        for (int i = 0; i < 4; ++i) {
          transaction.wait(8 * kMillisecond);
          transaction.begin();
          EXPECT_EQ(scan(transaction, 8), (Keys{0, 8, 24}));
          EXPECT_TRUE(transaction.commit());
        }
      });
}

// With as many versions as are kept; an older one is not taken for absence.
TEST_P(NamKeys, WhoseVersionsAreGoneAreNotAbsent) {
  NamCluster cluster({.versions = 1, .locality = GetParam()});
  meanwhile(
      cluster,
      [&](Transaction& transaction) {
        Keys keys;
        EXPECT_FALSE(transaction.scan({.table = 1,
                                       .partition = static_cast<txn::PartitionId>(0),
                                       .first = 0,
                                       .last = txn::kNoKey,
                                       .descending = false},
                                      8, keys));
        transaction.abandon();
        EXPECT_EQ(transaction.cause(), Abort::kSnapshotTooOld);
      },
      [&](Transaction& transaction) {
        EXPECT_TRUE(erase(transaction, 16));
        EXPECT_TRUE(insert(transaction, {16}));
      });
}

class NamCollection : public ::testing::TestWithParam<bool> {
 protected:
  const Nanoseconds longest_ = by_fabric(100 * kMicrosecond, 200 * kMillisecond);
  NamCluster cluster_{{.longest_transaction = longest_, .locality = GetParam()}};

  // A scan that comes upon what was erased long ago tells of it.
  void wait_for_collection(Transaction& transaction) const {
    transaction.wait(3 * longest_);
    transaction.begin();
    scan(transaction, 8);
    EXPECT_TRUE(transaction.commit());
    transaction.wait(3 * longest_);
  }

  std::uint64_t listed(Transaction& transaction) {
    const std::uint64_t before = cluster_.scanned_keys();
    transaction.begin();
    scan(transaction, 8);
    EXPECT_TRUE(transaction.commit());
    return cluster_.scanned_keys() - before;
  }
};

INSTANTIATE_TEST_SUITE_P(Locality, NamCollection, ::testing::Bool());

TEST_P(NamCollection, TakesErasedKeysOutOfScans) {
  cluster_.run({[&](Transaction& transaction, rdma::Worker&) {
    EXPECT_TRUE(erase(transaction, 8));
    EXPECT_TRUE(insert(transaction, {3}));
    EXPECT_TRUE(erase(transaction, 3));
    EXPECT_EQ(listed(transaction), 6U) << "with what somebody may still come to read";
    wait_for_collection(transaction);
    EXPECT_EQ(listed(transaction), 4U);
  }});
  EXPECT_EQ(cluster_.keys(), (Keys{0, 16, 24, 32}));
  EXPECT_EQ(cluster_.errors(), std::vector<std::string>{});
}

// Entries are given to others in the order in which they came free: 8's to 3, 3's to 8.
TEST_P(NamCollection, LetsKeysComeAgainElsewhere) {
  cluster_.run({[&](Transaction& transaction, rdma::Worker&) {
    EXPECT_TRUE(insert(transaction, {3}));
    EXPECT_TRUE(erase(transaction, 8));
    wait_for_collection(transaction);
    EXPECT_TRUE(erase(transaction, 3));
    wait_for_collection(transaction);
    transaction.begin();
    for (const Key key : {3, 8}) EXPECT_FALSE(there(transaction, key));
    EXPECT_TRUE(transaction.commit());
    EXPECT_TRUE(insert(transaction, {3}));
    EXPECT_TRUE(insert(transaction, {8}));
    transaction.begin();
    for (const Key key : {3, 8}) {
      const auto handle = want(transaction, key);
      ASSERT_TRUE(transaction.fetch());
      ASSERT_TRUE(transaction.found(handle)) << key;
      EXPECT_EQ(read_word(transaction, handle), kValue);
    }
    EXPECT_EQ(scan(transaction, 3), (Keys{0, 3, 8}));
    EXPECT_TRUE(transaction.commit());
  }});
  EXPECT_EQ(cluster_.keys(), (Keys{0, 3, 8, 16, 24, 32}));
  EXPECT_EQ(cluster_.count_keys(), 6U);
  EXPECT_EQ(cluster_.errors(), std::vector<std::string>{});
}

TEST_P(NamCollection, LetsLoadedKeysComeAgainWhereTheyWere) {
  cluster_.run({[&](Transaction& transaction, rdma::Worker&) {
    EXPECT_TRUE(erase(transaction, 8));
    wait_for_collection(transaction);
    EXPECT_TRUE(insert(transaction, {8}));
  }});
  EXPECT_EQ(cluster_.keys(), kLoaded);
  EXPECT_EQ(cluster_.count_keys(), kLoaded.size());
  EXPECT_EQ(cluster_.errors(), std::vector<std::string>{});
}

// Keys that were claimed, and whose inserters gave up.
TEST_P(NamCollection, TakesOutWhatWasNeverThere) {
  Steps steps;
  cluster_.run({[&](Transaction& transaction, rdma::Worker&) {
                  transaction.begin();
                  const auto mine = want(transaction, 4, Transaction::Intent::kInsert);
                  const auto both = want(transaction, 3, Transaction::Intent::kInsert);
                  ASSERT_TRUE(transaction.fetch());
                  transaction.create_payload(mine);
                  transaction.create_payload(both);
                  steps.reach(1);
                  steps.await(transaction, 2);
                  EXPECT_FALSE(transaction.commit());
                  wait_for_collection(transaction);
                  steps.reach(3);
                },
                [&](Transaction& transaction, rdma::Worker&) {
                  steps.await(transaction, 1);
                  EXPECT_TRUE(insert(transaction, {3}));
                  steps.reach(2);
                  steps.await(transaction, 3);
                  for (Key key = 100; key < 100 + NamCluster::kNewKeys - 1; ++key) {
                    EXPECT_TRUE(insert(transaction, {key})) << "no room for " << key;
                  }
                }});
  EXPECT_EQ(cluster_.keys().size(), kLoaded.size() + NamCluster::kNewKeys);
  EXPECT_EQ(cluster_.errors(), std::vector<std::string>{});
}

// Many more than there is room for come, one after the other.
TEST_P(NamCollection, MakesRoomForOthers) {
  const Key keys = by_fabric(3, 2) * NamCluster::kNewKeys;
  cluster_.run({[&](Transaction& transaction, rdma::Worker&) {
    for (Key key = 100; key < 100 + keys; ++key) {
      EXPECT_TRUE(insert(transaction, {key}));
      EXPECT_TRUE(erase(transaction, key));
      // Waiting takes longest on a device.
      if (key % by_fabric(10, 20) == 0) wait_for_collection(transaction);
    }
  }});
  EXPECT_EQ(cluster_.keys(), kLoaded);
  EXPECT_EQ(cluster_.errors(), std::vector<std::string>{});
}

// An operation that has come upon the entry before may still mean the key that was there.
TEST_P(NamCollection, LetsNobodyHaveAnEntryBeforeAllHaveForgottenIt) {
  const auto body = [&](Transaction& transaction, rdma::Worker&) {
    for (Key key = 100; key < 100 + NamCluster::kNewKeys; ++key) {
      EXPECT_TRUE(insert(transaction, {key}));
    }
    EXPECT_TRUE(erase(transaction, 8));
    transaction.wait(3 * longest_);
    listed(transaction);
    transaction.wait(longest_ / 2);
    insert(transaction, {200});
  };
  EXPECT_THROW(cluster_.run({body}), ConfigurationError);
}

// It may hold what was taken out.
TEST_P(NamCollection, EndsTransactionsThatTakeTooLong) {
  Steps steps;
  cluster_.run({[&](Transaction& transaction, rdma::Worker&) {
                  take_snapshot(transaction);
                  steps.reach(1);
                  steps.await(transaction, 2);
                  want(transaction, 3);
                  EXPECT_FALSE(transaction.fetch());
                  transaction.abandon();
                  EXPECT_EQ(transaction.cause(), Abort::kSnapshotTooOld);
                },
                [&](Transaction& transaction, rdma::Worker&) {
                  EXPECT_TRUE(insert(transaction, {3}));
                  steps.await(transaction, 1);
                  EXPECT_TRUE(erase(transaction, 3));
                  wait_for_collection(transaction);
                  steps.reach(2);
                }});
  EXPECT_EQ(cluster_.errors(), std::vector<std::string>{});
}

TEST_P(NamKeys, FillATableAndNotMore) {
  NamCluster cluster({.locality = GetParam()});
  const auto fill = [](Transaction& transaction, rdma::Worker&) {
    for (Key key = 100; key <= 100 + NamCluster::kNewKeys; ++key) insert(transaction, {key});
  };
  try {
    cluster.run({fill});
    FAIL() << "one too many";
  } catch (const ConfigurationError& full) {
    EXPECT_NE(std::string(full.what()).find("table 'keys': all 35 records of a partition"),
              std::string::npos)
        << full.what();
  }
}

// In chains of buckets.
TEST_P(NamKeys, AreFoundByAllWhoInsertSideBySide) {
  for (std::uint64_t seed = 1; seed <= by_fabric(20U, 1U); ++seed) {
    NamCluster cluster(
        {.seed = seed, .chaos = !on_hardware(), .bucket_slots_percent = 1, .locality = GetParam()});
    const auto body = [](Key first) {
      return [first](Transaction& transaction, rdma::Worker&) {
        for (Key key = first; key < first + NamCluster::kNewKeys; key += 3) {
          while (!insert(transaction, {key})) transaction.wait(kMicrosecond);
        }
      };
    };
    cluster.run({body(100), body(101), body(102)});
    Keys all = kLoaded;
    all.resize(kLoaded.size() + NamCluster::kNewKeys);
    std::iota(all.begin() + kLoaded.size(), all.end(), 100);
    EXPECT_EQ(cluster.keys(), all) << "seed " << seed;
    EXPECT_EQ(cluster.errors(), std::vector<std::string>{}) << "seed " << seed;
  }
}

}  // namespace
}  // namespace verbena::testing
