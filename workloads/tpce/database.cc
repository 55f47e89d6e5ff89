// The tables of TPC-E's customer-position and their initial records.
#include "workloads/tpce/database.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "rdma/base/errors.h"
#include "workloads/key_text.h"

namespace verbena::workloads::tpce {
namespace {

// Customers of a load unit by tier: 200, 600 and 200.
constexpr std::uint32_t kFirstOfTier2 = 200;
constexpr std::uint32_t kFirstOfTier3 = 800;

// Tiers are drawn in 10, 60 and 30 %, and within each the later customers more often. The counts of
// draws are those of TPC-E's generator: squares, so frequencies rise linearly.
constexpr std::uint32_t kDraws = 2'000'000;

constexpr std::uint32_t square(std::uint32_t x) { return x * x; }

constexpr std::uint32_t draws_up_to(std::uint32_t customer) {
  if (customer < kFirstOfTier2) return 2 * (square(customer + 151) - 22'500);
  if (customer < kFirstOfTier3) return square(customer + 501) - 290'000;
  return 2 * (square(customer - 149) + 277'500);
}
static_assert(draws_up_to(199) == kDraws / 10);
static_assert(draws_up_to(799) == kDraws * 7 / 10);
static_assert(draws_up_to(999) == kDraws);

// TPC-E's fewest and most securities of an account by the number of the customer's accounts.
struct Ranges {
  std::array<std::uint8_t, kMostAccounts> low;
  std::array<std::uint8_t, kMostAccounts> high;
};
constexpr std::array<Ranges, 3> kHoldings = {
    Ranges{.low = {6, 4, 2, 2}, .high = {14, 16, 18, 18}},
    Ranges{.low = {0, 7, 5, 4, 3, 2, 2, 2}, .high = {0, 13, 15, 16, 17, 18, 18, 18}},
    Ranges{.low = {0, 0, 0, 0, 4, 4, 3, 3, 2, 2}, .high = {0, 0, 0, 0, 16, 16, 17, 17, 18, 18}}};

template <typename Record>
Record& as(std::span<std::byte> payload) {
  return *reinterpret_cast<Record*>(payload.data());
}

std::uint32_t customer_of_account(txn::Key account) {
  return static_cast<std::uint32_t>(account / kMostAccounts);
}

void load_account(KeyText text, txn::PartitionId partition, txn::Key key, Account& account) {
  const std::uint32_t customer = customer_of_account(key);
  const Database::Range held =
      Database::holdings(Database::tier(customer), Database::accounts(customer));
  account.balance = text.number(0, 1'000'000'00);
  account.broker = std::uint64_t{partition} << 32 | customer / 100;
  account.customer = customer;
  text.letters(account.name, 20);
  account.tax_status = static_cast<std::uint8_t>(text.number(0, 2));
  account.holdings = static_cast<std::uint8_t>(text.number(held.low, held.high));
}

void load_holding(KeyText text, std::uint32_t security, HoldingSummary& holding) {
  constexpr std::int32_t kLots[] = {100, 200, 400, 800};
  holding.security = security;
  holding.quantity = kLots[text.number(0, 3)];
  text.letters(holding.symbol);
}

void load_trade(KeyText text, txn::Key key, Trade& trade) {
  trade.date = key;
  trade.bid_price = text.number(20'00, 30'00);
  trade.trade_price = text.number(20'00, 30'00);
  trade.charge = text.number(1'00, 5'00);
  trade.commission = text.number(1'00, 50'00);
  trade.tax = text.number(0, 50'00);
  trade.account = key / kTrades;
  trade.quantity = static_cast<std::int32_t>(text.number(1, 8)) * 100;
  // Submitted and completed; a limit order was also pending.
  trade.history = static_cast<std::uint8_t>(text.number(0, 9) < 6 ? 2 : 3);
  trade.is_cash = text.number(0, 99) >= 16;
  trade.is_lifo = text.number(0, 99) < 35;
  std::memcpy(trade.status, "CMPT", 4);
  std::memcpy(trade.type, trade.history == 2 ? "TMB" : "TLB", 3);
  text.letters(trade.symbol);
  text.letters(trade.executor, 20);
}

void load_trade_history(txn::Key key, TradeHistory& history) {
  constexpr const char* kStatus[] = {"SBMT", "CMPT", "CMPT"};
  history.date = key / kMostTradeHistory;
  std::memcpy(history.status, kStatus[key % kMostTradeHistory], 4);
}

void load_last_trade(KeyText text, LastTrade& trade) {
  trade.price = trade.open_price = text.number(20'00, 30'00);
}

}  // namespace

Database::Database(std::uint32_t nodes, const TpceOptions& options)
    : nodes_(nodes),
      customers_(options.customers_per_node),
      securities_per_node_(customers_ / kLoadUnit * kSecuritiesPerUnit),
      tax_rotation_(customers_ / 3) {
  constexpr std::uint32_t kMost = 1'000'000;
  if (customers_ == 0 || customers_ % kLoadUnit != 0 || customers_ > kMost) {
    throw ConfigurationError("tpce: customers_per_node " + std::to_string(customers_) +
                             "; allowed are multiples of 1000, 1000 to " + std::to_string(kMost));
  }
  for (std::uint32_t customer = 0; customer < kLoadUnit; ++customer) {
    draws_up_to_[customer] = draws_up_to(customer);
  }
}

std::uint32_t Database::choose_customer(Random& random) const {
  const auto unit = static_cast<std::uint32_t>(random.below(customers_ / kLoadUnit));
  const auto draw = static_cast<std::uint32_t>(random.below(kDraws));
  const auto* customer = std::upper_bound(draws_up_to_.begin(), draws_up_to_.end(), draw);
  return unit * kLoadUnit + static_cast<std::uint32_t>(customer - draws_up_to_.begin());
}

std::uint32_t Database::tier(std::uint32_t customer) {
  const std::uint32_t number = customer % kLoadUnit;
  return number < kFirstOfTier2 ? 1 : number < kFirstOfTier3 ? 2 : 3;
}

std::uint32_t Database::accounts(std::uint32_t customer) {
  const std::uint32_t number = customer % kLoadUnit;
  switch (tier(customer)) {
    case 1:
      return 1 + number % 4;
    case 2:
      return 2 + (number - kFirstOfTier2 + 1) % 7;
    default:
      return 5 + (number - kFirstOfTier3 + 2) % 6;
  }
}

Database::Range Database::holdings(std::uint32_t tier, std::uint32_t accounts) {
  const Ranges& ranges = kHoldings.at(tier - 1);
  return {.low = ranges.low.at(accounts - 1), .high = ranges.high.at(accounts - 1)};
}

// The securities of an account are equally far from each other, so they differ.
std::uint32_t Database::security_of(txn::PartitionId partition, txn::Key holding) const {
  KeyText text(kTables, partition, holding / kMostHoldings);
  const std::uint32_t all = securities();
  const std::uint32_t first = text.number(0, all - 1);
  const std::uint32_t distance = text.number(1, (all - 1) / kMostHoldings);
  return static_cast<std::uint32_t>((first + holding % kMostHoldings * distance) % all);
}

txn::Schema Database::schema() const {
  const std::uint64_t accounts = std::uint64_t{customers_} * kMostAccounts;
  txn::Schema schema(kTables);
  const auto define = [&schema](Table table, const char* name, std::uint64_t records,
                                std::uint32_t bytes) {
    schema[table] = {.name = name, .payload_bytes = bytes, .initial_records = records};
  };
  define(kCustomer, "customer", customers_, sizeof(Customer));
  define(kCustomerByTaxId, "customer_by_tax_id", customers_, sizeof(CustomerByTaxId));
  define(kAccount, "customer_account", accounts, sizeof(Account));
  define(kHoldingSummary, "holding_summary", accounts * kMostHoldings, sizeof(HoldingSummary));
  define(kTrade, "trade", accounts * kTrades, sizeof(Trade));
  define(kTradeHistory, "trade_history", accounts * kTrades * kMostTradeHistory,
         sizeof(TradeHistory));
  define(kLastTrade, "last_trade", securities_per_node_, sizeof(LastTrade));
  for (std::uint8_t table = 0; table < kTables; ++table) {
    schema[table].load = [this, table](txn::PartitionId partition, txn::Key key,
                                       std::span<std::byte> payload) {
      load(static_cast<Table>(table), partition, key, payload);
    };
  }
  return schema;
}

void Database::load_customer(txn::PartitionId partition, txn::Key key, Customer& customer) const {
  KeyText text(kCustomer, partition, key);
  customer.tax_number = tax_number(key);
  customer.address = text.number(0, 1'500 * customers_ / kLoadUnit);
  customer.date_of_birth = text.number(0, 100 * 365);
  customer.tier = static_cast<std::uint8_t>(tier(static_cast<std::uint32_t>(key)));
  customer.accounts = static_cast<std::uint8_t>(accounts(static_cast<std::uint32_t>(key)));
  customer.gender = text.number(0, 1) == 0 ? 'F' : 'M';
  customer.middle_initial = static_cast<char>('A' + text.number(0, 25));
  std::memcpy(customer.status, "ACTV", 4);
  text.letters(customer.tax_id);
  text.letters(customer.last_name, 8);
  text.letters(customer.first_name, 4);
  for (auto& phone : customer.phones) text.digits(phone);
  for (auto& email : customer.emails) text.letters(email, 12);
}

void Database::load(Table table, txn::PartitionId partition, txn::Key key,
                    std::span<std::byte> payload) const {
  const KeyText text(table, partition, key);
  switch (table) {
    case kCustomer:
      return load_customer(partition, key, as<Customer>(payload));
    case kCustomerByTaxId:
      as<CustomerByTaxId>(payload).customer = (key + customers_ - tax_rotation_) % customers_;
      return;
    case kAccount:
      return load_account(text, partition, key, as<Account>(payload));
    case kHoldingSummary:
      return load_holding(text, security_of(partition, key), as<HoldingSummary>(payload));
    case kTrade:
      return load_trade(text, key, as<Trade>(payload));
    case kTradeHistory:
      return load_trade_history(key, as<TradeHistory>(payload));
    case kLastTrade:
      return load_last_trade(text, as<LastTrade>(payload));
    case kTables:
      return;
  }
}

}  // namespace verbena::workloads::tpce
