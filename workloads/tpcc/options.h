// Parameters of TPC-C.
#pragma once

#include <cstdint>
#include <optional>

namespace verbena::workloads {

/// Distribution of the items of new orders.
enum class ItemDistribution : std::uint8_t {
  kNuRand,  ///< as in the standard (clause 2.4.1.5)
  kUniform,
  kZipfian,  ///< as in the NAM-DB paper, section 7.4
};

/// Source of the numbers of new orders.
enum class NextOrder : std::uint8_t {
  kLocked,  ///< D_NEXT_O_ID, a column of the district, which they write
  /// D_NEXT_O_ID as a record of its own, which counts outside of transactions
  /// (txn::Transaction::draw), so that orders of one district do not conflict on it; as in the
  /// prototype of NAM-DB's authors. Attempts that do not commit lose their numbers.
  kFetchAdd,
};

/// Order in which a new order handles its lines.
enum class OrderLines : std::uint8_t {
  kTogether,  ///< lines are written while stocks of other nodes are fetched
  /// Each line is written when its stock has arrived, those with stocks of other nodes last; as in
  /// the code of DrTM+H's authors.
  kOneByOne,
};

/// Parameters. The defaults are the standard's (revision 5.11) at the DrTM+H paper's scale (section
/// 5: 384 warehouses on 16 nodes of 24 threads). Smaller tables are for tests: they need less
/// memory and cause more conflicts.
struct TpccOptions {
  /// Warehouses of the whole cluster, equally many on every node; nothing: one per worker.
  std::optional<std::uint32_t> warehouses = {};
  /// Share of order lines supplied by, and of payments made by customers of, another warehouse of
  /// the cluster. Nothing: 1 % of order lines and 15 % of payments, as in the standard; all order
  /// lines in tpcc-no.
  std::optional<std::uint32_t> remote_percent = {};
  /// Share of new orders that take exactly one stock from a warehouse of another partition, that is
  /// another server (NAM-DB paper, section 7.3: degree of distribution). Nothing: each line is
  /// remote by `remote_percent`. Only one of the two may be set.
  std::optional<std::uint32_t> distributed_percent = {};
  /// Share of audits, which read a home warehouse and its districts and compare W_YTD with the sum
  /// of D_YTD; with kFull only. The others follow the mix.
  std::uint32_t audit_percent = 0;
  std::uint32_t items = 100'000;  ///< also the number of stock records per warehouse
  ItemDistribution item_distribution = ItemDistribution::kNuRand;
  /// Coefficient of kZipfian: the frequency of an item is proportional to its rank to the power of
  /// minus this; items are ranked by their numbers.
  double item_zipf_coefficient = 1;
  /// Gives records the length of those of the prototype of NAM-DB's authors, and stocks their
  /// texts. False: a stock has only the columns that change, and no record is longer than its
  /// columns.
  bool whole_records = false;
  NextOrder next_order = NextOrder::kLocked;
  OrderLines order_lines = OrderLines::kTogether;
  /// Also the number of initial orders per district; the last 3 of 10 are not delivered yet.
  std::uint32_t customers_per_district = 3'000;
  /// Room for orders that a run adds per warehouse, and for as many payments. With kFetchAdd it
  /// includes orders that are given up after their keys were claimed.
  std::uint32_t new_orders_per_warehouse = 20'000;
};

}  // namespace verbena::workloads
