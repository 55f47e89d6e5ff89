// TPC-C's records are where their keys say and hold what the standard asks for.
#include "workloads/tpcc/database.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "rdma/base/errors.h"

namespace verbena::workloads::tpcc {
namespace {

class TpccDatabase : public ::testing::Test {
 protected:
  template <typename Record>
  Record loaded(Table table, txn::PartitionId partition, txn::Key key) const {
    std::vector<std::byte> payload(schema_[table].payload_bytes);
    schema_[table].load(partition, key, payload);
    Record record;
    EXPECT_EQ(payload.size(), sizeof record);
    std::memcpy(&record, payload.data(), sizeof record);
    return record;
  }

  std::vector<std::uint16_t> named(txn::PartitionId partition, txn::Key district,
                                   std::uint32_t name) const {
    std::vector<std::uint16_t> payload(schema_[kCustomerName].payload_bytes / 2);
    schema_[kCustomerName].load(partition, database_.keys().customer_name_key(district, name),
                                std::as_writable_bytes(std::span(payload)));
    return {payload.begin() + 1, payload.begin() + 1 + payload[0]};
  }

  // The standard's tables, two warehouses a node.
  Database database_{3, 2, {}};
  txn::Schema schema_ = database_.schema();
};

TEST_F(TpccDatabase, HasTheStandardsCardinalitiesPerWarehouse) {
  const auto records = [&](Table table) { return schema_[table].initial_records; };
  EXPECT_EQ(database_.warehouses(), 6U);
  EXPECT_EQ(records(kWarehouse), 2U);
  EXPECT_EQ(records(kDistrict), 20U);
  EXPECT_EQ(records(kCustomer), 60'000U);
  EXPECT_EQ(records(kHistory), 60'000U);
  EXPECT_EQ(records(kOrder), 60'000U);
  EXPECT_EQ(records(kOrderByCustomer), 60'000U);
  EXPECT_EQ(records(kNewOrder), 18'000U);
  EXPECT_EQ(records(kOrderLine), 600'000U);
  EXPECT_EQ(records(kStock), 200'000U);
  EXPECT_EQ(records(kItem), 100'000U) << "on every node";
}

TEST_F(TpccDatabase, InitialKeysAreThoseThatTransactionsUse) {
  for (const Table table : {kNewOrder, kOrder, kOrderByCustomer, kOrderLine}) {
    EXPECT_TRUE(schema_[table].ordered) << schema_[table].name;
    std::uint64_t product = 1;
    for (const txn::KeyLevel& level : schema_[table].key_levels) product *= level.count;
    EXPECT_EQ(product, schema_[table].initial_records) << schema_[table].name;
  }
  const txn::Key district = database_.keys().district_key({.warehouse = 5, .district = 9});
  EXPECT_EQ(district, 19U);
  const auto initial = [&](Table table, txn::Key key) {
    return schema_[table].initial_index(key).has_value();
  };
  EXPECT_TRUE(initial(kOrder, database_.keys().order_key(district, 2999)));
  EXPECT_FALSE(initial(kOrder, database_.keys().order_key(district, 3000)));
  EXPECT_TRUE(initial(kNewOrder, database_.keys().new_order_key(district, 2100)));
  EXPECT_TRUE(initial(kNewOrder, database_.keys().new_order_key(district, 2999)));
  EXPECT_FALSE(initial(kNewOrder, database_.keys().new_order_key(district, 3000)));
  EXPECT_TRUE(initial(kOrderLine, database_.keys().order_line_key(district, 2999, 9)));
  EXPECT_FALSE(initial(kOrderLine, database_.keys().order_line_key(district, 2999, 10)));
  EXPECT_FALSE(initial(kOrderLine, database_.keys().order_line_key(district, 3000, 0)));
  EXPECT_TRUE(
      initial(kOrderByCustomer, database_.keys().order_by_customer_key(district, 2999, 17)));
  EXPECT_FALSE(
      initial(kOrderByCustomer, database_.keys().order_by_customer_key(district, 2999, 3000)));
  EXPECT_FALSE(initial(kHistory, database_.keys().history_key(0, 0, 0)));
}

TEST_F(TpccDatabase, KeysOfDifferentRecordsDiffer) {
  std::set<txn::Key> history;
  for (const WorkerId worker : {WorkerId{0}, WorkerId{1}, WorkerId{255}}) {
    for (std::uint16_t fiber : {0, 1, 300}) {
      for (std::uint32_t count : {0U, 1U, ~0U}) {
        EXPECT_TRUE(history.insert(database_.keys().history_key(worker, fiber, count)).second);
      }
    }
  }
  EXPECT_LT(database_.keys().order_line_key(3, 4000, 14),
            database_.keys().order_line_key(3, 4001, 0));
  EXPECT_LT(database_.keys().order_line_key(3, 4'000'000'000, 14),
            database_.keys().order_line_key(4, 0, 0));
  EXPECT_LT(database_.keys().new_order_key(3, 4'000'000'000),
            database_.keys().new_order_key(4, 2100));
  EXPECT_LT(database_.keys().order_by_customer_key(3, 8, 70'000),
            database_.keys().order_by_customer_key(3, 9, 0));
  EXPECT_EQ(database_.keys().order_of_new_order_key(database_.keys().new_order_key(3, 5000)),
            5000U);
}

TEST_F(TpccDatabase, EveryCustomerOrderedOnceAndTheOrdersAreFoundByCustomer) {
  for (const txn::Key district : {0, 7, 19}) {
    std::vector<int> orders(3000);
    for (std::uint32_t order = 0; order < 3000; ++order) {
      const std::uint32_t customer = database_.customer_of_order(district, order);
      ++orders[customer];
      EXPECT_EQ(database_.order_of_customer(district, customer), order);
      const txn::Key key = database_.keys().order_by_customer_key(district, customer, order);
      EXPECT_EQ(database_.order_of_customer_key(key), order);
    }
    EXPECT_EQ(std::count(orders.begin(), orders.end(), 1), 3000);
  }
  EXPECT_NE(database_.customer_of_order(0, 0), database_.customer_of_order(1, 0));
  EXPECT_EQ(database_.order_of_customer_key(database_.keys().order_by_customer_key(3, 8, 70'000)),
            70'000U);
}

TEST_F(TpccDatabase, OrdersAreDeliveredButTheLastThreeOfTen) {
  const txn::Key district = 13;
  for (const std::uint32_t order : {0U, 2099U, 2100U, 2999U}) {
    const bool delivered = order < 2100;
    const auto record = loaded<Order>(kOrder, 1, database_.keys().order_key(district, order));
    EXPECT_EQ(record.lines, 10);
    EXPECT_EQ(record.carrier > 0, delivered);
    EXPECT_LE(record.carrier, 10);
    EXPECT_EQ(record.customer, database_.customer_of_order(district, order));
    for (std::uint32_t number = 0; number < 10; ++number) {
      const auto line = loaded<OrderLine>(kOrderLine, 1,
                                          database_.keys().order_line_key(district, order, number));
      EXPECT_EQ(line.amount == 0, delivered);
      EXPECT_LE(line.amount, 999'999U);
      EXPECT_EQ(line.delivery_date > 0, delivered);
      EXPECT_EQ(line.supply_warehouse, 3) << "partition 1 has warehouses 2 and 3";
      EXPECT_EQ(line.quantity, 5);
      EXPECT_LT(line.item, 100'000U);
      std::array<char, 24> info{};
      Database::district_info(3, line.item, 3, info);
      EXPECT_EQ(std::memcmp(line.district_info, info.data(), info.size()), 0);
    }
  }
  EXPECT_EQ(loaded<NewOrder>(kNewOrder, 1, database_.keys().new_order_key(district, 2345)).order,
            2345U);
}

TEST_F(TpccDatabase, MoneyBeginsConsistent) {
  std::int64_t districts = 0;
  for (std::uint32_t number = 0; number < kDistricts; ++number) {
    const auto district = loaded<District>(
        kDistrict, 2, database_.keys().district_key({.warehouse = 4, .district = number}));
    districts += district.ytd;
    EXPECT_EQ(district.next_order, 3000U);
    EXPECT_LE(district.tax, 2000U);
  }
  EXPECT_EQ(loaded<Warehouse>(kWarehouse, 2, database_.keys().warehouse_key(4)).ytd, districts);
  EXPECT_EQ(districts, 300'000'00);
}

TEST_F(TpccDatabase, CustomersAreAsTheStandardSays) {
  int bad = 0;
  for (std::uint32_t number = 0; number < 3000; ++number) {
    const auto customer = loaded<Customer>(kCustomer, 0, database_.keys().customer_key(4, number));
    EXPECT_EQ(customer.balance, -1000);
    EXPECT_EQ(customer.ytd_payment, 1000);
    EXPECT_LE(customer.discount, 5000U);
    std::array<char, 16> last{};
    write_last_name(database_.last_name_of(4, number), last);
    EXPECT_EQ(std::memcmp(customer.last, last.data(), last.size()), 0);
    bad += customer.credit[0] == 'B' ? 1 : 0;
    EXPECT_GE(strnlen(customer.data, sizeof customer.data), 300U);
  }
  EXPECT_NEAR(bad, 300, 60);
}

TEST_F(TpccDatabase, LastNamesAreMadeOfSyllables) {
  std::array<char, 16> text{};
  write_last_name(371, text);
  EXPECT_STREQ(text.data(), "PRICALLYOUGHT");
  write_last_name(777, text);
  EXPECT_STREQ(text.data(), "CALLYCALLYCALLY");
  write_last_name(0, text);
  EXPECT_STREQ(text.data(), "BARBARBAR");
}

TEST_F(TpccDatabase, TheNameIndexHoldsEveryCustomerUnderTheRightName) {
  for (const txn::Key district : {0, 11}) {
    std::vector<int> found(3000);
    for (std::uint32_t name = 0; name < 1000; ++name) {
      std::string before;
      for (const std::uint16_t customer : named(1, district, name)) {
        ++found[customer];
        EXPECT_EQ(database_.last_name_of(district, customer), name);
        const auto record =
            loaded<Customer>(kCustomer, 1, database_.keys().customer_key(district, customer));
        const std::string first(record.first, strnlen(record.first, sizeof record.first));
        EXPECT_LE(before, first) << "by first names";
        before = first;
      }
    }
    EXPECT_EQ(std::count(found.begin(), found.end(), 1), 3000);
  }
  EXPECT_NE(named(1, 0, 371), named(1, 11, 371)) << "districts differ";
}

TEST_F(TpccDatabase, ANameStandsForTheCustomerInTheMiddle) {
  const auto middle = [](std::vector<std::uint16_t> record) {
    return middle_namesake(std::as_bytes(std::span(record)));
  };
  EXPECT_EQ(middle({1, 17}), 17U);
  EXPECT_EQ(middle({2, 17, 18, 0}), 17U);
  EXPECT_EQ(middle({3, 17, 18, 19, 0}), 18U);
  EXPECT_EQ(middle({4, 17, 18, 19, 20, 0}), 18U);
  EXPECT_EQ(middle({5, 17, 18, 19, 20, 21}), 19U);
}

TEST_F(TpccDatabase, StocksAndItems) {
  int original = 0;
  for (std::uint32_t item = 0; item < 2000; ++item) {
    const auto stock = loaded<Stock>(kStock, 0, database_.keys().stock_key(1, item));
    EXPECT_TRUE(stock.quantity >= 10 && stock.quantity <= 100);
    EXPECT_EQ(stock.ytd, 0U);
    const auto record = loaded<Item>(kItem, 0, Keys::item_key(item));
    EXPECT_TRUE(record.price >= 100 && record.price <= 10'000);
    EXPECT_EQ(loaded<Item>(kItem, 2, Keys::item_key(item)).price, record.price)
        << "every node has the same items";
    const std::string data(record.data, strnlen(record.data, sizeof record.data));
    EXPECT_GE(data.size(), 26U);
    original += data.find("ORIGINAL") != std::string::npos ? 1 : 0;
  }
  EXPECT_NEAR(original, 200, 50);
}

TEST(TpccDatabaseOptions, WholeRecordsGoOnBehindTheirStructures) {
  const Database compact(2, 1, {});
  const Database whole(2, 1, {.whole_records = true});
  const txn::Schema short_schema = compact.schema();
  const txn::Schema schema = whole.schema();
  const std::map<Table, std::uint32_t> bytes = {
      {kWarehouse, 96}, {kDistrict, 112}, {kCustomer, 664}, {kHistory, 56}, {kNewOrder, 8},
      {kOrder, 32},     {kOrderLine, 72}, {kItem, 88},      {kStock, 296}};
  for (const auto& [table, length] : bytes) {
    EXPECT_EQ(schema[table].payload_bytes, length) << schema[table].name;
    EXPECT_EQ(whole.payload_bytes(table), length);
    const txn::Key key = schema[table].initial_key(3 % schema[table].initial_records);
    std::vector<std::byte> record(length);
    std::vector<std::byte> beginning(short_schema[table].payload_bytes);
    schema[table].load(1, key, record);
    short_schema[table].load(1, key, beginning);
    EXPECT_TRUE(std::equal(beginning.begin(), beginning.end(), record.begin()))
        << schema[table].name;
  }
}

TEST(TpccDatabaseOptions, NumbersThatAreDrawnHaveATableOfTheirOwnBehindTheOthers) {
  const Database locked(2, 3, {});
  const Database drawn(2, 3, {.next_order = NextOrder::kFetchAdd});
  const txn::Schema schema = drawn.schema();
  ASSERT_EQ(schema.size(), locked.schema().size() + 1);
  for (const txn::TableDefinition& table : locked.schema()) EXPECT_FALSE(table.drawn());
  EXPECT_EQ(schema[kOrderNumber].initial_records, schema[kDistrict].initial_records);
  EXPECT_TRUE(schema[kOrderNumber].drawn());
  EXPECT_FALSE(schema[kDistrict].drawn());
  OrderNumber number{};
  schema[kOrderNumber].load(1, 7, std::as_writable_bytes(std::span(&number, 1)));
  EXPECT_EQ(number.next, 3000U);
}

TEST(TpccDatabaseOptions, WholeStocksHaveTheTextsThatOrderLinesCopy) {
  const Database database(2, 3, {.whole_records = true});
  const txn::Schema schema = database.schema();
  std::vector<std::byte> record(database.payload_bytes(kStock));
  constexpr std::uint32_t kStocksWarehouse = 4;
  schema[kStock].load(1, database.keys().stock_key(kStocksWarehouse, 777), record);
  StockTexts texts{};
  ASSERT_EQ(record.size(), sizeof(Stock) + sizeof texts);
  std::memcpy(&texts, record.data() + sizeof(Stock), sizeof texts);
  for (std::uint32_t district = 0; district < kDistricts; ++district) {
    std::array<char, 24> info{};
    Database::district_info(kStocksWarehouse, 777, district, info);
    EXPECT_EQ(std::memcmp(texts.district_info[district], info.data(), info.size()), 0) << district;
  }
  EXPECT_GE(strnlen(texts.data, sizeof texts.data), 26U);
}

TEST(TpccDatabaseOptions, FewerCustomersHaveFewerNames) {
  const Database database(1, 1, {.customers_per_district = 30});
  EXPECT_EQ(database.last_names(), 30U);
  EXPECT_EQ(database.schema()[kNewOrder].initial_records, 10U * 9) << "the last of each district";
  EXPECT_EQ(database.customers_named(0, 0, 29), std::vector<std::uint16_t>{29});
  for (std::uint32_t order = 0; order < 30; ++order) {
    EXPECT_EQ(database.order_of_customer(3, database.customer_of_order(3, order)), order);
  }
}

TEST(TpccDatabaseOptions, RefusesWhatDoesNotFit) {
  const auto refusal = [](const TpccOptions& options) -> std::string {
    try {
      Database(4, 2, options);
    } catch (const ConfigurationError& error) {
      return error.what();
    }
    return "none";
  };
  EXPECT_EQ(refusal({}), "none");
  EXPECT_EQ(refusal({.warehouses = 4}), "none");
  EXPECT_EQ(refusal({.warehouses = 6}),
            "tpcc: warehouses 6 on 4 nodes; allowed are multiples of the number of nodes");
  EXPECT_EQ(refusal({.warehouses = 70'000}), "tpcc: warehouses 70000; allowed are 1 to 65535");
  EXPECT_EQ(refusal({.items = 10}), "tpcc: items 10; allowed are 100 to 10000000");
  EXPECT_EQ(refusal({.customers_per_district = 9}),
            "tpcc: customers_per_district 9; allowed are 10 to 65535");
  EXPECT_EQ(refusal({.new_orders_per_warehouse = 0}),
            "tpcc: new_orders_per_warehouse 0; allowed are 1 to 100000000");
}

}  // namespace
}  // namespace verbena::workloads::tpcc
