// Checking TPC-C's consistency conditions.
#include "workloads/tpcc/conditions.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>

namespace verbena::workloads::tpcc {
namespace {

class Conditions {
 public:
  Conditions(const Database& database, txn::PartitionId partition, txn::StateAtRest& state,
             std::vector<std::string>& breaches)
      : database_(database), partition_(partition), state_(state), breaches_(breaches) {}

  void check(std::uint32_t warehouse) {
    std::int64_t districts = 0;
    for (std::uint32_t number = 0; number < kDistricts; ++number) {
      const DistrictName name{.warehouse = warehouse, .district = number};
      where_ = "warehouse " + std::to_string(warehouse) + ", district " + std::to_string(number);
      const txn::Key key = database_.keys().district_key(name);
      const auto district = record<District>(kDistrict, key);
      districts += district.ytd;
      const std::uint64_t next_order = database_.draws_orders()
                                           ? record<OrderNumber>(kOrderNumber, key).next
                                           : district.next_order;
      check_orders(key, next_order);
      check_new_orders(key, next_order);
      check_lines(key);
    }
    where_ = "warehouse " + std::to_string(warehouse);
    const std::int64_t ytd =
        record<Warehouse>(kWarehouse, database_.keys().warehouse_key(warehouse)).ytd;
    expect(1, ytd, "w_ytd", districts, "the sum of d_ytd");
  }

 private:
  // Condition 2, of orders.
  void check_orders(txn::Key district, std::uint64_t next_order) {
    const auto last = edge(kOrder, database_.keys().order_key(district, 0),
                           database_.keys().order_key(district + 1, 0) - 1, true);
    const std::uint64_t highest = last ? database_.keys().order_of_order_key(*last) : 0;
    expect_next(next_order, highest, "the highest o_id");
  }

  // Numbers that are drawn may have no order.
  void expect_next(std::uint64_t next_order, std::uint64_t highest, const char* name) {
    if (database_.draws_orders() && next_order > highest) return;
    expect(2, next_order - 1, "d_next_o_id - 1", highest, name);
  }

  // Conditions 2, of new orders, and 3.
  void check_new_orders(txn::Key district, std::uint64_t next_order) {
    const txn::Key first = database_.keys().first_new_order_key(district);
    const txn::Key last = database_.keys().first_new_order_key(district + 1) - 1;
    const auto lowest = edge(kNewOrder, first, last, false);
    const auto highest = edge(kNewOrder, first, last, true);
    check_delivered(district, lowest);
    if (database_.draws_orders()) check_gaps(district, lowest);
    if (!lowest || !highest) return;
    expect_next(next_order, database_.keys().order_of_new_order_key(*highest),
                "the highest no_o_id");
    if (database_.draws_orders()) return;
    expect(3, *highest - *lowest + 1, "the range of no_o_id",
           state_.count(range(kNewOrder, first, last)), "the number of new orders");
  }

  // Condition 3 as it is where numbers are drawn. Some have no order, and an order may be delivered
  // before one with a lower number, which is committed later. So of the run's orders those that are
  // not delivered are the new ones; initial ones have successive numbers, and are delivered before.
  void check_gaps(txn::Key district, std::optional<txn::Key> lowest) {
    const std::uint64_t initial = database_.initial_orders();
    const txn::Key of_run = database_.keys().new_order_key(district, initial);
    const txn::Key last = database_.keys().first_new_order_key(district + 1) - 1;
    if (lowest && *lowest < of_run) {
      expect(3, of_run - *lowest, "the range of initial no_o_id",
             state_.count(range(kNewOrder, *lowest, of_run - 1)), "the number of new orders");
    }
    std::uint64_t undelivered = 0;
    visit(kOrder, database_.keys().order_key(district, initial),
          database_.keys().order_key(district + 1, 0) - 1, false, [&](txn::Key key) {
            const std::uint64_t number = Keys::order_of_order_key(key);
            if (is_new(district, number)) {
              ++undelivered;
              if (record<Order>(kOrder, key).carrier != 0) {
                breach(5, number, "is a new order and has an o_carrier_id");
              }
            } else {
              check_delivered_order(district, number);
            }
            return true;
          });
    expect(3, undelivered, "the number of the run's orders that are not delivered",
           state_.count(range(kNewOrder, of_run, last)), "that of its new orders");
  }

  bool is_new(txn::Key district, std::uint64_t order) {
    NewOrder entry{};
    return find(kNewOrder, database_.keys().new_order_key(district, order), entry);
  }

  // Conditions 5 and 7, of the orders that the run has delivered, and 5 of the first that is not.
  void check_delivered(txn::Key district, std::optional<txn::Key> lowest) {
    const txn::Key first = database_.keys().first_new_order_key(district);
    const auto last = edge(kOrder, database_.keys().order_key(district, 0),
                           database_.keys().order_key(district + 1, 0) - 1, true);
    std::uint64_t undelivered = last ? database_.keys().order_of_order_key(*last) + 1 : 0;
    if (lowest)
      undelivered = std::min(undelivered, database_.keys().order_of_new_order_key(*lowest));
    for (auto number = database_.keys().order_of_new_order_key(first); number < undelivered;
         ++number) {
      check_delivered_order(district, number);
    }
    Order order{};
    if (!lowest || !find(kOrder, database_.keys().order_key(district, undelivered), order)) return;
    if (order.carrier != 0) breach(5, undelivered, "is not delivered and has an o_carrier_id");
  }

  void check_delivered_order(txn::Key district, std::uint64_t number) {
    Order order{};
    if (!find(kOrder, database_.keys().order_key(district, number), order)) return;
    if (order.carrier == 0) breach(5, number, "is delivered and has no o_carrier_id");
    for (std::uint32_t line = 0; line < order.lines; ++line) {
      OrderLine delivered{};
      if (!find(kOrderLine, database_.keys().order_line_key(district, number, line), delivered))
        continue;
      if (delivered.delivery_date != 0) continue;
      breach(7, number, "is delivered and has a line without ol_delivery_d");
      return;
    }
  }

  // Condition 4.
  void check_lines(txn::Key district) {
    const std::uint64_t initial = database_.initial_orders();
    std::uint64_t lines = initial * kInitialLines;
    visit(kOrder, database_.keys().order_key(district, initial),
          database_.keys().order_key(district + 1, 0) - 1, false, [&](txn::Key key) {
            lines += record<Order>(kOrder, key).lines;
            return true;
          });
    const std::uint64_t counted =
        state_.count(range(kOrderLine, database_.keys().order_line_key(district, 0, 0),
                           database_.keys().order_line_key(district + 1, 0, 0) - 1));
    expect(4, lines, "the sum of o_ol_cnt", counted, "the number of order lines");
  }

  std::optional<txn::Key> edge(Table table, txn::Key first, txn::Key last, bool highest) {
    std::optional<txn::Key> found;
    visit(table, first, last, highest, [&](txn::Key key) {
      found = key;
      return false;
    });
    return found;
  }

  txn::KeyRange range(Table table, txn::Key first, txn::Key last) const {
    return {.table = table, .partition = partition_, .first = first, .last = last};
  }

  void visit(Table table, txn::Key first, txn::Key last, bool descending,
             const txn::StateAtRest::KeyVisitor& each) {
    txn::KeyRange keys = range(table, first, last);
    keys.descending = descending;
    state_.scan(keys, each);
  }

  template <typename Record>
  bool find(Table table, txn::Key key, Record& record) {
    payload_.resize(database_.payload_bytes(table));
    if (!state_.get({.table = table, .partition = partition_, .key = key}, payload_)) return false;
    std::memcpy(&record, payload_.data(), sizeof record);
    return true;
  }

  template <typename Record>
  Record record(Table table, txn::Key key) {
    Record record{};
    if (!find(table, key, record)) {
      breaches_.push_back(where_ + ": a record cannot be read");
    }
    return record;
  }

  void breach(int condition, std::uint64_t order, const char* what) {
    breaches_.push_back("consistency condition " + std::to_string(condition) + ": " + where_ +
                        ": order " + std::to_string(order) + " " + what);
  }

  template <typename Number>
  void expect(int condition, Number one, const char* name, Number other, const char* other_name) {
    if (one == other) return;
    breaches_.push_back("consistency condition " + std::to_string(condition) + ": " + where_ +
                        ": " + name + " is " + std::to_string(one) + ", " + other_name + " " +
                        std::to_string(other));
  }

  const Database& database_;
  txn::PartitionId partition_;
  txn::StateAtRest& state_;
  std::vector<std::string>& breaches_;
  std::vector<std::byte> payload_;
  std::string where_;
};

}  // namespace

std::vector<std::string> breached_conditions(const Database& database, txn::PartitionId partition,
                                             txn::StateAtRest& state) {
  std::vector<std::string> breaches;
  Conditions conditions(database, partition, state, breaches);
  const std::uint32_t first = partition * database.warehouses_per_node();
  for (std::uint32_t i = 0; i < database.warehouses_per_node(); ++i) {
    conditions.check(first + i);
  }
  return breaches;
}

}  // namespace verbena::workloads::tpcc
