// TPC-C's inputs have the distributions of the standard.
#include "workloads/tpcc/input.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace verbena::workloads::tpcc {
namespace {

constexpr std::uint32_t kNodes = 4;
constexpr std::uint32_t kWorkers = 2;
constexpr int kDraws = 100'000;

class TpccInput : public ::testing::Test {
 protected:
  InputGenerator generator(InputGenerator::Mix mix = {}, txn::PartitionId node = 1,
                           WorkerId worker = 1) const {
    return {database_, mix, node, worker, kWorkers, Random(5)};
  }

  Database database_{kNodes, kWorkers, {}};
};

TEST_F(TpccInput, TheMixIsTheStandards) {
  InputGenerator inputs = generator();
  std::map<Kind, double> shares;
  for (int i = 0; i < kDraws; ++i) shares[inputs.kind()] += 100.0 / kDraws;
  EXPECT_NEAR(shares[Kind::kNewOrder], 45, 0.7);
  EXPECT_NEAR(shares[Kind::kPayment], 43, 0.7);
  EXPECT_NEAR(shares[Kind::kOrderStatus], 4, 0.3);
  EXPECT_NEAR(shares[Kind::kDelivery], 4, 0.3);
  EXPECT_NEAR(shares[Kind::kStockLevel], 4, 0.3);
}

TEST_F(TpccInput, NewOrders) {
  InputGenerator inputs = generator();
  std::map<std::uint32_t, int> lines;
  std::set<std::uint32_t> districts;
  int rolled_back = 0;
  int remote_orders = 0;
  double all_lines = 0;
  double remote_lines = 0;
  NewOrderInput input;
  for (int i = 0; i < kDraws; ++i) {
    inputs.new_order(input);
    EXPECT_EQ(input.home.warehouse, 3U) << "the second worker's of the second node";
    districts.insert(input.home.district);
    EXPECT_LT(input.customer, 3000U);
    ++lines[input.lines];
    std::set<std::uint32_t> items;
    bool all_local = true;
    for (std::uint32_t n = 0; n < input.lines; ++n) {
      const NewOrderLine& line = input.line[n];
      EXPECT_TRUE(items.insert(line.item).second) << "items of an order differ";
      EXPECT_LT(line.item, 100'000U + (n + 1 == input.lines ? 1 : 0));
      EXPECT_TRUE(line.quantity >= 1 && line.quantity <= 10);
      EXPECT_LT(line.supply_warehouse, 8);
      ++all_lines;
      remote_lines += line.supply_warehouse != 3 ? 1 : 0;
      all_local = all_local && line.supply_warehouse == 3;
    }
    EXPECT_EQ(input.all_local, all_local);
    remote_orders += all_local ? 0 : 1;
    rolled_back += input.line[input.lines - 1].item == 100'000 ? 1 : 0;
  }
  EXPECT_EQ(districts.size(), 10U);
  EXPECT_EQ(lines.size(), 11U);
  for (const auto& [count, orders] : lines) {
    EXPECT_TRUE(count >= 5 && count <= 15);
    EXPECT_NEAR(orders, kDraws / 11.0, 400);
  }
  EXPECT_NEAR(remote_lines / all_lines, 0.01, 0.001);
  EXPECT_NEAR(remote_orders, kDraws * 0.095, kDraws * 0.01) << "about a tenth is distributed";
  EXPECT_NEAR(rolled_back, kDraws * 0.01, kDraws * 0.002);
}

TEST_F(TpccInput, OfNewOrdersOnlyAllLinesAreRemoteAndNoneIsRolledBack) {
  InputGenerator inputs =
      generator({.new_order_only = true, .remote_lines_percent = 100, .rolled_back_percent = 0});
  std::map<std::uint32_t, int> supplies;
  NewOrderInput input;
  for (int i = 0; i < kDraws; ++i) {
    EXPECT_EQ(inputs.kind(), Kind::kNewOrder);
    inputs.new_order(input);
    EXPECT_FALSE(input.all_local);
    EXPECT_LT(input.line[input.lines - 1].item, 100'000U);
    for (std::uint32_t n = 0; n < input.lines; ++n) ++supplies[input.line[n].supply_warehouse];
  }
  EXPECT_EQ(supplies.size(), 7U) << "every warehouse but its own";
  EXPECT_EQ(supplies.count(3), 0U);
  for (const auto& [warehouse, count] : supplies) EXPECT_NEAR(count, kDraws * 10 / 7.0, 3000);
}

// Number of draws with lines from other warehouses than the home, and lines by these warehouses.
struct Distribution {
  int distributed = 0;
  std::map<std::uint32_t, int> supplies;
};

Distribution distribution(InputGenerator inputs) {
  Distribution found;
  NewOrderInput input;
  for (int i = 0; i < kDraws; ++i) {
    inputs.new_order(input);
    int elsewhere = 0;
    for (std::uint32_t n = 0; n < input.lines; ++n) {
      if (input.line[n].supply_warehouse == input.home.warehouse) continue;
      ++found.supplies[input.line[n].supply_warehouse];
      ++elsewhere;
    }
    EXPECT_LE(elsewhere, 1) << "of each order one stock is";
    EXPECT_EQ(input.all_local, elsewhere == 0);
    found.distributed += elsewhere;
  }
  return found;
}

TEST_F(TpccInput, SoManyNewOrdersTakeAStockFromAnotherServer) {
  for (const std::uint32_t percent : {0U, 20U, 60U, 100U}) {
    for (const int place : {0, 1, 3}) {
      const auto node = static_cast<txn::PartitionId>(place);
      const Distribution found = distribution(generator({.distributed_percent = percent}, node, 1));
      EXPECT_NEAR(found.distributed, kDraws * percent / 100.0, kDraws * 0.007) << percent;
      EXPECT_EQ(found.supplies.size(), percent == 0 ? 0U : 6U) << "of every other server";
      for (const auto& [warehouse, count] : found.supplies) {
        EXPECT_NE(database_.keys().partition(warehouse), node);
        EXPECT_NEAR(count, kDraws * percent / 100.0 / 6, 500) << warehouse;
      }
    }
  }
}

// How often each item is ordered, in orders whose items differ.
std::map<std::uint32_t, int> ordered_items(InputGenerator inputs, int orders) {
  std::map<std::uint32_t, int> counts;
  NewOrderInput input;
  for (int i = 0; i < orders; ++i) {
    inputs.new_order(input);
    std::set<std::uint32_t> items;
    for (std::uint32_t n = 0; n < input.lines; ++n) {
      EXPECT_TRUE(items.insert(input.line[n].item).second) << "items of an order differ";
      ++counts[input.line[n].item];
    }
  }
  return counts;
}

// Share of orders of one line that would order the first item; that the items of an order differ
// makes it more.
double share_of_the_first(double coefficient, std::uint32_t items) {
  double sum = 0;
  for (std::uint32_t k = items; k >= 1; --k) sum += std::pow(k, -coefficient);
  return 1 / sum;
}

TEST_F(TpccInput, ItemsByZipfsLawAreOrderedByTheirRanks) {
  for (const double coefficient : {0.8, 0.9, 1.0, 2.0}) {
    std::map<std::uint32_t, int> counts = ordered_items(
        generator({.rolled_back_percent = 0, .item_zipf_coefficient = coefficient}), kDraws);
    EXPECT_GT(counts[0], counts[1]) << coefficient;
    EXPECT_GT(counts[1], counts[3]) << coefficient;
    EXPECT_GT(counts[3], counts[9]) << coefficient;
    // The chance that none of ten lines, if they did not have to differ, is the first item.
    const double share = share_of_the_first(coefficient, database_.items());
    double none = 0;
    for (int lines = 5; lines <= 15; ++lines) none += std::pow(1 - share, lines) / 11;
    EXPECT_GT(counts[0], kDraws * (1 - none) * 0.98) << coefficient;
    EXPECT_LT(counts[0], kDraws * std::min(1.0, (1 - none) * 1.25)) << coefficient;
    EXPECT_LT(counts.rbegin()->first, database_.items()) << coefficient;
  }
}

TEST_F(TpccInput, UniformItemsAreOrderedAlike) {
  const Database few(kNodes, kWorkers, {.items = 100});
  const auto counts = ordered_items(
      {few, {.rolled_back_percent = 0, .item_zipf_coefficient = 0}, 1, 1, kWorkers, Random(5)},
      kDraws);
  EXPECT_EQ(counts.size(), 100U);
  for (const auto& [item, count] : counts) EXPECT_NEAR(count, kDraws / 10.0, 500) << item;
}

TEST_F(TpccInput, WhereTheLawHasHardlyAnyOtherItemsTheMostPopularOnesAreTaken) {
  const auto counts =
      ordered_items(generator({.rolled_back_percent = 0, .item_zipf_coefficient = 60}), 1000);
  EXPECT_EQ(counts.size(), 15U);
  EXPECT_EQ(counts.at(4), 1000) << "every order has five lines";
  EXPECT_EQ(counts.rbegin()->first, 14U);
}

TEST_F(TpccInput, Payments) {
  InputGenerator inputs = generator();
  int remote = 0;
  int by_name = 0;
  for (int i = 0; i < kDraws; ++i) {
    const PaymentInput input = inputs.payment();
    EXPECT_EQ(input.home.warehouse, 3U);
    EXPECT_TRUE(input.amount >= 100 && input.amount <= 500'000);
    if (input.customer.district.warehouse == 3) {
      EXPECT_EQ(input.customer.district, input.home);
    } else {
      ++remote;
    }
    by_name += input.customer.by_name ? 1 : 0;
    EXPECT_LT(input.customer.number, input.customer.by_name ? 1000U : 3000U);
  }
  EXPECT_NEAR(remote, kDraws * 0.15, kDraws * 0.005);
  EXPECT_NEAR(by_name, kDraws * 0.6, kDraws * 0.006);
}

TEST_F(TpccInput, OrderStatusDeliveryAndStockLevel) {
  InputGenerator inputs = generator();
  int by_name = 0;
  std::set<std::uint32_t> carriers;
  std::set<std::int32_t> thresholds;
  for (int i = 0; i < kDraws; ++i) {
    const CustomerChoice customer = inputs.order_status();
    EXPECT_EQ(customer.district.warehouse, 3U);
    by_name += customer.by_name ? 1 : 0;
    const DeliveryInput delivery = inputs.delivery();
    EXPECT_EQ(delivery.warehouse, 3U);
    carriers.insert(delivery.carrier);
    const StockLevelInput level = inputs.stock_level();
    EXPECT_EQ(level.home.warehouse, 3U);
    thresholds.insert(level.threshold);
  }
  EXPECT_NEAR(by_name, kDraws * 0.6, kDraws * 0.006);
  EXPECT_EQ(carriers.size(), 10U);
  EXPECT_EQ(*carriers.begin(), 1U);
  EXPECT_EQ(thresholds.size(), 11U);
  EXPECT_EQ(*thresholds.begin(), 10);
}

// Warehouses that the workers of node 1 draw, each on its own line.
std::vector<std::set<std::uint32_t>> homes(std::uint32_t warehouses, std::uint32_t workers) {
  const Database database(2, workers, {.warehouses = warehouses});
  std::vector<std::set<std::uint32_t>> homes(workers);
  for (std::uint32_t worker = 0; worker < workers; ++worker) {
    InputGenerator inputs(database, {}, 1, static_cast<WorkerId>(worker), workers, Random(worker));
    for (int i = 0; i < 1000; ++i) homes[worker].insert(inputs.delivery().warehouse);
  }
  return homes;
}

TEST(TpccHomes, WorkersOfANodeShareItsWarehousesInTurn) {
  using Homes = std::vector<std::set<std::uint32_t>>;
  EXPECT_EQ(homes(6, 3), (Homes{{3}, {4}, {5}}));
  EXPECT_EQ(homes(4, 3), (Homes{{2}, {3}, {2}}));
  EXPECT_EQ(homes(10, 2), (Homes{{5, 7, 9}, {6, 8}}));
}

TEST(TpccHomes, ALoneWarehouseSuppliesItself) {
  const Database database(1, 1, {});
  InputGenerator inputs(database, {.remote_lines_percent = 100}, 0, 0, 1, Random(1));
  NewOrderInput input;
  inputs.new_order(input);
  EXPECT_TRUE(input.all_local);
  EXPECT_EQ(inputs.payment().customer.district.warehouse, 0U);
}

}  // namespace
}  // namespace verbena::workloads::tpcc
