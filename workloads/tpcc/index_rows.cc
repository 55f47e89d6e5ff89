// Looking each order up in the index.
#include "workloads/tpcc/index_rows.h"

#include <cstring>
#include <span>

namespace verbena::workloads::tpcc {
namespace {

class OrderIndex {
 public:
  OrderIndex(const Database& database, txn::PartitionId partition, txn::StateAtRest& state,
             std::vector<std::string>& wrong)
      : database_(database), partition_(partition), state_(state), wrong_(wrong) {}

  void check(DistrictName name) {
    where_ = "warehouse " + std::to_string(name.warehouse) + ", district " +
             std::to_string(name.district);
    const txn::Key district = database_.keys().district_key(name);
    std::uint64_t orders = database_.initial_orders();
    const auto look = [&](txn::Key key) {
      ++orders;
      check_order(district, key);
      return true;
    };
    state_.scan(range(kOrder, database_.keys().order_key(district, database_.initial_orders()),
                      database_.keys().order_key(district + 1, 0) - 1),
                look);
    const std::uint64_t rows =
        state_.count(range(kOrderByCustomer, database_.keys().order_by_customer_key(district, 0, 0),
                           database_.keys().order_by_customer_key(district + 1, 0, 0) - 1));
    if (rows == orders) return;
    wrong_.push_back("index of orders by customers: " + where_ + ": rows are " +
                     std::to_string(rows) + ", orders " + std::to_string(orders));
  }

 private:
  void check_order(txn::Key district, txn::Key key) {
    const std::uint64_t number = Keys::order_of_order_key(key);
    Order order{};
    if (!get(kOrder, key, &order, sizeof order)) return;
    OrderByCustomer row{};
    const txn::Key place = database_.keys().order_by_customer_key(district, order.customer, number);
    if (!get(kOrderByCustomer, place, &row, sizeof row)) {
      wrong(number, "has no row of its customer " + std::to_string(order.customer));
    } else if (row.order != number) {
      wrong(number, "has a row that tells order " + std::to_string(row.order));
    }
  }

  void wrong(std::uint64_t order, const std::string& what) {
    wrong_.push_back("index of orders by customers: " + where_ + ": order " +
                     std::to_string(order) + " " + what);
  }

  bool get(Table table, txn::Key key, void* record, std::size_t bytes) {
    payload_.resize(database_.payload_bytes(table));
    if (!state_.get({.table = table, .partition = partition_, .key = key}, payload_)) return false;
    std::memcpy(record, payload_.data(), bytes);
    return true;
  }

  txn::KeyRange range(Table table, txn::Key first, txn::Key last) const {
    return {.table = table, .partition = partition_, .first = first, .last = last};
  }

  const Database& database_;
  txn::PartitionId partition_;
  txn::StateAtRest& state_;
  std::vector<std::string>& wrong_;
  std::vector<std::byte> payload_;
  std::string where_;
};

}  // namespace

std::vector<std::string> wrong_index_rows(const Database& database, txn::PartitionId partition,
                                          txn::StateAtRest& state) {
  std::vector<std::string> wrong;
  OrderIndex index(database, partition, state, wrong);
  const std::uint32_t first = partition * database.warehouses_per_node();
  for (std::uint32_t i = 0; i < database.warehouses_per_node(); ++i) {
    for (std::uint32_t district = 0; district < kDistricts; ++district) {
      index.check({.warehouse = first + i, .district = district});
    }
  }
  return wrong;
}

}  // namespace verbena::workloads::tpcc
