// Layout of the database for TPC-E's customer-position and initial content of its records.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "rdma/base/random.h"
#include "rdma/base/types.h"
#include "txn/schema/table.h"
#include "workloads/tpce/options.h"

namespace verbena::workloads::tpce {

/// The tables that customer-position and market-feed use, and the index of customers by tax
/// numbers.
enum Table : txn::TableId {
  kCustomer,
  kCustomerByTaxId,
  kAccount,
  kHoldingSummary,
  kTrade,
  kTradeHistory,
  kLastTrade,
  kTables
};

inline constexpr std::uint32_t kLoadUnit = 1'000;  ///< customers
inline constexpr std::uint32_t kSecuritiesPerUnit = 685;
inline constexpr std::uint32_t kMostAccounts = 10;     ///< per customer
inline constexpr std::uint32_t kMostHoldings = 18;     ///< securities per account
inline constexpr std::uint32_t kTrades = 10;           ///< per account: the last ones
inline constexpr std::uint32_t kMostTradeHistory = 3;  ///< per trade

// Money is integer cents. Where TPC-E scans an index, records here hold the number of records that
// belong to them.

struct Customer {
  std::uint64_t tax_number;
  std::uint64_t address;
  std::uint32_t date_of_birth;
  std::uint8_t tier;  ///< 1 to 3
  std::uint8_t accounts;
  char gender;
  char middle_initial;
  char status[4];
  char tax_id[20];
  char last_name[25];
  char first_name[20];
  char phones[3][21];  ///< country 3, area 3, local 10, extension 5
  char emails[2][50];
};

struct CustomerByTaxId {
  std::uint64_t customer;  ///< counted within the partition
};

struct Account {
  std::int64_t balance;
  std::uint64_t broker;
  std::uint64_t customer;
  char name[50];
  std::uint8_t tax_status;
  std::uint8_t holdings;
};

struct HoldingSummary {
  std::uint32_t security;  ///< counted over the cluster
  std::int32_t quantity;
  char symbol[16];
};

struct Trade {
  std::uint64_t date;
  std::int64_t bid_price;
  std::int64_t trade_price;
  std::int64_t charge;
  std::int64_t commission;
  std::int64_t tax;
  std::uint64_t account;
  std::int32_t quantity;
  std::uint8_t history;  ///< number of records of kTradeHistory
  bool is_cash;
  bool is_lifo;
  char status[4];
  char type[3];
  char symbol[15];
  char executor[49];
};

struct TradeHistory {
  std::uint64_t date;
  char status[4];
  char reserved[4];
};

struct LastTrade {
  std::uint64_t date;
  std::int64_t price;
  std::int64_t open_price;
  std::int64_t volume;
};

// A record of at most 40 B shares one cache line with its header.
static_assert(sizeof(Customer) == 256 && sizeof(Account) == 80);
static_assert(sizeof(HoldingSummary) == 24 && sizeof(Trade) == 136 && sizeof(LastTrade) == 32);

/// The shape of the database. A customer's records are in the customer's partition. A security's
/// last trade is in the partition of its company; accounts hold securities of all partitions.
/// Customers count from 0 in the partition, securities in the cluster.
class Database {
 public:
  /// Throws ConfigurationError for options that do not fit.
  Database(std::uint32_t nodes, const TpceOptions& options);
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  /// All tables, by Table. Refers to this object.
  txn::Schema schema() const;

  std::uint32_t securities() const { return nodes_ * securities_per_node_; }

  /// Draws a customer of the partition; customers of higher tiers are drawn more often.
  std::uint32_t choose_customer(Random& random) const;

  static std::uint32_t tier(std::uint32_t customer);
  /// Number of the customer's accounts: 1 to 4, 2 to 8 or 5 to 10, by tier.
  static std::uint32_t accounts(std::uint32_t customer);
  /// Smallest and greatest number of securities in an account of such a customer.
  struct Range {
    std::uint32_t low;
    std::uint32_t high;
  };
  static Range holdings(std::uint32_t tier, std::uint32_t accounts);

  // Keys within the partition.
  static txn::Key account_key(std::uint64_t customer, std::uint32_t account) {
    return customer * kMostAccounts + account;
  }
  static txn::Key holding_key(txn::Key account, std::uint32_t holding) {
    return account * kMostHoldings + holding;
  }
  static txn::Key trade_key(txn::Key account, std::uint32_t trade) {
    return account * kTrades + trade;
  }
  static txn::Key trade_history_key(txn::Key trade, std::uint32_t number) {
    return trade * kMostTradeHistory + number;
  }
  std::uint64_t tax_number(std::uint64_t customer) const {
    return (customer + tax_rotation_) % customers_;
  }

  txn::PartitionId partition_of_security(std::uint32_t security) const {
    return static_cast<txn::PartitionId>(security / securities_per_node_);
  }
  txn::Key last_trade_key(std::uint32_t security) const { return security % securities_per_node_; }

 private:
  std::uint32_t security_of(txn::PartitionId partition, txn::Key holding) const;
  void load(Table table, txn::PartitionId partition, txn::Key key,
            std::span<std::byte> payload) const;
  void load_customer(txn::PartitionId partition, txn::Key key, Customer& customer) const;

  std::uint32_t nodes_;
  std::uint32_t customers_;
  std::uint32_t securities_per_node_;
  std::uint32_t tax_rotation_;
  /// Cumulative weights, out of kDraws, of the customers of a load unit.
  std::array<std::uint32_t, kLoadUnit> draws_up_to_{};
};

}  // namespace verbena::workloads::tpce
