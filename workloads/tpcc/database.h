// Layout of TPC-C's database and initial content of its records.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rdma/base/types.h"
#include "txn/schema/table.h"
#include "workloads/nurand.h"
#include "workloads/tpcc/keys.h"
#include "workloads/tpcc/options.h"
#include "workloads/tpcc/schema.h"

namespace verbena::workloads::tpcc {

/// The shape of the database. Everything is computed; only the order of last names is stored. All
/// records of a warehouse are in one partition; items are in every partition. Immutable.
class Database {
 public:
  /// Throws ConfigurationError for options that do not fit the cluster.
  Database(std::uint32_t nodes, std::uint32_t workers, const TpccOptions& options);

  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  /// Length of a record of `table`. It begins with the table's structure; the other bytes are zero
  /// and stay so, except those of a stock.
  std::uint32_t payload_bytes(Table table) const;
  /// True if new orders draw their numbers from kOrderNumber.
  bool draws_orders() const { return draws_orders_; }
  /// See TpccOptions::order_lines.
  bool places_lines_one_by_one() const { return places_lines_one_by_one_; }
  /// All tables, by Table. Refers to this object.
  txn::Schema schema() const;

  std::uint32_t nodes() const { return nodes_; }
  std::uint32_t warehouses() const { return nodes_ * warehouses_per_node_; }
  std::uint32_t warehouses_per_node() const { return warehouses_per_node_; }
  std::uint32_t districts_per_node() const { return warehouses_per_node_ * kDistricts; }
  std::uint32_t items() const { return items_; }
  std::uint32_t customers() const { return customers_; }       ///< per district
  std::uint32_t initial_orders() const { return customers_; }  ///< per district
  /// Number of last names in use: names 0 to last_names() - 1.
  std::uint32_t last_names() const { return last_names_; }

  const Keys& keys() const { return keys_; }

  // Initial content. `district` is the district's key.
  /// The order that the row with this key of kOrderByCustomer refers to.
  std::uint64_t order_of_customer_key(txn::Key key) const;
  std::uint32_t customer_of_order(txn::Key district, std::uint32_t order) const;
  std::uint32_t order_of_customer(txn::Key district, std::uint32_t customer) const;
  std::uint32_t last_name_of(txn::Key district, std::uint32_t customer) const;
  /// Customers of the district with that last name, ordered by first names; at most
  /// most_namesakes().
  std::vector<std::uint16_t> customers_named(txn::PartitionId partition, txn::Key district,
                                             std::uint32_t last_name) const;
  std::uint32_t most_namesakes() const { return most_namesakes_; }
  void load(Table table, txn::PartitionId partition, txn::Key key,
            std::span<std::byte> payload) const;

  /// Writes S_DIST_xx of a stock: 24 characters.
  static void district_info(std::uint32_t warehouse, std::uint32_t item, std::uint32_t district,
                            std::span<char, 24> text);

 private:
  void name_customers();
  txn::TableDefinition definition(Table table) const;
  void load_customer(txn::PartitionId partition, txn::Key key, Customer& customer) const;
  void load_order_line(txn::PartitionId partition, txn::Key key, OrderLine& line) const;
  void load_stock_texts(txn::PartitionId partition, txn::Key key, StockTexts& texts) const;

  std::uint32_t nodes_;
  std::uint32_t warehouses_per_node_ = 1;
  std::uint32_t items_;
  bool whole_records_;
  bool draws_orders_;
  bool places_lines_one_by_one_;
  std::uint32_t customers_;
  std::uint32_t new_orders_;
  std::uint32_t last_names_;
  Keys keys_;
  std::uint32_t most_namesakes_ = 1;
  std::uint32_t order_step_ = 1;               // between the customers of successive orders
  std::uint32_t order_unstep_ = 1;             // inverse of order_step_ modulo customers_
  std::vector<std::uint16_t> names_;           // of customers last_names_ to customers_ - 1
  std::vector<std::uint16_t> places_by_name_;  // indexes into names_, by name
  std::vector<std::uint16_t> first_place_;     // by name, into places_by_name_
};

/// The customer that a last name selects, from a record of kCustomerName: at position count / 2,
/// rounded up (clauses 2.5.2.2 and 2.6.2.2).
std::uint32_t middle_namesake(std::span<const std::byte> customer_name);

/// Writes the first name of the customer with key `customer`.
void write_first_name(txn::PartitionId partition, txn::Key customer, std::span<char, 16> text);

/// Writes the last name with number `number` (clause 4.3.2.3).
void write_last_name(std::uint32_t number, std::span<char, 16> text);

}  // namespace verbena::workloads::tpcc
