// The index of orders by customers holds in a database in order, and each wrong row is told.
#include "workloads/tpcc/index_rows.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "workloads/unwritten_tables.h"

namespace verbena::workloads::tpcc {
namespace {

constexpr txn::PartitionId kPartition = 0;

/// Rows in memory, of one partition.
class Rows : public txn::StateAtRest {
 public:
  template <typename Record>
  void put(txn::TableId table, txn::Key key, const Record& record, std::size_t bytes) {
    std::vector<std::byte>& row = rows_[table][key];
    row.resize(bytes);
    std::memcpy(row.data(), &record, sizeof record);
  }
  void remove(txn::TableId table, txn::Key key) { rows_[table].erase(key); }

  bool get(const txn::RecordName& name, std::span<std::byte> payload) override {
    const auto row = rows_[name.table].find(name.key);
    if (row == rows_[name.table].end()) return false;
    std::memcpy(payload.data(), row->second.data(), payload.size());
    return true;
  }
  void visit_changed(txn::TableId table, txn::PartitionId, const ChangedRecord& visitor) override {
    for (const auto& [key, row] : rows_[table]) visitor(key, true, row);
  }
  void scan(const txn::KeyRange& range, const KeyVisitor& visitor) override {
    const auto& rows = rows_[range.table];
    for (auto row = rows.lower_bound(range.first); row != rows.end() && row->first <= range.last;
         ++row) {
      if (!visitor(row->first)) return;
    }
  }
  std::uint64_t count(const txn::KeyRange& range) override {
    std::uint64_t rows = 0;
    scan(range, [&rows](txn::Key) { return ++rows > 0; });
    return rows;
  }
  txn::SelfCheck self_check() override { return {}; }

 private:
  std::map<txn::TableId, std::map<txn::Key, std::vector<std::byte>>> rows_;
};

/// One node with a warehouse, whose customer 3 of district 4 has ordered once more.
class TpccIndex : public ::testing::Test {
 protected:
  static constexpr std::uint32_t kCustomer = 3;

  TpccIndex() {
    for (txn::Key district = 0; district < kDistricts; ++district) {
      for (std::uint32_t customer = 0; customer < database_.customers(); ++customer) {
        put_row(district, customer, database_.order_of_customer(district, customer), 0);
      }
    }
    put(kOrder, database_.keys().order_key(kDistrict, order()),
        Order{.entry_date = 1,
              .customer = kCustomer,
              .carrier = 0,
              .lines = 5,
              .all_local = true,
              .reserved = 0});
    put_row(kDistrict, kCustomer, order(), order());
  }

  static constexpr txn::Key kDistrict = 4;
  std::uint64_t order() const { return database_.initial_orders(); }

  template <typename Record>
  void put(Table table, txn::Key key, const Record& record) {
    rows_.put(table, key, record, database_.payload_bytes(table));
  }
  // `place`: the order by which the row stands.
  void put_row(txn::Key district, std::uint32_t customer, std::uint64_t tells,
               std::uint64_t place) {
    put(kOrderByCustomer, database_.keys().order_by_customer_key(district, customer, place),
        OrderByCustomer{.order = tells});
  }

  std::size_t wrong() { return wrong_index_rows(database_, kPartition, rows_).size(); }

  Database database_{1, 1, {.items = 100, .customers_per_district = 30}};
  Rows rows_;
};

TEST_F(TpccIndex, HasARowOfEachOrder) { EXPECT_EQ(wrong(), 0U); }

TEST_F(TpccIndex, ARowThatTellsAnotherOrder) {
  put_row(kDistrict, kCustomer, order() + 1, order());
  EXPECT_EQ(wrong(), 1U);
}

TEST_F(TpccIndex, ARowThatIsMissing) {
  rows_.remove(kOrderByCustomer,
               database_.keys().order_by_customer_key(kDistrict, kCustomer, order()));
  EXPECT_EQ(wrong(), 2U) << "the order has none, and the counts differ";
}

TEST_F(TpccIndex, ARowOfAnotherCustomer) {
  rows_.remove(kOrderByCustomer,
               database_.keys().order_by_customer_key(kDistrict, kCustomer, order()));
  put_row(kDistrict, kCustomer + 1, order(), order());
  EXPECT_EQ(wrong(), 1U);
}

TEST_F(TpccIndex, ARowWithoutAnOrder) {
  put_row(kDistrict, kCustomer, order() + 1, order() + 1);
  EXPECT_EQ(wrong(), 1U);
}

TEST_F(TpccIndex, RowsOfUnwrittenTablesAreAsTheyWereLoaded) {
  const txn::Schema schema = database_.schema();
  const std::vector<txn::TableId> items = {kItem};
  std::vector<std::byte> loaded(database_.payload_bytes(kItem));
  database_.load(kItem, kPartition, 7, loaded);
  Item item;
  std::memcpy(&item, loaded.data(), sizeof item);
  put(kItem, 7, item);
  EXPECT_EQ(changed_rows(schema, items, kPartition, rows_).size(), 0U);
  ++item.price;
  put(kItem, 7, item);
  EXPECT_EQ(changed_rows(schema, items, kPartition, rows_).size(), 1U);
}

}  // namespace
}  // namespace verbena::workloads::tpcc
