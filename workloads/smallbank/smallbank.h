// The SmallBank benchmark: six short transactions on customers' savings and checking accounts.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "workloads/read_faults.h"
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
  /// Transactions that read all accounts and compare their sum with what it was at first. Then
  /// those that bring money or take it are not drawn: the others are the mix, of which amalgamate,
  /// balance and send_payment are left.
  std::uint32_t audit_percent = 0;
};

enum class SmallBankKind : std::uint32_t {
  kAmalgamate,
  kBalance,
  kDepositChecking,
  kSendPayment,
  kTransactSavings,
  kWriteCheck,
  kCount,           ///< of the mix
  kAudit = kCount,  ///< with SmallBankOptions::audit_percent only
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

  /// Customers of the cluster whose accounts one audit reads.
  static constexpr std::uint64_t kMostAudited = 1000;

  SmallBank(std::uint32_t nodes, std::uint32_t workers, SmallBankOptions options = {});

  std::string name() const override { return "smallbank"; }
  const txn::Schema& schema() const override { return schema_; }
  std::span<const std::string> kinds() const override;
  txn::TransactionLimits limits() const override;
  std::unique_ptr<WorkloadClient> make_client(const ClientPlace& place,
                                              Random random) const override;
  std::int64_t amount(txn::TableId table, std::span<const std::byte> payload) const override;

  /// The faults that audits have found.
  std::vector<std::string> inconsistencies(txn::PartitionId partition,
                                           txn::StateAtRest& state) const override;

  /// A customer: a key of both tables in one partition.
  struct Customer {
    txn::PartitionId partition = 0;
    txn::Key key = 0;

    auto operator<=>(const Customer&) const = default;
  };

  /// The kind of the next transaction: by the mix, or with audits by what is left of it.
  SmallBankKind next_kind(Random& random) const;

  std::uint32_t partitions() const { return nodes_; }
  std::uint64_t customers_per_partition() const { return accounts_; }

  /// Takes what a committed audit has summed up. Thread-safe.
  void report_sum(std::int64_t cents) const;

  /// Takes the faults of sums that were reported, one line each; each is given once.
  std::vector<std::string> take_faults() const { return faults_.take(); }

  /// The kind of a transaction, by the mix.
  static SmallBankKind choose_kind(Random& random);

  /// `count` (1 or 2) different customers, all hot with probability hot_share, else all cold.
  std::array<Customer, 2> choose_customers(Random& random, unsigned count) const;

  /// The balance that a record of a rich customer begins with, in cents: 10 000 to 50 000 dollars
  /// by the key.
  static std::int64_t initial_balance(txn::TableId table, txn::PartitionId partition, txn::Key key);

 private:
  void prepare_audits(std::uint32_t percent);

  std::uint32_t nodes_;
  std::uint64_t accounts_;
  std::uint64_t hot_accounts_;
  std::uint64_t hot_share_;  // of 2^32
  txn::Schema schema_;
  std::uint32_t audit_percent_ = 0;
  std::int64_t initial_total_ = 0;  // of all accounts, when there are audits
  mutable ReadFaults faults_;
};

}  // namespace verbena::workloads
