// Keys of TPC-C's records.
#pragma once

#include <compare>
#include <cstdint>

#include "rdma/base/types.h"
#include "txn/schema/table.h"
#include "workloads/tpcc/schema.h"

namespace verbena::workloads::tpcc {

/// A district of the cluster.
struct DistrictName {
  std::uint32_t warehouse = 0;
  std::uint32_t district = 0;

  auto operator<=>(const DistrictName&) const = default;
};

/// Computes keys of a database, and decodes them. All records of a warehouse are in one partition;
/// items are in every partition. Keys are unique within a table of a partition; `district` is the
/// district's key.
class Keys {
 public:
  /// Sizes of the database that keys depend on.
  struct Counts {
    std::uint32_t warehouses_per_node = 1;
    std::uint32_t items = 0;
    std::uint32_t customers = 0;          ///< per district
    std::uint32_t last_names = 0;         ///< in use
    std::uint32_t first_undelivered = 0;  ///< first undelivered initial order of a district
  };

  Keys() = default;
  explicit Keys(const Counts& counts) : counts_(counts) {}

  txn::PartitionId partition(std::uint32_t warehouse) const {
    return static_cast<txn::PartitionId>(warehouse / counts_.warehouses_per_node);
  }

  txn::Key warehouse_key(std::uint32_t warehouse) const {
    return warehouse % counts_.warehouses_per_node;
  }
  txn::Key district_key(DistrictName name) const {
    return warehouse_key(name.warehouse) * kDistricts + name.district;
  }
  txn::Key customer_key(txn::Key district, std::uint32_t customer) const {
    return district * counts_.customers + customer;
  }
  txn::Key customer_name_key(txn::Key district, std::uint32_t last_name) const {
    return district * counts_.last_names + last_name;
  }
  txn::Key order_key(txn::Key district, std::uint64_t order) const {
    return district << kOrderBits | order;
  }
  /// Key of an order in kNewOrder, for orders that are or were undelivered.
  txn::Key new_order_key(txn::Key district, std::uint64_t order) const {
    return district << kOrderBits | (order - counts_.first_undelivered);
  }
  /// The lowest new_order_key of a district.
  txn::Key first_new_order_key(txn::Key district) const { return district << kOrderBits; }
  static std::uint64_t order_of_order_key(txn::Key key) { return key & kOrderMask; }
  std::uint64_t order_of_new_order_key(txn::Key key) const {
    return (key & kOrderMask) + counts_.first_undelivered;
  }
  /// Orders a customer's rows: the initial order first, then those of the run by their numbers.
  txn::Key order_by_customer_key(txn::Key district, std::uint32_t customer,
                                 std::uint64_t order) const {
    const std::uint64_t rank = order < counts_.customers ? 0 : order - counts_.customers + 1;
    return (district << kCustomerBits | customer) << kOrderBits | rank;
  }
  txn::Key last_order_by_customer_key(txn::Key district, std::uint32_t customer) const {
    return order_by_customer_key(district, customer, 0) | kOrderMask;
  }
  txn::Key order_line_key(txn::Key district, std::uint64_t order, std::uint32_t line) const {
    return (district << kOrderBits | order) << kLineBits | line;
  }
  static txn::Key item_key(std::uint32_t item) { return item; }
  txn::Key stock_key(std::uint32_t warehouse, std::uint32_t item) const {
    return warehouse_key(warehouse) * counts_.items + item;
  }
  /// Keys of different workers, fibers or counts differ.
  txn::Key history_key(WorkerId worker, std::uint16_t fiber, std::uint32_t count) const {
    return std::uint64_t{1} << 63 | std::uint64_t{worker} << 48 | std::uint64_t{fiber} << 32 |
           count;
  }

  /// Lowest number of the undelivered initial orders in each district.
  std::uint32_t first_undelivered() const { return counts_.first_undelivered; }

  static constexpr unsigned kOrderBits = 32;
  static constexpr unsigned kLineBits = 8;
  static constexpr unsigned kCustomerBits = 16;
  static constexpr std::uint64_t kOrderMask = (std::uint64_t{1} << kOrderBits) - 1;

 private:
  Counts counts_;
};

}  // namespace verbena::workloads::tpcc
