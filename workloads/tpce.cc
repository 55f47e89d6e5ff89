// Customer-position and market-feed.
#include "workloads/tpce.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "rdma/seam/errors.h"
#include "txn/transaction.h"

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
using txn::Transaction;
using Handle = Transaction::Handle;
using Intent = Transaction::Intent;

const std::array<std::string, static_cast<std::size_t>(TpceKind::kCount)> kKindNames = {
    "customer_position", "market_feed"};

class Client : public WorkloadClient {
 public:
  Client(const Tpce& tpce, rdma::NodeId node, txn::Random random)
      : tpce_(tpce), database_(tpce.database()), node_(node), random_(random) {}

  std::uint32_t next() override {
    ++date_;
    if (random_.below(100) < tpce_.market_feed_percent()) {
      kind_ = TpceKind::kMarketFeed;
      choose_feed();
    } else {
      kind_ = TpceKind::kCustomerPosition;
      customer_ = database_.choose_customer(random_);
      const std::uint64_t word = random_.next();
      by_tax_id_ = (word & 1) != 0;
      with_history_ = (word & 2) != 0;
      account_for_history_ = static_cast<std::uint32_t>(
          (word >> 32) % tpce::Database::accounts(static_cast<std::uint32_t>(customer_)));
    }
    return static_cast<std::uint32_t>(kind_);
  }

  Attempt execute(Transaction& transaction) override {
    return kind_ == TpceKind::kMarketFeed ? market_feed(transaction)
                                          : customer_position(transaction);
  }

  std::int64_t committed_change() const override { return committed_change_; }

 private:
  struct Holding {
    std::uint32_t account;
    std::int32_t quantity;
    Handle last_trade;
  };

  void choose_feed() {
    for (std::uint32_t i = 0; i < Tpce::kFeedLength; ++i) {
      std::uint32_t& security = feed_[i];
      do {
        security = static_cast<std::uint32_t>(random_.below(database_.securities()));
      } while (std::find(feed_.data(), &security, security) != &security);
    }
    feed_word_ = random_.next();
  }

  Handle read_own(Transaction& transaction, tpce::Table table, txn::Key key) const {
    return transaction.read(table, node_, key);
  }

  Handle last_trade(Transaction& transaction, std::uint32_t security, Intent intent) const {
    return transaction.read(tpce::kLastTrade, database_.partition_of_security(security),
                            database_.last_trade_key(security), intent);
  }

  static Attempt abandon(Transaction& transaction) {
    transaction.commit();  // doomed: counts the cause
    return Attempt::kAborted;
  }

  // The customer's records are of this node. The last trades of all that the customer holds are
  // asked for at once, and the history is read while they come.
  Attempt customer_position(Transaction& transaction) {
    transaction.begin(Transaction::Kind::kReadOnly);
    txn::Key customer = customer_;
    if (by_tax_id_) {
      const Handle entry =
          read_own(transaction, tpce::kCustomerByTaxId, database_.tax_number(customer_));
      if (!transaction.fetch()) return abandon(transaction);
      customer = transaction.value<CustomerByTaxId>(entry).customer;
    }
    if (!find_holdings(transaction, customer)) return abandon(transaction);
    transaction.prefetch();
    if (with_history_ &&
        !find_history(transaction, tpce::Database::account_key(customer, account_for_history_))) {
      return abandon(transaction);
    }
    if (!transaction.fetch()) return abandon(transaction);
    assets_.fill(0);
    for (std::uint32_t i = 0; i < holdings_count_; ++i) {
      const Holding& holding = holdings_[i];
      assets_[holding.account] +=
          holding.quantity * transaction.value<LastTrade>(holding.last_trade).price;
    }
    return transaction.commit() ? Attempt::kCommitted : Attempt::kAborted;
  }

  // Notes the last trades of what the customer holds. False: doomed.
  bool find_holdings(Transaction& transaction, txn::Key customer) {
    holdings_count_ = 0;
    const Handle record = read_own(transaction, tpce::kCustomer, customer);
    if (!transaction.fetch()) return false;
    const std::uint32_t accounts = transaction.value<Customer>(record).accounts;
    std::array<Handle, kMostAccounts> handles{};
    for (std::uint32_t i = 0; i < accounts; ++i) {
      handles[i] = read_own(transaction, tpce::kAccount, tpce::Database::account_key(customer, i));
    }
    if (!transaction.fetch()) return false;
    for (std::uint32_t i = 0; i < accounts; ++i) {
      const std::uint32_t held = transaction.value<Account>(handles[i]).holdings;
      const txn::Key account = tpce::Database::account_key(customer, i);
      for (std::uint32_t h = 0; h < held; ++h) {
        // Until it is fetched, the handle is that of the summary.
        holdings_[holdings_count_++] = {
            .account = i,
            .quantity = 0,
            .last_trade = read_own(transaction, tpce::kHoldingSummary,
                                   tpce::Database::holding_key(account, h))};
      }
    }
    if (!transaction.fetch()) return false;
    for (std::uint32_t i = 0; i < holdings_count_; ++i) {
      const auto& summary = transaction.value<HoldingSummary>(holdings_[i].last_trade);
      holdings_[i].quantity = summary.quantity;
      holdings_[i].last_trade = last_trade(transaction, summary.security, Intent::kRead);
    }
    return true;
  }

  // Reads the last trades of the account and what became of them. False: doomed.
  bool find_history(Transaction& transaction, txn::Key account) {
    std::array<Handle, kTrades> trades{};
    for (std::uint32_t i = 0; i < kTrades; ++i) {
      trades[i] = read_own(transaction, tpce::kTrade, tpce::Database::trade_key(account, i));
    }
    transaction.prefetch();
    for (std::uint32_t i = 0; i < kTrades; ++i) {
      if (!transaction.found(trades[i])) return false;
      const std::uint32_t rows = transaction.value<Trade>(trades[i]).history;
      for (std::uint32_t n = 0; n < rows; ++n) {
        read_own(transaction, tpce::kTradeHistory,
                 tpce::Database::trade_history_key(tpce::Database::trade_key(account, i), n));
      }
    }
    return true;
  }

  Attempt market_feed(Transaction& transaction) {
    transaction.begin();
    std::array<Handle, Tpce::kFeedLength> trades{};
    for (std::uint32_t i = 0; i < Tpce::kFeedLength; ++i) {
      trades[i] = last_trade(transaction, feed_[i], Intent::kUpdate);
    }
    if (!transaction.fetch()) return abandon(transaction);
    std::int64_t traded = 0;
    for (std::uint32_t i = 0; i < Tpce::kFeedLength; ++i) {
      LastTrade& trade = transaction.update<LastTrade>(trades[i]);
      const std::uint64_t word = txn::mix64(feed_word_ + i);
      const std::int64_t quantity = 100 * (1 + static_cast<std::int64_t>(word % 8));
      trade.price = std::max<std::int64_t>(1, trade.price + (word >> 32 & 1 ? 1 : -1));
      trade.volume += quantity;
      trade.date = date_;
      traded += quantity;
    }
    if (!transaction.commit()) return Attempt::kAborted;
    committed_change_ += traded;
    return Attempt::kCommitted;
  }

  const Tpce& tpce_;
  const tpce::Database& database_;
  rdma::NodeId node_;
  txn::Random random_;
  TpceKind kind_ = TpceKind::kCustomerPosition;
  std::uint64_t customer_ = 0;
  bool by_tax_id_ = false;
  bool with_history_ = false;
  std::uint32_t account_for_history_ = 0;
  std::array<std::uint32_t, Tpce::kFeedLength> feed_{};
  std::uint64_t feed_word_ = 0;
  std::uint64_t date_ = 0;  // counts this client's transactions
  std::uint32_t holdings_count_ = 0;
  std::array<Holding, std::size_t{kMostAccounts} * kMostHoldings> holdings_{};
  std::array<std::int64_t, kMostAccounts> assets_{};  // the answer
  std::int64_t committed_change_ = 0;
};

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

std::unique_ptr<WorkloadClient> Tpce::make_client(rdma::NodeId node, rdma::WorkerId, std::uint16_t,
                                                  txn::Random random) const {
  return std::make_unique<Client>(*this, node, random);
}

std::int64_t Tpce::amount(txn::TableId table, std::span<const std::byte> payload) const {
  if (table != tpce::kLastTrade) return 0;
  LastTrade trade;
  std::memcpy(&trade, payload.data(), sizeof trade);
  return trade.volume;
}

}  // namespace verbena::workloads
