// Parameters of TPC-C.
#pragma once

#include <cstdint>
#include <optional>

namespace verbena::workloads {

/// How popular the items of new orders are.
enum class ItemDistribution : std::uint8_t {
  kNuRand,  ///< as in the standard (clause 2.4.1.5)
  kUniform,
  kZipfian,  ///< as in the NAM-DB paper, section 7.4
};

/// Source of the numbers of new orders.
enum class NextOrder : std::uint8_t {
  kLocked,  ///< D_NEXT_O_ID, as a part of the district that they write
  /// D_NEXT_O_ID as a record of its own, which counts outside of transactions
  /// (txn::Transaction::draw), so that orders of one district do not conflict by it; as in the
  /// prototype of NAM-DB's authors. Attempts that do not commit lose their numbers.
  kFetchAdd,
};

/// How a new order goes through its lines.
enum class OrderLines : std::uint8_t {
  kTogether,  ///< they are written while the stocks of other nodes are fetched
  /// Each is written when its stock has come, those with stocks of other nodes last; as in the
  /// code of DrTM+H's authors.
  kOneByOne,
};

/// The defaults are the standard's (revision 5.11) at the DrTM+H paper's scale (section 5: 384
/// warehouses on 16 nodes of 24 threads). Smaller tables than the standard's are for tests: they
/// fit less memory and contend more.
struct TpccOptions {
  /// Warehouses of the whole cluster, as many on every node; without a value one per worker.
  std::optional<std::uint32_t> warehouses = {};
  /// Order lines supplied by, and payments made by customers of, another warehouse of the cluster.
  /// Without a value 1 % of order lines and 15 % of payments, as in the standard, and all order
  /// lines in tpcc-no.
  std::optional<std::uint32_t> remote_percent = {};
  /// New orders that take one of their stocks, and no more, from a warehouse of another server,
  /// that is of another partition (NAM-DB paper, section 7.3: degree of distribution). Without a
  /// value each line is remote by `remote_percent`; not both have one.
  std::optional<std::uint32_t> distributed_percent = {};
  /// Transactions that read a home warehouse and its districts and compare W_YTD with the sum of
  /// D_YTD; with kFull only. The others are the mix.
  std::uint32_t audit_percent = 0;
  std::uint32_t items = 100'000;  ///< also stock records per warehouse
  ItemDistribution item_distribution = ItemDistribution::kNuRand;
  /// Coefficient of kZipfian: items, in the order of their numbers, are ordered as often as their
  /// ranks to the power of minus it.
  double item_zipf_coefficient = 1;
  /// Records are as long as those of the prototype of NAM-DB's authors, and stocks have their
  /// texts. False: of stocks there is what changes, and nothing is longer than its columns.
  bool whole_records = false;
  NextOrder next_order = NextOrder::kLocked;
  OrderLines order_lines = OrderLines::kTogether;
  /// Also the initial orders per district; the last 3 of 10 of them are not delivered yet.
  std::uint32_t customers_per_district = 3'000;
  /// Room for the orders, and as many payments, that a run adds, per warehouse. With kFetchAdd also
  /// for orders that are given up when their keys have been claimed.
  std::uint32_t new_orders_per_warehouse = 20'000;
};

}  // namespace verbena::workloads
