// The SmallBank benchmark: six short transactions on customers' savings and checking accounts.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "workloads/workload.h"

namespace verbena::workloads {

/// Parameters of SmallBank. The defaults are those of the DrTM+H paper (section 5).
struct SmallBankOptions {
  std::uint64_t accounts_per_worker = 100'000;
  /// Hot accounts are the first `hot_fraction` of each partition's keys; `hot_share` of the
  /// transactions use only them.
  double hot_fraction = 0.04;
  double hot_share = 0.90;
  /// Balances as they are after a long time of such transactions, so that the share of those that
  /// are rolled back for lack of money (14 %) stays as it is. Otherwise all customers are rich
  /// first, as in H-Store, and amalgamations make more and more of them poor. (The paper does not
  /// say how long it measured.)
  bool settled = true;
};

enum class SmallBankKind : std::uint32_t {
  kAmalgamate,
  kBalance,
  kDepositChecking,
  kSendPayment,
  kTransactSavings,
  kWriteCheck,
  kCount
};

/// SmallBank of H-Store: 15 % of each transaction but SendPayment, which is 25 %. Accounts are
/// drawn over the whole cluster, so every participant may be remote. Money is integer cents.
///
/// Tables: 0 savings, 1 checking; both keyed by the customer's number within the partition.
/// H-Store's ACCOUNTS table (number to name) is folded into them: no transaction uses the name, and
/// a customer exists when both accounts do. A payload is the 8 B balance, so with its header a
/// record takes 32 B, two to a cache line.
class SmallBank : public Workload {
 public:
  static constexpr txn::TableId kSavings = 0;
  static constexpr txn::TableId kChecking = 1;

  SmallBank(std::uint32_t nodes, std::uint32_t workers, SmallBankOptions options = {});

  std::string name() const override { return "smallbank"; }
  const txn::Schema& schema() const override { return schema_; }
  std::span<const std::string> kinds() const override;
  txn::TransactionLimits limits() const override {
    return txn::TransactionLimits::any_of(schema_, 3);
  }
  std::unique_ptr<WorkloadClient> make_client(const ClientPlace& place,
                                              Random random) const override;
  std::int64_t amount(txn::TableId table, std::span<const std::byte> payload) const override;

  /// A customer: a key of both tables in one partition.
  struct Customer {
    txn::PartitionId partition = 0;
    txn::Key key = 0;

    auto operator<=>(const Customer&) const = default;
  };

  /// The kind of the next transaction, by the mix.
  static SmallBankKind choose_kind(Random& random);

  /// `count` (1 or 2) different customers, all hot with probability hot_share, else all cold.
  std::array<Customer, 2> choose_customers(Random& random, unsigned count) const;

  /// The balance that a record of a rich customer begins with, in cents: 10 000 to 50 000 dollars
  /// by the key.
  static std::int64_t initial_balance(txn::TableId table, txn::PartitionId partition, txn::Key key);

 private:
  std::uint32_t nodes_;
  std::uint64_t accounts_;
  std::uint64_t hot_accounts_;
  std::uint64_t hot_share_;  // of 2^32
  txn::Schema schema_;
};

}  // namespace verbena::workloads
