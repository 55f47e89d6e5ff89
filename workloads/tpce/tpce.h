// Customer-position of the TPC-E benchmark: a brokerage firm's customers and what they hold.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "workloads/tpce/database.h"
#include "workloads/tpce/options.h"
#include "workloads/workload.h"

namespace verbena::workloads {

enum class TpceKind : std::uint32_t { kCustomerPosition, kMarketFeed, kCount };

/// TPC-E 1.14's customer-position as the DrTM+H paper runs it for distributed read-only
/// transactions (section 5.5): a customer of the client's node, the customer's accounts and what
/// they hold, and the last trade of each security wherever it is. Nothing changes the last trades
/// unless some of the transactions are market feeds. docs/workloads.md lists deviations.
class Tpce : public Workload {
 public:
  /// Last trades that one market feed changes.
  static constexpr std::uint32_t kFeedLength = 20;

  /// Throws ConfigurationError for options that do not fit the cluster.
  explicit Tpce(std::uint32_t nodes, const TpceOptions& options = {});

  std::string name() const override { return "tpce-cp"; }
  const txn::Schema& schema() const override { return schema_; }
  std::span<const std::string> kinds() const override;
  txn::TransactionLimits limits() const override;
  std::unique_ptr<WorkloadClient> make_client(const ClientPlace& place,
                                              Random random) const override;

  /// The volume that was traded: what committed market feeds said.
  std::int64_t amount(txn::TableId table, std::span<const std::byte> payload) const override;

  /// Lists what is not as it was loaded of tables that nobody writes, an index among them.
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
