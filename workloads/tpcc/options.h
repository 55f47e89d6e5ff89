// Parameters of TPC-C.
#pragma once

#include <cstdint>
#include <optional>

namespace verbena::workloads {

/// The defaults are the standard's (revision 5.11) at the DrTM+H paper's scale (section 5: 384
/// warehouses on 16 nodes of 24 threads). Smaller tables than the standard's are for tests: they
/// fit less memory and contend more.
struct TpccOptions {
  /// In the whole cluster, as many on every node; without a value one per worker.
  std::optional<std::uint32_t> warehouses = {};
  /// Order lines supplied by, and payments made by customers of, another warehouse of the cluster.
  /// Without a value 1 % of order lines and 15 % of payments, as in the standard, and all order
  /// lines in tpcc-no.
  std::optional<std::uint32_t> remote_percent = {};
  std::uint32_t items = 100'000;  ///< also stock records per warehouse
  /// Also the initial orders per district; the last 3 of 10 of them are not delivered yet.
  std::uint32_t customers_per_district = 3'000;
  /// Room for the orders, and as many payments, that a run adds, per warehouse.
  std::uint32_t new_orders_per_warehouse = 20'000;
};

}  // namespace verbena::workloads
