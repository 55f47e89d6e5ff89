// The check after a run with records that come and go: what is in order, and every kind of damage.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "rdma/seam/in_memory_rendezvous.h"
#include "txn/store/lock_word.h"
#include "txn/store/store_at_rest.h"
#include "workloads/run/audit.h"

namespace verbena::workloads {
namespace {

using txn::Key;

constexpr std::uint32_t kNodes = 2;
constexpr std::uint64_t kInitialOrders = 50;
constexpr std::uint64_t kDistricts = 40;
constexpr txn::TableId kOrders = 0;

constexpr Key key_of(std::uint64_t district, std::uint64_t order) { return district << 32 | order; }

// Orders with an amount of money, in districts.
class OrderBook : public Workload {
 public:
  std::string name() const override { return "orders"; }
  const txn::Schema& schema() const override { return schema_; }
  std::span<const std::string> kinds() const override { return {}; }
  txn::TransactionLimits limits() const override { return {}; }
  std::unique_ptr<WorkloadClient> make_client(const ClientPlace&, Random) const override {
    return nullptr;
  }
  std::int64_t amount(txn::TableId, std::span<const std::byte> payload) const override {
    std::int64_t cents = 0;
    std::memcpy(&cents, payload.data(), sizeof cents);
    return cents;
  }

 private:
  static void load(txn::PartitionId, Key key, std::span<std::byte> payload) {
    const std::uint64_t cents = key % 1000;
    std::memcpy(payload.data(), &cents, sizeof cents);
  }
  txn::Schema schema_{{.name = "orders",
                       .payload_bytes = 48,
                       .initial_records = kDistricts * kInitialOrders,
                       .insert_capacity = 100,
                       .load = load,
                       .key_levels = {{kDistricts, 32}, {kInitialOrders, 0}},
                       .ordered = true}};
};

// Two stores at rest, each with a primary copy and the other's backup.
class OrderCluster {
 public:
  OrderCluster() {
    for (NodeId node = 0; node < kNodes; ++node) {
      memories_.push_back(std::make_unique<rdma::FirstTouchMemory>(
          "store", layout_.region_bytes(), layout_.loader(book_.schema(), node)));
      stores_.push_back(std::make_unique<txn::Store>(layout_, node, *memories_.back()));
    }
  }

  txn::Store& primary() { return *stores_[0]; }
  txn::Store& backup() { return *stores_[1]; }

  std::byte* record(txn::CopyId copy, std::uint32_t entry) {
    return stores_[copy]->record(copy, kOrders, entry);
  }
  void set_word(std::byte* at, std::uint64_t word) { txn::store_word(at, word); }
  std::uint64_t version(std::uint32_t entry) {
    return txn::load_word(record(0, entry) + txn::kVersionOffset);
  }

  // A transaction that commits on the primary, and on the backup unless that misses it.
  std::uint32_t insert(Key key, std::uint64_t cents, bool replicated = true) {
    const auto reserved = primary().reserve(kOrders, key, 77, nullptr);
    write(reserved.entry, key, txn::next_version(reserved.version, true), cents, replicated);
    committed_change_ += static_cast<std::int64_t>(cents);
    return reserved.entry;
  }
  std::uint32_t erase(Key key, bool replicated = true) {
    const std::uint32_t entry = primary().find_at_rest(0, kOrders, key).value();
    committed_change_ -=
        static_cast<std::int64_t>(txn::load_word(record(0, entry) + txn::kRecordHeaderBytes));
    const std::uint64_t erased = txn::next_version(version(entry), false);
    primary().unindex(kOrders, key, entry, erased, nullptr);
    write(entry, key, erased, 0, replicated);
    return entry;
  }

  // The slot that has `key` in its main bucket.
  std::uint32_t* slot(txn::CopyId copy, Key key) {
    const txn::TableLayout& table = layout_.table(kOrders);
    auto* bucket = reinterpret_cast<txn::Bucket*>(memories_[copy]->at(
        layout_.bucket_offset(copy, kOrders, table.bucket_of(key)), txn::Bucket::kBytes));
    for (txn::Bucket::Line& line : bucket->lines) {
      for (unsigned i = 0; i < txn::Bucket::kSlotsPerLine; ++i) {
        if (line.keys[i] == key && line.entries[i] != 0) return &line.entries[i];
      }
    }
    return nullptr;
  }

  std::vector<std::string> errors() {
    const auto view = txn::View::ring({.nodes = kNodes, .replicas = 2});
    std::vector<NodeAudit> audits;
    for (NodeId node = 0; node < kNodes; ++node) {
      txn::StoreAtRest state(*stores_[node], book_.schema());
      audits.push_back(
          audit_node(state, state, view, node, book_, node == 0 ? committed_change_ : 0));
    }
    rdma::InMemoryRendezvous rendezvous;
    return compare_audits(rendezvous, "audit", view, {0, 1}, audits, {}, kSecond).errors;
  }

 private:
  void write(std::uint32_t entry, Key key, std::uint64_t version, std::uint64_t cents,
             bool replicated) {
    std::array<std::uint64_t, 6> payload{cents};
    const auto* bytes = std::as_bytes(std::span(payload)).data();
    layout_.table(kOrders).format.write_live(record(0, entry), version, key, bytes);
    set_word(record(0, entry), txn::kUnlocked);
    if (replicated) backup().apply(1, kOrders, entry, key, version, bytes, nullptr);
  }

  OrderBook book_;
  txn::StoreLayout layout_{book_.schema(), {.nodes = kNodes, .replicas = 2}};
  std::vector<std::unique_ptr<rdma::FirstTouchMemory>> memories_;
  std::vector<std::unique_ptr<txn::Store>> stores_;
  std::int64_t committed_change_ = 0;
};

void expect_error(OrderCluster& cluster, const std::string& part) {
  std::string all;
  for (const std::string& error : cluster.errors()) all += error + "\n";
  EXPECT_NE(all.find(part), std::string::npos) << all;
}

void expect_in_order(OrderCluster& cluster) {
  for (const std::string& error : cluster.errors()) ADD_FAILURE() << error;
}

TEST(IndexAudit, InsertsErasuresAndReuseAreInOrder) {
  OrderCluster cluster;
  cluster.insert(key_of(3, 50), 500);
  cluster.erase(key_of(3, 0));
  cluster.insert(key_of(4, 50), 600);
  cluster.erase(key_of(3, 50));
  cluster.insert(key_of(3, 0), 700);
  cluster.insert(key_of(3, 50), 800);
  expect_in_order(cluster);
}

TEST(IndexAudit, PlaceholdersThatNobodyCommittedAreInOrder) {
  OrderCluster cluster;
  cluster.primary().reserve(kOrders, key_of(5, 50), 0, nullptr);
  const std::uint32_t erased = cluster.erase(key_of(5, 1));
  EXPECT_EQ(cluster.primary().reserve(kOrders, key_of(5, 51), 0, nullptr).entry, erased);
  cluster.erase(key_of(5, 2));
  EXPECT_FALSE(cluster.primary().reserve(kOrders, key_of(5, 2), 0, nullptr).locked)
      << "the same key again";
  expect_in_order(cluster);
  cluster.insert(key_of(5, 51), 5);
  expect_in_order(cluster);
}

TEST(IndexAudit, LooksAtNothingThatWasNotTouched) {
  OrderCluster cluster;
  cluster.erase(key_of(5, 0));
  expect_in_order(cluster);
  EXPECT_FALSE(cluster.primary().touched(0, kOrders, 1000));
  const auto bucket = cluster.primary().layout().table(kOrders).bucket_of(key_of(35, 0));
  EXPECT_NE(cluster.primary().next_touched_bucket(0, kOrders, bucket), bucket);
}

TEST(IndexAudit, NoticesABackupThatMissedAnInsert) {
  OrderCluster cluster;
  cluster.insert(key_of(1, 50), 0, false);
  expect_error(cluster, "node 1: its backup of partition 0 differs");
}

TEST(IndexAudit, NoticesABackupThatMissedAnErasure) {
  OrderCluster cluster;
  cluster.erase(key_of(1, 0), false);
  expect_error(cluster, "node 1: its backup of partition 0 differs");
}

TEST(IndexAudit, NoticesABackupThatMissedThatAnEntryCameAndWent) {
  OrderCluster cluster;
  cluster.insert(key_of(1, 50), 10);
  cluster.erase(key_of(1, 50));
  cluster.insert(key_of(1, 50), 10, false);
  cluster.erase(key_of(1, 50), false);
  expect_error(cluster, "node 1: its backup of partition 0 differs");
}

TEST(IndexAudit, NoticesAReusedEntryThatTheBackupHasAndThePrimaryHasNot) {
  OrderCluster cluster;
  const std::uint32_t entry = cluster.erase(key_of(1, 0));
  EXPECT_EQ(cluster.primary().reserve(kOrders, key_of(1, 50), 0, nullptr).entry, entry);
  const std::array<std::byte, 48> payload{};
  cluster.backup().apply(1, kOrders, entry, key_of(1, 50),
                         txn::next_version(cluster.version(entry), false), payload.data(), nullptr);
  expect_error(cluster, "node 1: its backup of partition 0 differs");
}

TEST(IndexAudit, NoticesABackupWithAnotherKey) {
  OrderCluster cluster;
  const std::uint32_t entry = cluster.insert(key_of(1, 50), 0);
  cluster.set_word(cluster.record(0, entry) + txn::kKeyOffset, key_of(1, 51));
  expect_error(cluster, "node 1: its backup of partition 0 differs");
}

TEST(IndexAudit, NoticesMoneyThatWasErased) {
  OrderCluster cluster;
  const std::uint32_t entry = cluster.insert(key_of(1, 50), 500);
  const std::uint64_t erased = txn::next_version(cluster.version(entry), false);
  cluster.primary().unindex(kOrders, key_of(1, 50), entry, erased, nullptr);
  for (const txn::CopyId copy : {0, 1}) {
    cluster.set_word(cluster.record(copy, entry) + txn::kVersionOffset, erased);
    cluster.set_word(cluster.record(copy, entry) + txn::kLineBytes, erased);
  }
  expect_error(cluster, "total changed by 0, but committed transactions changed it by 500");
}

TEST(IndexAudit, NoticesARecordThatItsKeyDoesNotLeadTo) {
  for (const txn::CopyId copy : {0, 1}) {
    OrderCluster cluster;
    const std::uint32_t entry = cluster.insert(key_of(1, 50), 0);
    *cluster.slot(copy, key_of(1, 50)) = 0;
    expect_error(cluster, "entry " + std::to_string(entry) + " is not where the index has its key");
  }
}

TEST(IndexAudit, NoticesAnInitialRecordThatItsKeyDoesNotLeadTo) {
  OrderCluster cluster;
  cluster.record(0, 7);
  *cluster.slot(0, key_of(0, 7)) = 0;
  expect_error(cluster, "entry 7 is not where the index has its key");
}

TEST(IndexAudit, NoticesAKeyThatLeadsToAnotherRecord) {
  for (const txn::CopyId copy : {0, 1}) {
    OrderCluster cluster;
    cluster.insert(key_of(1, 50), 0);
    *cluster.slot(copy, key_of(1, 49)) = 100 + 1;
    expect_error(cluster, "entry 100 is not what the index has for key 4294967345");
  }
}

TEST(IndexAudit, NoticesAKeyThatLeadsNowhere) {
  OrderCluster cluster;
  *cluster.slot(0, key_of(1, 49)) = 3'000;
  expect_error(cluster, "entry 2999 is not what the index has for key 4294967345");
}

TEST(IndexAudit, NoticesABackupThatIndexesWhatWasErased) {
  OrderCluster cluster;
  std::uint32_t* slot = cluster.slot(1, key_of(0, 7));
  cluster.erase(key_of(0, 7));
  *slot = 7 + 1;
  expect_error(cluster, "partition 0 (backup), table orders, entry 7 is not what the index has");
}

TEST(IndexAudit, NoticesAKeyThatIsIndexedTwice) {
  OrderCluster cluster;
  std::uint32_t* first = cluster.slot(0, key_of(0, 7));
  cluster.erase(key_of(0, 7));
  cluster.insert(key_of(0, 7), 7);
  std::uint32_t* second = cluster.slot(0, key_of(0, 7));
  ASSERT_EQ(first, second) << "a slot that came free is used again";
  txn::Bucket::Line& line =
      *reinterpret_cast<txn::Bucket::Line*>(reinterpret_cast<std::uintptr_t>(first) / 64 * 64);
  line.keys = {key_of(0, 7), key_of(0, 7), key_of(0, 7), key_of(0, 7)};
  line.entries = {*first, *first, *first, *first};
  expect_error(cluster, "is not the only one that the index has for key 7");
}

TEST(IndexAudit, NoticesABucketThatIsBroken) {
  OrderCluster cluster;
  std::uint32_t* slot = cluster.slot(0, key_of(0, 7));
  txn::Bucket::Line& line =
      *reinterpret_cast<txn::Bucket::Line*>(reinterpret_cast<std::uintptr_t>(slot) / 64 * 64);
  ++line.version;
  expect_error(cluster, "is broken");
}

TEST(IndexAudit, NoticesAnOrderedIndexThatListsWhatIsGone) {
  OrderCluster cluster;
  cluster.insert(key_of(1, 50), 0);
  *cluster.slot(0, key_of(1, 50)) = 0;
  expect_error(cluster, "entry 2000 is not where the hash index has key 4294967346");
}

TEST(IndexAudit, NoticesAnOrderedIndexThatDoesNotListWhatIsThere) {
  OrderCluster cluster;
  const std::uint32_t entry = cluster.insert(key_of(1, 50), 0);
  std::uint32_t* slot = cluster.slot(0, key_of(1, 50));
  cluster.primary().unindex(kOrders, key_of(1, 50), entry, txn::kAbsent | 99, nullptr);
  *slot = entry + 1;
  expect_error(cluster, "is listed otherwise by the ordered index than by the hash index");
}

TEST(IndexAudit, NoticesAnInitialRecordUnderAnotherKey) {
  OrderCluster cluster;
  cluster.set_word(cluster.record(0, 7) + txn::kKeyOffset, key_of(1, 77));
  expect_error(cluster, "entry 7 differs from its initial content");
}

}  // namespace
}  // namespace verbena::workloads
