// Effects and answers of TPC-C's transactions: the consistency conditions that need all records
// (clauses 3.3.2.5 to 3.3.2.12), stocks, and answers of transactions that only read.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "tests/txn/occ/transaction_cluster.h"
#include "tests/version_check/violation.h"
#include "workloads/tpcc/client.h"
#include "workloads/tpcc/conditions.h"
#include "workloads/tpcc/tpcc.h"

namespace verbena::workloads::tpcc {
namespace {

constexpr std::uint32_t kNodes = 2;
constexpr std::uint32_t kFibers = 3;
constexpr std::uint32_t kItems = 1000;

TpccOptions tables(OrderLines order_lines) {
  return {.warehouses = 4,
          .remote_percent = 30,
          .items = kItems,
          .order_lines = order_lines,
          .customers_per_district = 40,
          .new_orders_per_warehouse = 2000};
}

struct Setting {
  std::string plan;
  OrderLines order_lines;

  std::string name() const {
    return plan + (order_lines == OrderLines::kOneByOne ? "LineByLine" : "");
  }
};

using WarehouseDistrict = std::tuple<std::uint32_t, std::uint32_t>;
using CustomerOf = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;

txn::occ::ClusterOptions cluster_options(const Workload& workload, const std::string& plan) {
  txn::occ::ClusterOptions options;
  options.fabric.nodes = kNodes;
  options.schema = workload.schema();
  options.plan = txn::plan_preset(plan);
  options.fibers = kFibers;
  options.max_records = workload.limits().records;
  options.max_scanned = workload.limits().scanned;
  options.log_ring_bytes = 1 << 20;
  return options;
}

class TpccEffects : public ::testing::TestWithParam<Setting> {
 protected:
  const Database& database() const { return tpcc_.database(); }

  // Runs `count` transactions on every fiber.
  void run(int count) {
    cluster_.run([&](txn::Transaction& transaction, const txn::occ::Place& place) {
      const std::unique_ptr<WorkloadClient> client = make_client(place);
      Random random(99, place.node, place.worker, place.fiber);
      for (int i = 0; i < count; ++i) {
        client->next();
        txn::occ::TransactionCluster::until_committed(
            transaction, random, [&] { return client->execute(transaction) != Attempt::kAborted; });
      }
    });
  }

  // Runs transactions of one kind on a fiber alone, and shows what its terminal shows.
  void run_kind(Kind kind, int count, const std::function<void(const Client&)>& look) {
    cluster_.run_on(1, [&](txn::Transaction& transaction) {
      const auto client = make_client({.node = 1, .worker = 0, .fiber = 0});
      Random random(98);
      for (int done = 0; done < count;) {
        if (client->next() != static_cast<std::uint32_t>(kind)) continue;
        Attempt attempt = Attempt::kAborted;
        // The transaction before may still be unlocking what it wrote.
        txn::occ::TransactionCluster::until_committed(transaction, random, [&] {
          attempt = client->execute(transaction);
          return attempt != Attempt::kAborted;
        });
        if (attempt == Attempt::kRolledBack) continue;
        look(dynamic_cast<const Client&>(*client));
        ++done;
      }
    });
  }

  template <typename Record>
  void each(Table table,
            const std::function<void(txn::PartitionId, txn::Key, const Record&)>& visit) {
    for (txn::PartitionId node = 0; node < kNodes; ++node) {
      txn::Store& store = cluster_.holder(node).store();
      const auto used = static_cast<std::uint32_t>(store.used_entries(0, table));
      for (std::uint32_t entry = 0; entry < used; ++entry) {
        Record record;
        std::uint64_t version = 0;
        txn::Key key = 0;
        ASSERT_TRUE(store.read(0, table, entry, version, key, reinterpret_cast<std::byte*>(&record),
                               nullptr));
        if (!txn::absent(version)) visit(node, key, record);
      }
    }
  }

  std::uint32_t warehouse(txn::PartitionId node, txn::Key district) const {
    return node * database().warehouses_per_node() +
           static_cast<std::uint32_t>(district / kDistricts);
  }

  std::unique_ptr<WorkloadClient> make_client(const txn::occ::Place& place) {
    return tpcc_.make_client({.home = place.home(), .worker = place.worker, .fiber = place.fiber},
                             Random(++clients_, place.node, place.worker, place.fiber));
  }

  Tpcc tpcc_{kNodes, 1, Tpcc::Mix::kFull, tables(GetParam().order_lines)};
  txn::occ::TransactionCluster cluster_{cluster_options(tpcc_, GetParam().plan)};
  std::uint64_t clients_ = 0;
};

INSTANTIATE_TEST_SUITE_P(Plans, TpccEffects,
                         ::testing::Values(Setting{"drtmh", OrderLines::kTogether},
                                           Setting{"farm", OrderLines::kTogether},
                                           Setting{"fasst", OrderLines::kTogether},
                                           Setting{"drtmh", OrderLines::kOneByOne},
                                           Setting{"farm", OrderLines::kOneByOne}),
                         [](const ::testing::TestParamInfo<Setting>& info) {
                           return info.param.name();
                         });

TEST_P(TpccEffects, OrdersLinesAndDeliveriesAgree) {
  run(300);
  EXPECT_EQ(cluster_.inconsistency().value_or(""), "");
  EXPECT_EQ(txn::violation_text(txn::strict_serializability_violation(cluster_.history())), "");
  using OrderName = std::tuple<txn::PartitionId, txn::Key>;  // and its district, as the key says
  std::map<OrderName, Order> orders;
  each<Order>(kOrder, [&](txn::PartitionId node, txn::Key key, const Order& order) {
    orders[{node, key}] = order;
  });
  EXPECT_GT(orders.size(), 4U * 10 * 40 + 200) << "new orders were placed";
  std::set<OrderName> undelivered;
  each<NewOrder>(kNewOrder, [&](txn::PartitionId node, txn::Key key, const NewOrder& entry) {
    EXPECT_EQ(database().keys().order_of_new_order_key(key), entry.order);
    undelivered.insert({node, database().keys().order_key(key >> 32, entry.order)});
  });
  EXPECT_LT(undelivered.size(), orders.size() - 4U * 10 * 28) << "orders were delivered";
  std::map<OrderName, std::uint32_t> lines;
  each<OrderLine>(kOrderLine, [&](txn::PartitionId node, txn::Key key, const OrderLine& line) {
    const OrderName name{node, key >> 8};
    ++lines[name];
    ASSERT_EQ(orders.count(name), 1U);
    EXPECT_EQ(line.delivery_date == 0, orders[name].carrier == 0) << "condition 7";
  });
  std::uint64_t by_customer = 0;
  each<OrderByCustomer>(
      kOrderByCustomer, [&](txn::PartitionId node, txn::Key key, const OrderByCustomer& entry) {
        ++by_customer;
        const OrderName name{node, database().keys().order_key(key >> 48, entry.order)};
        ASSERT_EQ(orders.count(name), 1U);
        EXPECT_EQ(orders[name].customer, key >> 32 & 0xffff);
        EXPECT_EQ(database().order_of_customer_key(key), entry.order);
      });
  EXPECT_EQ(by_customer, orders.size());
  for (const auto& [name, order] : orders) {
    EXPECT_EQ(order.carrier == 0, undelivered.count(name) == 1) << "condition 5";
    EXPECT_EQ(order.lines, lines[name]) << "condition 6";
  }
}

TEST_P(TpccEffects, MoneyAgrees) {
  run(300);
  std::map<std::uint32_t, std::int64_t> by_warehouse;
  std::map<WarehouseDistrict, std::int64_t> by_district;
  std::map<CustomerOf, std::int64_t> paid;
  std::map<CustomerOf, std::uint32_t> payments;
  each<History>(kHistory, [&](txn::PartitionId, txn::Key, const History& history) {
    by_warehouse[history.warehouse] += history.amount;
    by_district[{history.warehouse, history.district}] += history.amount;
    const CustomerOf name{history.customer_warehouse, history.customer_district, history.customer};
    paid[name] += history.amount;
    ++payments[name];
  });
  each<Warehouse>(kWarehouse, [&](txn::PartitionId node, txn::Key key, const Warehouse& record) {
    const std::uint32_t number = warehouse(node, key * kDistricts);
    EXPECT_EQ(record.ytd, by_warehouse[number]) << "condition 8";
    EXPECT_GT(record.ytd, 40 * 10 * 1000) << "payments were made";
  });
  each<District>(kDistrict, [&](txn::PartitionId node, txn::Key key, const District& record) {
    const WarehouseDistrict name{warehouse(node, key), key % kDistricts};
    EXPECT_EQ(record.ytd, by_district[name]) << "condition 9";
  });
  std::map<std::tuple<txn::PartitionId, txn::Key>, std::int64_t> order_amounts;
  each<OrderLine>(kOrderLine, [&](txn::PartitionId node, txn::Key key, const OrderLine& line) {
    if (line.delivery_date != 0) order_amounts[{node, key >> 8}] += line.amount;
  });
  std::map<CustomerOf, std::int64_t> delivered;
  each<Order>(kOrder, [&](txn::PartitionId node, txn::Key key, const Order& order) {
    const txn::Key district = key >> 32;
    delivered[{warehouse(node, district), district % kDistricts, order.customer}] +=
        order_amounts[{node, key}];
  });
  int with_notes = 0;
  each<Customer>(kCustomer, [&](txn::PartitionId node, txn::Key key, const Customer& customer) {
    const txn::Key district = key / 40;
    const CustomerOf name{warehouse(node, district), district % kDistricts, key % 40};
    EXPECT_EQ(customer.balance, delivered[name] - paid[name]) << "condition 10";
    EXPECT_EQ(customer.balance + customer.ytd_payment, delivered[name]) << "condition 12";
    EXPECT_EQ(customer.payments, payments[name]);
    const bool bad = std::memcmp(customer.credit, "BC", 2) == 0;
    const std::string start = std::to_string(key % 40) + " ";
    const bool noted = std::equal(start.begin(), start.end(), customer.data);
    EXPECT_EQ(noted, bad && customer.payments > 1);
    with_notes += noted ? 1 : 0;
  });
  EXPECT_GT(with_notes, 0);
}

TEST_P(TpccEffects, StocksAgreeWithTheLinesTheySupplied) {
  run(200);
  struct Supplied {
    std::uint64_t quantity = 0;
    std::uint32_t orders = 0;
    std::uint32_t remote = 0;
  };
  std::map<std::tuple<std::uint32_t, std::uint32_t>, Supplied> supplied;
  each<OrderLine>(kOrderLine, [&](txn::PartitionId node, txn::Key key, const OrderLine& line) {
    if ((key >> 8 & 0xffffffff) < 40) return;
    Supplied& stock = supplied[{line.supply_warehouse, line.item}];
    stock.quantity += line.quantity;
    ++stock.orders;
    stock.remote += warehouse(node, key >> 40) != line.supply_warehouse ? 1 : 0;
    EXPECT_GT(line.amount, 0U);
  });
  std::uint64_t remote = 0;
  each<Stock>(kStock, [&](txn::PartitionId node, txn::Key key, const Stock& stock) {
    const std::uint32_t number = warehouse(node, key / kItems * kDistricts);
    const Supplied& expected = supplied[{number, key % kItems}];
    EXPECT_EQ(stock.ytd, expected.quantity);
    EXPECT_EQ(stock.orders, expected.orders);
    EXPECT_EQ(stock.remote_orders, expected.remote);
    EXPECT_TRUE(stock.quantity >= 10 && stock.quantity <= 100) << stock.quantity;
    remote += stock.remote_orders;
  });
  EXPECT_GT(remote, 100U);
}

TEST_P(TpccEffects, ANewOrderShowsItsTotalAndOrderStatusFindsIt) {
  run(50);
  run_kind(Kind::kNewOrder, 20, [&](const Client& client) {
    const Screen& screen = client.screen();
    EXPECT_EQ(screen.district.warehouse / 2, 1U) << "a warehouse of the node";
    EXPECT_TRUE(screen.lines >= 5 && screen.lines <= 15);
    EXPECT_GT(screen.total, 0);
  });
  run_kind(Kind::kOrderStatus, 40, [&](const Client& client) {
    const Screen& screen = client.screen();
    const txn::Key district = database().keys().district_key(screen.district);
    std::uint64_t last = 0;
    std::uint32_t lines = 0;
    each<Order>(kOrder, [&](txn::PartitionId node, txn::Key key, const Order& order) {
      if (node != 1 || key >> 32 != district || order.customer != screen.customer) return;
      const std::uint64_t number = Keys::order_of_order_key(key);
      if (number < last) return;
      last = number;
      lines = order.lines;
    });
    EXPECT_EQ(screen.order, last);
    EXPECT_EQ(screen.lines, lines);
  });
}

TEST_P(TpccEffects, StockLevelCountsItemsOfTheLastTwentyOrders) {
  run(400);
  std::uint32_t all_low = 0;
  run_kind(Kind::kStockLevel, 20, [&](const Client& client) {
    const Screen& screen = client.screen();
    const txn::Key key = database().keys().district_key(screen.district);
    std::uint32_t next = 0;
    each<District>(kDistrict, [&](txn::PartitionId node, txn::Key at, const District& district) {
      if (node == 1 && at == key) next = district.next_order;
    });
    std::set<std::uint32_t> items;
    each<OrderLine>(kOrderLine, [&](txn::PartitionId node, txn::Key at, const OrderLine& line) {
      if (node == 1 && at >> 40 == key && (at >> 8 & 0xffffffff) + 20 >= next) {
        items.insert(line.item);
      }
    });
    std::uint32_t low = 0;
    each<Stock>(kStock, [&](txn::PartitionId node, txn::Key at, const Stock& stock) {
      if (node != 1 || at / kItems != database().keys().warehouse_key(screen.district.warehouse))
        return;
      if (items.count(static_cast<std::uint32_t>(at % kItems)) == 1 &&
          stock.quantity < screen.threshold) {
        ++low;
      }
    });
    EXPECT_EQ(screen.low_stocks, low);
    all_low += screen.low_stocks;
  });
  EXPECT_GT(all_low, 0U);
}

TEST_P(TpccEffects, DeliveriesEmptyTheNewOrders) {
  run_kind(Kind::kDelivery, 50,
           [&](const Client& client) { EXPECT_LE(client.screen().delivered, 10U); });
  std::uint64_t left = 0;
  each<NewOrder>(kNewOrder, [&](txn::PartitionId node, txn::Key, const NewOrder&) {
    left += node == 1 ? 1 : 0;
  });
  EXPECT_EQ(left, 0U) << "two warehouses had twelve in each district";
  run_kind(Kind::kDelivery, 2,
           [&](const Client& client) { EXPECT_EQ(client.screen().delivered, 0U); });
  EXPECT_TRUE(tpcc_.inconsistencies(1, cluster_.state(1)).empty());
}

}  // namespace
}  // namespace verbena::workloads::tpcc
