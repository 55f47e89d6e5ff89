// Records that change and then look as before: a transaction that read them in between does not
// commit, because versions count changes.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "tests/txn/occ/interruption.h"

namespace verbena::txn::occ {
namespace {

using Kind = Transaction::Kind;

constexpr TableId kItems = 0;
constexpr TableId kOthers = 1;
constexpr Key kRead = 5;  // of the record that changes

std::uint64_t word_of(const RecordName& name) { return initial_word(name.partition, name.key); }

// Another key of the partition, absent in the beginning.
RecordName neighbour(const RecordName& name) { return {name.table, name.partition, 500}; }

void is_updated(Transaction& transaction, const RecordName& name) {
  update(transaction, name, word_of(name) + 1);
  update(transaction, name, word_of(name));
}
void is_updated_to_what_it_was(Transaction& transaction, const RecordName& name) {
  update(transaction, name, word_of(name));
}
void comes_again(Transaction& transaction, const RecordName& name) {
  erase(transaction, name);
  insert(transaction, name, word_of(name));
}
void comes_again_elsewhere(Transaction& transaction, const RecordName& name) {
  erase(transaction, name);
  insert(transaction, neighbour(name), word_of(name));  // takes its entry
  insert(transaction, name, word_of(name));
}
void comes_again_where_another_was(Transaction& transaction, const RecordName& name) {
  erase(transaction, name);
  insert(transaction, neighbour(name), word_of(name));
  erase(transaction, neighbour(name));
  insert(transaction, name, word_of(name));
}

struct Change {
  const char* name;
  std::function<void(Transaction&, const RecordName&)> happens;
};
const std::vector<Change>& changes() {
  static const std::vector<Change> all = {
      {"updated twice", is_updated},
      {"updated to what it was", is_updated_to_what_it_was},
      {"erased and inserted", comes_again},
      {"erased and inserted elsewhere", comes_again_elsewhere},
      {"erased and inserted where another was meanwhile", comes_again_where_another_was},
  };
  return all;
}

class ChangeBack : public PlanTest {
 protected:
  static ClusterOptions options(std::uint32_t words) {
    ClusterOptions options;
    options.schema = {word_table("items", words, 10, 20), word_table("others", 1, 10)};
    options.plan = plan_preset(GetParam());
    options.log_ring_bytes = 0;
    return options;
  }

  // A transaction reads the record and another one, does `then`, and does not commit.
  static void try_all(Kind kind, std::uint32_t words,
                      const std::function<void(Transaction&, Transaction::Handle read,
                                               Transaction::Handle other)>& then) {
    for (const Change& change : changes()) {
      for (const PartitionId partition : {PartitionId{0}, PartitionId{1}, PartitionId{2}}) {
        SCOPED_TRACE(std::string(change.name) + ", partition " + std::to_string(partition));
        TransactionCluster cluster(options(words));
        const RecordName name{kItems, partition, kRead};
        run_interrupted(
            cluster,
            [&](Transaction& transaction, const std::function<void()>& pause) {
              transaction.begin(kind);
              // The last that is validated, for those who look at the first only.
              const auto other = transaction.want(kOthers, partition, 1);
              const auto read = transaction.want(name, Transaction::Intent::kRead);
              ASSERT_TRUE(transaction.fetch());
              pause();
              then(transaction, read, other);
              EXPECT_FALSE(transaction.commit());
              EXPECT_EQ(transaction.cause(), Abort::kValidationFailed);
            },
            [&](Transaction& transaction) { change.happens(transaction, name); });
        EXPECT_EQ(cluster.word(name), word_of(name));
        EXPECT_EQ(cluster.word({kOthers, partition, 1}), initial_word(partition, 1));
        EXPECT_EQ(cluster.inconsistency(), std::nullopt);
      }
    }
  }
};

INSTANTIATE_TEST_SUITE_P(Plans, ChangeBack, ::testing::ValuesIn(plan_names()), plan_test_name);

void write(Transaction& transaction, Transaction::Handle record) {
  for (std::byte& byte : transaction.update_payload(record)) byte = std::byte{0x7f};
}

TEST_P(ChangeBack, OfWhatAReadOnlyTransactionReadAbortsIt) {
  try_all(Kind::kReadOnly, 1, [](Transaction&, Transaction::Handle, Transaction::Handle) {});
}

TEST_P(ChangeBack, OfWhatAWriterReadAbortsIt) {
  try_all(Kind::kReadWrite, 1,
          [](Transaction& transaction, Transaction::Handle, Transaction::Handle other) {
            write(transaction, other);
          });
}

TEST_P(ChangeBack, OfWhatAWriterWritesAbortsIt) {
  try_all(Kind::kReadWrite, 1,
          [](Transaction& transaction, Transaction::Handle read, Transaction::Handle) {
            write(transaction, read);
          });
}

TEST_P(ChangeBack, OfARecordOfSeveralLinesDoesSoToo) {
  try_all(Kind::kReadWrite, 20,
          [](Transaction& transaction, Transaction::Handle, Transaction::Handle other) {
            write(transaction, other);
          });
}

}  // namespace
}  // namespace verbena::txn::occ
