// The TPC-C benchmark: order processing of a wholesale supplier.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "workloads/read_faults.h"
#include "workloads/tpcc/database.h"
#include "workloads/tpcc/input.h"
#include "workloads/tpcc/options.h"
#include "workloads/workload.h"

namespace verbena::workloads {

/// TPC-C, revision 5.11, or only its new-order transaction. docs/workloads.md lists deviations from
/// the standard. A warehouse's records are on one node; each worker uses warehouses of its own
/// node.
class Tpcc : public Workload {
 public:
  enum class Mix {
    kFull,      ///< "tpcc": 45 % new order, 43 % payment, 4 % order status, delivery, stock level
    kNewOrder,  ///< "tpcc-no" of the DrTM+H paper (section 5): all distributed, none rolled back
  };

  /// Throws ConfigurationError for options that do not fit the cluster.
  Tpcc(std::uint32_t nodes, std::uint32_t workers, Mix mix, const TpccOptions& options = {});

  std::string name() const override;
  const txn::Schema& schema() const override { return schema_; }
  std::span<const std::string> kinds() const override;
  txn::TransactionLimits limits() const override;
  std::unique_ptr<WorkloadClient> make_client(const ClientPlace& place,
                                              Random random) const override;

  /// Amounts that committed transactions must account for: W_YTD of warehouses, S_YTD of stocks,
  /// C_BALANCE + C_YTD_PAYMENT of customers, OL_AMOUNT of order lines; and D_NEXT_O_ID where it is
  /// drawn, which counts attempts.
  std::int64_t amount(txn::TableId table, std::span<const std::byte> payload) const override;

  /// Lists faults found by audits, and violations of the consistency conditions (clause 3.3.2; see
  /// conditions.h).
  std::vector<std::string> inconsistencies(txn::PartitionId partition,
                                           txn::StateAtRest& state) const override;
  bool relates_records() const override { return true; }

  const tpcc::Database& database() const { return database_; }

 private:
  std::uint32_t workers_;
  Mix mix_;
  tpcc::InputGenerator::Mix inputs_;
  tpcc::Database database_;
  txn::Schema schema_;
  mutable ReadFaults faults_;
};

}  // namespace verbena::workloads
