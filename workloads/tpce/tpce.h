// Customer-position of the TPC-E benchmark: customers of a brokerage firm and their holdings.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "workloads/tpce/database.h"
#include "workloads/tpce/options.h"
#include "workloads/workload.h"

namespace verbena::workloads {

enum class TpceKind : std::uint32_t { kCustomerPosition, kMarketFeed, kCount };

/// TPC-E 1.14's customer-position, which the DrTM+H paper uses for distributed read-only
/// transactions (section 5.5). It reads a customer of the client's node, the customer's accounts
/// and holdings, and the last trade of each security on whichever node it is. Only market feeds
/// change last trades. docs/workloads.md lists deviations.
class Tpce : public Workload {
 public:
  /// Number of last trades that one market feed changes.
  static constexpr std::uint32_t kFeedLength = 20;

  /// Throws ConfigurationError for options that do not fit the cluster.
  explicit Tpce(std::uint32_t nodes, const TpceOptions& options = {});

  std::string name() const override { return "tpce-cp"; }
  const txn::Schema& schema() const override { return schema_; }
  std::span<const std::string> kinds() const override;
  txn::TransactionLimits limits() const override;
  std::unique_ptr<WorkloadClient> make_client(const ClientPlace& place,
                                              Random random) const override;

  /// Traded volume, which committed market feeds account for.
  std::int64_t amount(txn::TableId table, std::span<const std::byte> payload) const override;

  /// Lists differences from the loaded state in tables that nobody writes, including an index.
  std::vector<std::string> inconsistencies(txn::PartitionId partition,
                                           txn::StateAtRest& state) const override;
  bool relates_records() const override { return true; }

  const tpce::Database& database() const { return database_; }
  std::uint32_t market_feed_percent() const { return market_feed_percent_; }

 private:
  std::uint32_t market_feed_percent_;
  tpce::Database database_;
  txn::Schema schema_;
};

}  // namespace verbena::workloads
