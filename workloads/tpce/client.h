// One stream of TPC-E's transactions.
#pragma once

#include <array>
#include <cstdint>

#include "txn/transaction.h"
#include "workloads/tpce/tpce.h"

namespace verbena::workloads::tpce {

/// Result of customer-position.
struct Position {
  txn::Key customer = 0;
  std::uint32_t accounts = 0;
  std::array<std::int64_t, kMostAccounts> balances{};
  std::array<std::int64_t, kMostAccounts> assets{};  ///< valued at the prices of the last trades
  std::uint32_t history = 0;                         ///< states of trades, if asked for
};

class Client : public WorkloadClient {
 public:
  Client(const Tpce& tpce, txn::PartitionId node, Random random)
      : tpce_(tpce), node_(node), random_(random) {}

  std::uint32_t next() override;
  Attempt execute(txn::Transaction& transaction) override;
  std::int64_t committed_change() const override { return committed_change_; }

  /// Result of the last customer-position; valid after an attempt that committed.
  const Position& position() const { return position_; }

 private:
  using Transaction = txn::Transaction;
  using Handle = Transaction::Handle;
  using Intent = Transaction::Intent;

  struct Holding {
    std::uint32_t account;
    std::int32_t quantity;
    Handle last_trade;
  };

  const Database& database() const { return tpce_.database(); }
  Handle read_own(Transaction& transaction, Table table, txn::Key key) const {
    return transaction.want(table, node_, key);
  }
  Handle last_trade(Transaction& transaction, std::uint32_t security, Intent intent) const;
  void choose_feed();
  Attempt customer_position(Transaction& transaction);
  bool find_holdings(Transaction& transaction, txn::Key customer);
  bool find_history(Transaction& transaction, txn::Key account);
  Attempt market_feed(Transaction& transaction);

  const Tpce& tpce_;
  txn::PartitionId node_;
  Random random_;
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
  Position position_;
  std::int64_t committed_change_ = 0;
};

}  // namespace verbena::workloads::tpce
