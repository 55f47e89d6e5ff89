// Inputs of TPC-C's transactions (clauses 2.4.1, 2.5.1, 2.6.1, 2.7.1, 2.8.1).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "rdma/base/random.h"
#include "rdma/base/types.h"
#include "workloads/tpcc/database.h"
#include "workloads/zipf.h"

namespace verbena::workloads::tpcc {

enum class Kind : std::uint32_t {
  kNewOrder,
  kPayment,
  kOrderStatus,
  kDelivery,
  kStockLevel,
  kAudit,  ///< not in the standard
  kCount
};

struct NewOrderLine {
  std::uint32_t item = 0;  ///< Database::items() means a nonexistent item
  std::uint16_t supply_warehouse = 0;
  std::uint8_t quantity = 0;
};

struct NewOrderInput {
  DistrictName home;
  std::uint32_t customer = 0;
  std::uint32_t lines = 0;
  bool all_local = true;  ///< all stocks are of the home warehouse
  std::array<NewOrderLine, kMostLines> line;
};

/// A customer by number, or by last name: the middle one of those with that name.
struct CustomerChoice {
  DistrictName district;
  bool by_name = false;
  std::uint32_t number = 0;  ///< number of the customer or of the last name
};

struct PaymentInput {
  DistrictName home;
  CustomerChoice customer;
  std::uint32_t amount = 0;
};

struct DeliveryInput {
  std::uint32_t warehouse = 0;
  std::uint8_t carrier = 0;
};

struct StockLevelInput {
  DistrictName home;
  std::int32_t threshold = 0;
};

/// Draws inputs for one client, from the warehouses of its worker. Every worker of a node has
/// warehouses of its own; if there are fewer warehouses than workers, they share them in turn.
class InputGenerator {
 public:
  struct Mix {
    bool new_order_only = false;
    std::uint32_t remote_lines_percent = 1;
    std::uint32_t remote_payments_percent = 15;
    /// Share of new orders with exactly one line, any of them, supplied by a warehouse of another
    /// partition; the others have none. Replaces `remote_lines_percent`. Above 0 it needs another
    /// partition.
    std::optional<std::uint32_t> distributed_percent = {};
    std::uint32_t rolled_back_percent = 1;  ///< of new orders
    std::uint32_t audit_percent = 0;        ///< of all transactions; the rest follow the mix
    /// Draws items by Zipf's law with this coefficient (0: uniform) instead of the standard's
    /// distribution.
    std::optional<double> item_zipf_coefficient = {};
  };

  InputGenerator(const Database& database, Mix mix, txn::PartitionId node, WorkerId worker,
                 std::uint32_t workers, Random random);

  Kind kind();
  void new_order(NewOrderInput& input);
  PaymentInput payment();
  CustomerChoice order_status();
  DeliveryInput delivery();
  StockLevelInput stock_level();
  std::uint32_t audited_warehouse() { return home_warehouse(); }

 private:
  bool percent(std::uint32_t share) { return random_.below(100) < share; }
  std::uint32_t home_warehouse();
  DistrictName home_district();
  std::uint32_t other_warehouse(std::uint32_t than);
  std::uint32_t warehouse_elsewhere();
  void supply_from_elsewhere(NewOrderInput& input);
  CustomerChoice customer_of(DistrictName district);
  std::uint32_t item();
  std::uint32_t other_item(std::span<const NewOrderLine> than);

  const Database& database_;
  Mix mix_;
  Random random_;
  txn::PartitionId partition_;
  NuRand item_;
  std::optional<Zipf> zipfian_item_;
  NuRand customer_;
  NuRand last_name_;
  std::uint32_t first_warehouse_;
  std::uint32_t warehouse_step_;
  std::uint32_t own_warehouses_;
};

}  // namespace verbena::workloads::tpcc
