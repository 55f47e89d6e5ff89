// TPC-C's consistency conditions hold in a database in order, and each is missed when damaged.
#include "workloads/tpcc/conditions.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "rdma/seam/first_touch_memory.h"
#include "txn/store/record.h"
#include "txn/store/store.h"
#include "txn/store/store_at_rest.h"

namespace verbena::workloads::tpcc {
namespace {

constexpr DistrictName kHome{.warehouse = 3, .district = 4};

// The second of two nodes, with warehouses 2 and 3, without a fabric. Nothing is locked.
class TpccConditions : public ::testing::Test {
 protected:
  explicit TpccConditions(NextOrder next_order = NextOrder::kLocked)
      : database_(2, 2, {.items = 100, .next_order = next_order, .customers_per_district = 30}) {}

  static constexpr NodeId kNode = 1;
  static constexpr txn::PartitionId kPartition = 1;

  txn::Key home() const { return database_.keys().district_key(kHome); }

  template <typename Record>
  void change(Table table, txn::Key key, const std::function<void(Record&)>& edit) {
    const std::uint32_t entry = store_.find_at_rest(0, table, key).value();
    std::uint64_t version = 0;
    txn::Key found = 0;
    Record record;
    auto* bytes = reinterpret_cast<std::byte*>(&record);
    ASSERT_TRUE(store_.read(0, table, entry, version, found, bytes, nullptr));
    edit(record);
    write(table, entry, txn::next_version(version, true), key, bytes);
  }

  template <typename Record>
  void insert(Table table, txn::Key key, const Record& record) {
    const auto place = store_.reserve(table, key, 0, nullptr);
    write(table, place.entry, txn::next_version(place.version, true), key,
          reinterpret_cast<const std::byte*>(&record));
  }

  void erase(Table table, txn::Key key) {
    const std::uint32_t entry = store_.find_at_rest(0, table, key).value();
    const std::byte* live = store_.record(0, table, entry);
    const std::uint64_t version =
        txn::next_version(txn::load_word(live + txn::kVersionOffset), false);
    store_.unindex(table, key, entry, version, nullptr);
    const std::vector<std::byte> zero(schema_[table].payload_bytes);
    write(table, entry, version, key, zero.data());
  }

  // Writes what a committed new order leaves.
  void place_order(std::uint64_t order, std::uint32_t lines) {
    if (!database_.draws_orders()) {
      change<District>(kDistrict, home(), [&](District& district) {
        district.next_order = static_cast<std::uint32_t>(order) + 1;
      });
    }
    insert<Order>(kOrder, database_.keys().order_key(home(), order),
                  {.entry_date = 1,
                   .customer = 0,
                   .carrier = 0,
                   .lines = static_cast<std::uint8_t>(lines),
                   .all_local = true,
                   .reserved = 0});
    insert<NewOrder>(kNewOrder, database_.keys().new_order_key(home(), order), {.order = order});
    for (std::uint32_t line = 0; line < lines; ++line) {
      insert<OrderLine>(kOrderLine, database_.keys().order_line_key(home(), order, line), {});
    }
  }

  void deliver(std::uint64_t order) {
    erase(kNewOrder, database_.keys().new_order_key(home(), order));
    std::uint32_t lines = 0;
    change<Order>(kOrder, database_.keys().order_key(home(), order), [&](Order& delivered) {
      delivered.carrier = 1;
      lines = delivered.lines;
    });
    for (std::uint32_t line = 0; line < lines; ++line) {
      change<OrderLine>(kOrderLine, database_.keys().order_line_key(home(), order, line),
                        [](OrderLine& delivered) { delivered.delivery_date = 2; });
    }
  }

  std::vector<std::string> breaches() {
    txn::StoreAtRest state(store_, schema_);
    return breached_conditions(database_, kPartition, state);
  }

  // Expects that the only breach is this one, in the home district.
  void expect_breach(const std::string& condition, const std::string& what) {
    const std::vector<std::string> found = breaches();
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0], "consistency condition " + condition + ": warehouse 3" + what);
  }

  Database database_;

 private:
  void write(Table table, std::uint32_t entry, std::uint64_t version, txn::Key key,
             const std::byte* payload) {
    store_.layout().table(table).format.write_live(store_.record(0, table, entry), version, key,
                                                   payload);
  }

  txn::Schema schema_ = database_.schema();
  txn::StoreLayout layout_{schema_, {.nodes = 2, .replicas = 1}};
  rdma::FirstTouchMemory memory_{"store", layout_.region_bytes(), layout_.loader(schema_, kNode)};
  txn::Store store_{layout_, kNode, memory_};
};

TEST_F(TpccConditions, HoldInitially) { EXPECT_EQ(breaches(), std::vector<std::string>{}); }

TEST_F(TpccConditions, HoldAfterOrdersAndDeliveries) {
  place_order(30, 5);
  place_order(31, 15);
  EXPECT_EQ(breaches(), std::vector<std::string>{});
  for (std::uint64_t order = 21; order < 32; ++order) {
    deliver(order);
    EXPECT_EQ(breaches(), std::vector<std::string>{}) << "delivered up to " << order;
  }
}

TEST_F(TpccConditions, MoneyOfAWarehouseThatItsDistrictsDoNotHave) {
  change<Warehouse>(kWarehouse, database_.keys().warehouse_key(3),
                    [](Warehouse& warehouse) { warehouse.ytd += 7; });
  expect_breach("1", ": w_ytd is 300007, the sum of d_ytd 300000");
}

TEST_F(TpccConditions, MoneyOfADistrictThatItsWarehouseDoesNotHave) {
  change<District>(kDistrict, home(), [](District& district) { district.ytd -= 7; });
  expect_breach("1", ": w_ytd is 300000, the sum of d_ytd 299993");
}

TEST_F(TpccConditions, AnOrderNumberWithoutAnOrder) {
  place_order(30, 5);
  erase(kNewOrder, database_.keys().new_order_key(home(), 30));
  erase(kOrder, database_.keys().order_key(home(), 30));
  for (std::uint32_t line = 0; line < 5; ++line) {
    erase(kOrderLine, database_.keys().order_line_key(home(), 30, line));
  }
  const std::vector<std::string> found = breaches();
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0],
            "consistency condition 2: warehouse 3, district 4: d_next_o_id - 1 is 30, the highest "
            "o_id 29");
  EXPECT_EQ(found[1],
            "consistency condition 2: warehouse 3, district 4: d_next_o_id - 1 is 30, the highest "
            "no_o_id 29");
}

TEST_F(TpccConditions, ANewOrderThatIsMissing) {
  place_order(30, 5);
  erase(kNewOrder, database_.keys().new_order_key(home(), 30));
  expect_breach("2", ", district 4: d_next_o_id - 1 is 30, the highest no_o_id 29");
}

TEST_F(TpccConditions, ADeliveryWithoutCarrier) {
  deliver(21);
  change<Order>(kOrder, database_.keys().order_key(home(), 21),
                [](Order& order) { order.carrier = 0; });
  expect_breach("5", ", district 4: order 21 is delivered and has no o_carrier_id");
}

TEST_F(TpccConditions, ADeliveryThatLeftTheOrderAmongTheNewOnes) {
  change<Order>(kOrder, database_.keys().order_key(home(), 21),
                [](Order& order) { order.carrier = 1; });
  expect_breach("5", ", district 4: order 21 is not delivered and has an o_carrier_id");
}

TEST_F(TpccConditions, ADeliveryThatLeftOutALine) {
  place_order(30, 5);
  for (std::uint64_t order = 21; order < 31; ++order) deliver(order);
  change<OrderLine>(kOrderLine, database_.keys().order_line_key(home(), 30, 4),
                    [](OrderLine& line) { line.delivery_date = 0; });
  expect_breach("7", ", district 4: order 30 is delivered and has a line without ol_delivery_d");
}

TEST_F(TpccConditions, AGapInTheNewOrders) {
  place_order(30, 5);
  erase(kNewOrder, database_.keys().new_order_key(home(), 25));
  expect_breach("3", ", district 4: the range of no_o_id is 10, the number of new orders 9");
}

TEST_F(TpccConditions, AGapInTheNewOrdersOfTheRun) {
  place_order(30, 5);
  place_order(31, 5);
  place_order(32, 5);
  erase(kNewOrder, database_.keys().new_order_key(home(), 31));
  expect_breach("3", ", district 4: the range of no_o_id is 12, the number of new orders 11");
}

TEST_F(TpccConditions, AnOrderLineThatIsMissing) {
  place_order(30, 5);
  erase(kOrderLine, database_.keys().order_line_key(home(), 30, 3));
  expect_breach("4", ", district 4: the sum of o_ol_cnt is 305, the number of order lines 304");
}

TEST_F(TpccConditions, AnInitialOrderLineThatIsMissing) {
  erase(kOrderLine, database_.keys().order_line_key(home(), 12, 3));
  expect_breach("4", ", district 4: the sum of o_ol_cnt is 300, the number of order lines 299");
}

TEST_F(TpccConditions, AnOrderLineTooMany) {
  place_order(30, 5);
  insert<OrderLine>(kOrderLine, database_.keys().order_line_key(home(), 30, 5), {});
  expect_breach("4", ", district 4: the sum of o_ol_cnt is 305, the number of order lines 306");
}

TEST_F(TpccConditions, AnOrderThatCountsItsLinesWrong) {
  place_order(30, 5);
  change<Order>(kOrder, database_.keys().order_key(home(), 30),
                [](Order& order) { order.lines = 6; });
  expect_breach("4", ", district 4: the sum of o_ol_cnt is 306, the number of order lines 305");
}

// Order numbers are drawn; there are more than orders.
class TpccDrawnConditions : public TpccConditions {
 protected:
  TpccDrawnConditions() : TpccConditions(NextOrder::kFetchAdd) {}

  void draw_up_to(std::uint64_t next) {
    change<OrderNumber>(kOrderNumber, home(), [&](OrderNumber& number) { number.next = next; });
  }

  // Places orders up to 35, of which 32 and 35 were given up.
  void place_some() {
    for (const std::uint64_t order : {30, 31, 33, 34}) place_order(order, 5);
    draw_up_to(36);
  }
};

TEST_F(TpccDrawnConditions, HoldWithGaps) {
  EXPECT_EQ(breaches(), std::vector<std::string>{});
  place_some();
  EXPECT_EQ(breaches(), std::vector<std::string>{});
  for (std::uint64_t order = 21; order < 31; ++order) deliver(order);
  EXPECT_EQ(breaches(), std::vector<std::string>{});
  // Before 31 was committed, and 34 likewise.
  deliver(33);
  deliver(34);
  EXPECT_EQ(breaches(), std::vector<std::string>{});
  deliver(31);
  EXPECT_EQ(breaches(), std::vector<std::string>{});
}

TEST_F(TpccDrawnConditions, ANumberThatWillBeDrawnAgain) {
  place_some();
  draw_up_to(34);
  const std::vector<std::string> found = breaches();
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0],
            "consistency condition 2: warehouse 3, district 4: d_next_o_id - 1 is 33, the highest "
            "o_id 34");
}

TEST_F(TpccDrawnConditions, AnOrderThatIsNeitherNewNorDelivered) {
  place_some();
  erase(kNewOrder, database_.keys().new_order_key(home(), 33));
  const std::vector<std::string> found = breaches();
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0],
            "consistency condition 5: warehouse 3, district 4: order 33 is delivered and has no "
            "o_carrier_id");
  EXPECT_EQ(
      found[1],
      "consistency condition 7: warehouse 3, district 4: order 33 is delivered and has a line "
      "without ol_delivery_d");
}

TEST_F(TpccDrawnConditions, ANewOrderThatIsDelivered) {
  place_some();
  change<Order>(kOrder, database_.keys().order_key(home(), 33),
                [](Order& order) { order.carrier = 1; });
  expect_breach("5", ", district 4: order 33 is a new order and has an o_carrier_id");
}

TEST_F(TpccDrawnConditions, ANewOrderWithoutAnOrder) {
  place_some();
  insert<NewOrder>(kNewOrder, database_.keys().new_order_key(home(), 32), {.order = 32});
  expect_breach("3",
                ", district 4: the number of the run's orders that are not delivered is 4, that of "
                "its new orders 5");
}

TEST_F(TpccDrawnConditions, AGapInTheInitialNewOrders) {
  place_some();
  erase(kNewOrder, database_.keys().new_order_key(home(), 25));
  expect_breach("3", ", district 4: the range of initial no_o_id is 9, the number of new orders 8");
}

TEST_F(TpccDrawnConditions, ADeliveryThatLeftOutALineBehindTheFirstNewOrder) {
  place_some();
  for (std::uint64_t order = 21; order < 31; ++order) deliver(order);
  deliver(33);
  change<OrderLine>(kOrderLine, database_.keys().order_line_key(home(), 33, 4),
                    [](OrderLine& line) { line.delivery_date = 0; });
  expect_breach("7", ", district 4: order 33 is delivered and has a line without ol_delivery_d");
}

}  // namespace
}  // namespace verbena::workloads::tpcc
