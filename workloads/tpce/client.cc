// TPC-E's transactions.
#include "workloads/tpce/client.h"

#include <algorithm>

#include "workloads/end_attempt.h"

namespace verbena::workloads::tpce {

std::uint32_t Client::next() {
  ++date_;
  if (random_.below(100) < tpce_.market_feed_percent()) {
    kind_ = TpceKind::kMarketFeed;
    choose_feed();
  } else {
    kind_ = TpceKind::kCustomerPosition;
    customer_ = database().choose_customer(random_);
    const std::uint64_t word = random_.next();
    by_tax_id_ = (word & 1) != 0;
    with_history_ = (word & 2) != 0;
    account_for_history_ = static_cast<std::uint32_t>(
        (word >> 32) % Database::accounts(static_cast<std::uint32_t>(customer_)));
  }
  return static_cast<std::uint32_t>(kind_);
}

Attempt Client::execute(Transaction& transaction) {
  return kind_ == TpceKind::kMarketFeed ? market_feed(transaction) : customer_position(transaction);
}

void Client::choose_feed() {
  for (std::uint32_t i = 0; i < Tpce::kFeedLength; ++i) {
    std::uint32_t& security = feed_[i];
    do {
      security = static_cast<std::uint32_t>(random_.below(database().securities()));
    } while (std::find(feed_.data(), &security, security) != &security);
  }
  feed_word_ = random_.next();
}

Client::Handle Client::last_trade(Transaction& transaction, std::uint32_t security,
                                  Intent intent) const {
  return transaction.want(kLastTrade, database().partition_of_security(security),
                          database().last_trade_key(security), intent);
}

// The customer's records are of this node. The last trades of all that the customer holds are
// asked for at once, and the history is read while they come.
Attempt Client::customer_position(Transaction& transaction) {
  transaction.begin(Transaction::Kind::kReadOnly);
  txn::Key customer = customer_;
  position_ = {};
  if (by_tax_id_) {
    const Handle entry = read_own(transaction, kCustomerByTaxId, database().tax_number(customer_));
    if (!transaction.fetch()) return abandon(transaction);
    customer = transaction.value<CustomerByTaxId>(entry).customer;
  }
  if (!find_holdings(transaction, customer)) return abandon(transaction);
  transaction.prefetch();
  if (with_history_ &&
      !find_history(transaction, Database::account_key(customer, account_for_history_))) {
    return abandon(transaction);
  }
  if (!transaction.fetch()) return abandon(transaction);
  for (std::uint32_t i = 0; i < holdings_count_; ++i) {
    const Holding& holding = holdings_[i];
    position_.assets[holding.account] +=
        holding.quantity * transaction.value<LastTrade>(holding.last_trade).price;
  }
  return transaction.commit() ? Attempt::kCommitted : Attempt::kAborted;
}

// Notes the last trades of what the customer holds. False: doomed.
bool Client::find_holdings(Transaction& transaction, txn::Key customer) {
  holdings_count_ = 0;
  const Handle record = read_own(transaction, kCustomer, customer);
  if (!transaction.fetch()) return false;
  const std::uint32_t accounts = transaction.value<Customer>(record).accounts;
  position_.customer = customer;
  position_.accounts = accounts;
  std::array<Handle, kMostAccounts> handles{};
  for (std::uint32_t i = 0; i < accounts; ++i) {
    handles[i] = read_own(transaction, kAccount, Database::account_key(customer, i));
  }
  if (!transaction.fetch()) return false;
  for (std::uint32_t i = 0; i < accounts; ++i) {
    const Account& account = transaction.value<Account>(handles[i]);
    position_.balances[i] = account.balance;
    for (std::uint32_t h = 0; h < account.holdings; ++h) {
      // Until it is fetched, the handle is that of the summary.
      holdings_[holdings_count_++] = {
          .account = i,
          .quantity = 0,
          .last_trade = read_own(transaction, kHoldingSummary,
                                 Database::holding_key(Database::account_key(customer, i), h))};
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
bool Client::find_history(Transaction& transaction, txn::Key account) {
  std::array<Handle, kTrades> trades{};
  for (std::uint32_t i = 0; i < kTrades; ++i) {
    trades[i] = read_own(transaction, kTrade, Database::trade_key(account, i));
  }
  transaction.prefetch();
  if (transaction.cause()) return false;
  for (std::uint32_t i = 0; i < kTrades; ++i) {
    const std::uint32_t rows = transaction.value<Trade>(trades[i]).history;
    position_.history += rows;
    for (std::uint32_t n = 0; n < rows; ++n) {
      read_own(transaction, kTradeHistory,
               Database::trade_history_key(Database::trade_key(account, i), n));
    }
  }
  return true;
}

Attempt Client::market_feed(Transaction& transaction) {
  transaction.begin();
  std::array<Handle, Tpce::kFeedLength> trades{};
  for (std::uint32_t i = 0; i < Tpce::kFeedLength; ++i) {
    trades[i] = last_trade(transaction, feed_[i], Intent::kUpdate);
  }
  if (!transaction.fetch()) return abandon(transaction);
  std::int64_t traded = 0;
  for (std::uint32_t i = 0; i < Tpce::kFeedLength; ++i) {
    LastTrade& trade = transaction.update<LastTrade>(trades[i]);
    const std::uint64_t word = mix64(feed_word_ + i);
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

}  // namespace verbena::workloads::tpce
