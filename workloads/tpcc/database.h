// Where TPC-C's records are and what they hold initially.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rdma/base/types.h"
#include "txn/table.h"
#include "workloads/nurand.h"
#include "workloads/tpcc/options.h"
#include "workloads/tpcc/schema.h"

namespace verbena::workloads::tpcc {

/// A district of the cluster.
struct DistrictName {
  std::uint32_t warehouse = 0;
  std::uint32_t district = 0;

  auto operator<=>(const DistrictName&) const = default;
};

/// The shape of the database: everything is computed, nothing is stored but the order of last
/// names. All records of a warehouse are in one partition; items are in every partition. Immutable.
class Database {
 public:
  /// Throws ConfigurationError for options that do not fit the cluster.
  Database(std::uint32_t nodes, std::uint32_t workers, const TpccOptions& options);

  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  /// Of a record of `table`, whose first bytes are its structure. The others are zero, and stay so,
  /// but for a stock's.
  std::uint32_t payload_bytes(Table table) const;
  /// Whether new orders draw their numbers, from kOrderNumber.
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
  /// Last names that customers have: the numbers below.
  std::uint32_t last_names() const { return last_names_; }

  txn::PartitionId partition(std::uint32_t warehouse) const {
    return static_cast<txn::PartitionId>(warehouse / warehouses_per_node_);
  }

  // Keys within the partition. `district` is the district's key.
  txn::Key warehouse_key(std::uint32_t warehouse) const { return warehouse % warehouses_per_node_; }
  txn::Key district_key(DistrictName name) const {
    return warehouse_key(name.warehouse) * kDistricts + name.district;
  }
  txn::Key customer_key(txn::Key district, std::uint32_t customer) const {
    return district * customers_ + customer;
  }
  txn::Key customer_name_key(txn::Key district, std::uint32_t last_name) const {
    return district * last_names_ + last_name;
  }
  txn::Key order_key(txn::Key district, std::uint64_t order) const {
    return district << kOrderBits | order;
  }
  /// Of an order that is, or was, not delivered.
  txn::Key new_order_key(txn::Key district, std::uint64_t order) const {
    return district << kOrderBits | (order - first_undelivered_);
  }
  /// The lowest new_order_key of a district.
  txn::Key first_new_order_key(txn::Key district) const { return district << kOrderBits; }
  static std::uint64_t order_of_order_key(txn::Key key) { return key & kOrderMask; }
  std::uint64_t order_of_new_order_key(txn::Key key) const {
    return (key & kOrderMask) + first_undelivered_;
  }
  /// A customer's initial order comes first, those of the run follow by their numbers.
  txn::Key order_by_customer_key(txn::Key district, std::uint32_t customer,
                                 std::uint64_t order) const {
    const std::uint64_t rank = order < initial_orders() ? 0 : order - initial_orders() + 1;
    return (district << kCustomerBits | customer) << kOrderBits | rank;
  }
  txn::Key last_order_by_customer_key(txn::Key district, std::uint32_t customer) const {
    return order_by_customer_key(district, customer, 0) | kOrderMask;
  }
  std::uint64_t order_of_customer_key(txn::Key key) const;
  txn::Key order_line_key(txn::Key district, std::uint64_t order, std::uint32_t line) const {
    return (district << kOrderBits | order) << kLineBits | line;
  }
  static txn::Key item_key(std::uint32_t item) { return item; }
  txn::Key stock_key(std::uint32_t warehouse, std::uint32_t item) const {
    return warehouse_key(warehouse) * items_ + item;
  }
  /// Keys of different worker, fiber or count differ.
  txn::Key history_key(WorkerId worker, std::uint16_t fiber, std::uint32_t count) const {
    return std::uint64_t{1} << 63 | std::uint64_t{worker} << 48 | std::uint64_t{fiber} << 32 |
           count;
  }

  // Initial content. `district` is the district's key.
  std::uint32_t customer_of_order(txn::Key district, std::uint32_t order) const;
  std::uint32_t order_of_customer(txn::Key district, std::uint32_t customer) const;
  std::uint32_t last_name_of(txn::Key district, std::uint32_t customer) const;
  /// At most most_namesakes() customers of the district with that last name, by their first names.
  std::vector<std::uint16_t> customers_named(txn::PartitionId partition, txn::Key district,
                                             std::uint32_t last_name) const;
  std::uint32_t most_namesakes() const { return most_namesakes_; }
  void load(Table table, txn::PartitionId partition, txn::Key key,
            std::span<std::byte> payload) const;

  /// S_DIST_xx of a stock: 24 characters.
  static void district_info(std::uint32_t warehouse, std::uint32_t item, std::uint32_t district,
                            std::span<char, 24> text);

 private:
  static constexpr unsigned kOrderBits = 32;
  static constexpr unsigned kLineBits = 8;
  static constexpr unsigned kCustomerBits = 16;
  static constexpr std::uint64_t kOrderMask = (std::uint64_t{1} << kOrderBits) - 1;

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
  std::uint32_t first_undelivered_;
  std::uint32_t last_names_;
  std::uint32_t most_namesakes_ = 1;
  std::uint32_t order_step_ = 1;               // customers of successive orders differ by it
  std::uint32_t order_unstep_ = 1;             // its inverse modulo customers_
  std::vector<std::uint16_t> names_;           // of customers last_names_ .. customers_ - 1
  std::vector<std::uint16_t> places_by_name_;  // indexes into names_, by name
  std::vector<std::uint16_t> first_place_;     // by name, into places_by_name_
};

/// The customer whom a last name stands for, of a record of kCustomerName: the one at half of the
/// count, rounded up (clauses 2.5.2.2 and 2.6.2.2).
std::uint32_t middle_namesake(std::span<const std::byte> customer_name);

/// Writes the first name of the customer with key `customer`.
void write_first_name(txn::PartitionId partition, txn::Key customer, std::span<char, 16> text);

/// Writes the name that last-name number `number` stands for (clause 4.3.2.3).
void write_last_name(std::uint32_t number, std::span<char, 16> text);

}  // namespace verbena::workloads::tpcc
