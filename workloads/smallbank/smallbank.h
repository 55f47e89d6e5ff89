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
  /// Fraction of each partition's keys, from the first, that are hot; a share `hot_share` of the
  /// transactions uses only these.
  double hot_fraction = 0.04;
  double hot_share = 0.90;
  /// Starts with balances as after a long run, so that the share of transactions rolled back for
  /// lack of money stays constant (14 %). Otherwise all customers are rich at first, as in H-Store,
  /// and amalgamations make more and more of them poor. (The paper does not tell how long it
  /// measured.)
  bool settled = true;
  /// Share of audits, which read all accounts and compare the sum with the initial one. With
  /// audits, transactions that add or remove money are left out of the mix: amalgamate, balance and
  /// send_payment remain.
  std::uint32_t audit_percent = 0;
};

enum class SmallBankKind : std::uint32_t {
  kAmalgamate,
  kBalance,
  kDepositChecking,
  kSendPayment,
  kTransactSavings,
  kWriteCheck,
  kCount,           ///< number of kinds in the mix
  kAudit = kCount,  ///< only with SmallBankOptions::audit_percent
};

/// SmallBank of H-Store: 25 % SendPayment, 15 % each other transaction. Accounts are drawn over the
/// whole cluster, so every participant may be remote. Money is integer cents.
///
/// Tables: 0 savings, 1 checking; both keyed by the customer's number within the partition.
/// H-Store's ACCOUNTS table (number to name) is folded into them: no transaction uses the name, and
/// a customer exists when both accounts do. A payload is the 8 B balance, so with its header a
/// record takes 32 B, two to a cache line.
class SmallBank : public Workload {
 public:
  static constexpr txn::TableId kSavings = 0;
  static constexpr txn::TableId kChecking = 1;

  /// Greatest number of customers, in the cluster, for audits: one audit reads the accounts of all.
  static constexpr std::uint64_t kMostAudited = 1000;

  SmallBank(std::uint32_t nodes, std::uint32_t workers, SmallBankOptions options = {});

  std::string name() const override { return "smallbank"; }
  const txn::Schema& schema() const override { return schema_; }
  std::span<const std::string> kinds() const override;
  txn::TransactionLimits limits() const override;
  std::unique_ptr<WorkloadClient> make_client(const ClientPlace& place,
                                              Random random) const override;
  std::int64_t amount(txn::TableId table, std::span<const std::byte> payload) const override;

  /// Faults found by audits.
  std::vector<std::string> inconsistencies(txn::PartitionId partition,
                                           txn::StateAtRest& state) const override;

  /// A customer: a partition, and the key in both of its tables.
  struct Customer {
    txn::PartitionId partition = 0;
    txn::Key key = 0;

    auto operator<=>(const Customer&) const = default;
  };

  /// Draws the kind of the next transaction: from the mix or, with audits, from the rest of it.
  SmallBankKind next_kind(Random& random) const;

  std::uint32_t partitions() const { return nodes_; }
  std::uint64_t customers_per_partition() const { return accounts_; }

  /// Checks the sum of a committed audit. Thread-safe.
  void report_sum(std::int64_t cents) const;

  /// Returns the faults of reported sums, one line each, and removes them.
  std::vector<std::string> take_faults() const { return faults_.take(); }

  /// Draws a kind from the whole mix.
  static SmallBankKind choose_kind(Random& random);

  /// Draws `count` (1 or 2) different customers: all hot with probability hot_share, otherwise all
  /// cold.
  std::array<Customer, 2> choose_customers(Random& random, unsigned count) const;

  /// Initial balance of a rich customer, in cents: 10 000 to 50 000 dollars, depending on the key.
  static std::int64_t initial_balance(txn::TableId table, txn::PartitionId partition, txn::Key key);

 private:
  void prepare_audits(std::uint32_t percent);

  std::uint32_t nodes_;
  std::uint64_t accounts_;
  std::uint64_t hot_accounts_;
  std::uint64_t hot_share_;  // scaled to 2^32
  txn::Schema schema_;
  std::uint32_t audit_percent_ = 0;
  std::int64_t initial_total_ = 0;  // over all accounts, with audits only
  mutable ReadFaults faults_;
};

}  // namespace verbena::workloads
