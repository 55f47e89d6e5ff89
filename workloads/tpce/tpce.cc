// TPC-E's customer-position as a workload.
#include "workloads/tpce/tpce.h"

#include <array>
#include <cstring>

#include "rdma/base/errors.h"
#include "workloads/tpce/client.h"
#include "workloads/unwritten_tables.h"

namespace verbena::workloads {
namespace {

using tpce::Account;
using tpce::Customer;
using tpce::CustomerByTaxId;
using tpce::HoldingSummary;
using tpce::kMostAccounts;
using tpce::kMostHoldings;
using tpce::kMostTradeHistory;
using tpce::kTrades;
using tpce::LastTrade;
using tpce::Trade;
using tpce::TradeHistory;

const std::array<std::string, static_cast<std::size_t>(TpceKind::kCount)> kKindNames = {
    "customer_position", "market_feed"};

std::uint32_t checked_percent(std::uint32_t percent) {
  if (percent <= 100) return percent;
  throw ConfigurationError("tpce: market_feed_percent " + std::to_string(percent) +
                           "; allowed are 0 to 100");
}

}  // namespace

Tpce::Tpce(std::uint32_t nodes, const TpceOptions& options)
    : market_feed_percent_(checked_percent(options.market_feed_percent)),
      database_(nodes, options),
      schema_(database_.schema()) {}

std::span<const std::string> Tpce::kinds() const { return kKindNames; }

txn::TransactionLimits Tpce::limits() const {
  constexpr std::uint32_t kHoldings = kMostAccounts * kMostHoldings;
  constexpr std::uint32_t kHistory = kTrades * kMostTradeHistory;
  return {.records = 2 + kMostAccounts + 2 * kHoldings + kTrades + kHistory,
          .written = kFeedLength,
          .record_bytes = static_cast<std::uint32_t>(
              sizeof(CustomerByTaxId) + sizeof(Customer) + kMostAccounts * sizeof(Account) +
              kHoldings * (sizeof(HoldingSummary) + sizeof(LastTrade)) + kTrades * sizeof(Trade) +
              kHistory * sizeof(TradeHistory)),
          .written_bytes = kFeedLength * sizeof(LastTrade)};
}

std::unique_ptr<WorkloadClient> Tpce::make_client(const ClientPlace& place, Random random) const {
  return std::make_unique<tpce::Client>(*this, place.home, random);
}

std::int64_t Tpce::amount(txn::TableId table, std::span<const std::byte> payload) const {
  if (table != tpce::kLastTrade) return 0;
  LastTrade trade;
  std::memcpy(&trade, payload.data(), sizeof trade);
  return trade.volume;
}

std::vector<std::string> Tpce::inconsistencies(txn::PartitionId partition,
                                               txn::StateAtRest& state) const {
  constexpr std::array<txn::TableId, 6> kUnwritten = {tpce::kCustomer, tpce::kCustomerByTaxId,
                                                      tpce::kAccount,  tpce::kHoldingSummary,
                                                      tpce::kTrade,    tpce::kTradeHistory};
  return changed_rows(schema_, kUnwritten, partition, state);
}

}  // namespace verbena::workloads
