// SmallBank's tables, mix and transactions.
#include "workloads/smallbank/smallbank.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <vector>

#include "rdma/base/errors.h"
#include "txn/transaction.h"
#include "workloads/audit_kind.h"
#include "workloads/end_attempt.h"
#include "workloads/smallbank/amounts.h"
#include "workloads/smallbank/settled_balances.h"

namespace verbena::workloads {
namespace {

using namespace smallbank;
using txn::Transaction;
using Intent = Transaction::Intent;
using Customer = SmallBank::Customer;

struct Account {
  std::int64_t cents;
};
static_assert(sizeof(Account) == 8);

constexpr auto kKindsOfTheMix = static_cast<std::size_t>(SmallBankKind::kCount);
const std::array<std::string, kKindsOfTheMix + 1> kKindNames = {
    "amalgamate",       "balance",     "deposit_checking", "send_payment",
    "transact_savings", "write_check", kAuditKind};

// Money only moves.
bool keeps_total(SmallBankKind kind) {
  return kind == SmallBankKind::kAmalgamate || kind == SmallBankKind::kBalance ||
         kind == SmallBankKind::kSendPayment;
}

class SmallBankClient : public WorkloadClient {
 public:
  SmallBankClient(const SmallBank& bank, Random random) : bank_(bank), random_(random) {}

  std::uint32_t next() override {
    kind_ = bank_.next_kind(random_);
    if (kind_ == SmallBankKind::kAudit) return static_cast<std::uint32_t>(kind_);
    const bool two = kind_ == SmallBankKind::kAmalgamate || kind_ == SmallBankKind::kSendPayment;
    customers_ = bank_.choose_customers(random_, two ? 2 : 1);
    return static_cast<std::uint32_t>(kind_);
  }

  Attempt execute(Transaction& transaction) override {
    change_ = 0;
    const bool reads = kind_ == SmallBankKind::kBalance || kind_ == SmallBankKind::kAudit;
    transaction.begin(reads ? Transaction::Kind::kReadOnly : Transaction::Kind::kReadWrite);
    const Attempt attempt = run(transaction);
    if (attempt == Attempt::kCommitted) committed_change_ += change_;
    return attempt;
  }

  std::int64_t committed_change() const override { return committed_change_; }

 private:
  Attempt run(Transaction& transaction) {
    switch (kind_) {
      case SmallBankKind::kAmalgamate:
        return amalgamate(transaction);
      case SmallBankKind::kBalance:
        return balance(transaction);
      case SmallBankKind::kDepositChecking:
        return deposit_checking(transaction);
      case SmallBankKind::kSendPayment:
        return send_payment(transaction);
      case SmallBankKind::kTransactSavings:
        return transact_savings(transaction);
      case SmallBankKind::kWriteCheck:
        return write_check(transaction);
      case SmallBankKind::kAudit:
        return audit(transaction);
    }
    return Attempt::kRolledBack;
  }

  static Transaction::Handle want(Transaction& transaction, txn::TableId table,
                                  const Customer& customer, Intent intent) {
    return transaction.want(table, customer.partition, customer.key, intent);
  }

  static Attempt finish(Transaction& transaction) {
    return transaction.commit() ? Attempt::kCommitted : Attempt::kAborted;
  }

  // Moves all money of the first customer to the second's checking account.
  Attempt amalgamate(Transaction& transaction) {
    const auto savings = want(transaction, SmallBank::kSavings, customers_[0], Intent::kUpdate);
    const auto checking = want(transaction, SmallBank::kChecking, customers_[0], Intent::kUpdate);
    const auto target = want(transaction, SmallBank::kChecking, customers_[1], Intent::kUpdate);
    if (!transaction.fetch()) return abandon(transaction);
    const std::int64_t total =
        transaction.value<Account>(savings).cents + transaction.value<Account>(checking).cents;
    transaction.update<Account>(savings).cents = 0;
    transaction.update<Account>(checking).cents = 0;
    transaction.update<Account>(target).cents += total;
    return finish(transaction);
  }

  Attempt balance(Transaction& transaction) {
    want(transaction, SmallBank::kSavings, customers_[0], Intent::kRead);
    want(transaction, SmallBank::kChecking, customers_[0], Intent::kRead);
    if (!transaction.fetch()) return abandon(transaction);
    return finish(transaction);
  }

  Attempt deposit_checking(Transaction& transaction) {
    const auto checking = want(transaction, SmallBank::kChecking, customers_[0], Intent::kUpdate);
    if (!transaction.fetch()) return abandon(transaction);
    transaction.update<Account>(checking).cents += kDepositCents;
    change_ = kDepositCents;
    return finish(transaction);
  }

  Attempt send_payment(Transaction& transaction) {
    const auto from = want(transaction, SmallBank::kChecking, customers_[0], Intent::kUpdate);
    const auto to = want(transaction, SmallBank::kChecking, customers_[1], Intent::kUpdate);
    if (!transaction.fetch()) return abandon(transaction);
    if (transaction.value<Account>(from).cents < kPaymentCents) return roll_back(transaction);
    transaction.update<Account>(from).cents -= kPaymentCents;
    transaction.update<Account>(to).cents += kPaymentCents;
    return finish(transaction);
  }

  Attempt transact_savings(Transaction& transaction) {
    const auto savings = want(transaction, SmallBank::kSavings, customers_[0], Intent::kUpdate);
    if (!transaction.fetch()) return abandon(transaction);
    transaction.update<Account>(savings).cents += kSavingsCents;
    change_ = kSavingsCents;
    return finish(transaction);
  }

  // A check that is not covered costs a fee.
  Attempt write_check(Transaction& transaction) {
    const auto savings = want(transaction, SmallBank::kSavings, customers_[0], Intent::kRead);
    const auto checking = want(transaction, SmallBank::kChecking, customers_[0], Intent::kUpdate);
    if (!transaction.fetch()) return abandon(transaction);
    const std::int64_t total =
        transaction.value<Account>(savings).cents + transaction.value<Account>(checking).cents;
    const std::int64_t charge = total < kCheckCents ? kCheckCents + kOverdraftCents : kCheckCents;
    transaction.update<Account>(checking).cents -= charge;
    change_ = -charge;
    return finish(transaction);
  }

  // Sums up all accounts. An attempt that does not commit may have read anything.
  Attempt audit(Transaction& transaction) {
    accounts_.clear();
    for (std::uint32_t p = 0; p < bank_.partitions(); ++p) {
      for (txn::Key key = 0; key < bank_.customers_per_partition(); ++key) {
        const Customer customer{.partition = static_cast<txn::PartitionId>(p), .key = key};
        accounts_.push_back(want(transaction, SmallBank::kSavings, customer, Intent::kRead));
        accounts_.push_back(want(transaction, SmallBank::kChecking, customer, Intent::kRead));
      }
    }
    if (!transaction.fetch()) return abandon(transaction);
    std::int64_t sum = 0;
    for (const auto account : accounts_) sum += transaction.value<Account>(account).cents;
    const Attempt attempt = finish(transaction);
    if (attempt == Attempt::kCommitted) bank_.report_sum(sum);
    return attempt;
  }

  const SmallBank& bank_;
  Random random_;
  SmallBankKind kind_ = SmallBankKind::kBalance;
  std::array<Customer, 2> customers_{};
  std::vector<Transaction::Handle> accounts_;  // of an audit
  std::int64_t change_ = 0;                    // of the running attempt
  std::int64_t committed_change_ = 0;
};

std::int64_t settled_balance(const std::vector<SettledBalances>& customers, txn::TableId table,
                             txn::PartitionId partition, txn::Key key) {
  const SettledBalances& like =
      customers[mix64(key ^ std::uint64_t{partition} << 48) % customers.size()];
  return table == SmallBank::kSavings ? like.savings : like.checking;
}

void refuse(const std::string& what) { throw ConfigurationError("smallbank: " + what); }

}  // namespace

SmallBank::SmallBank(std::uint32_t nodes, std::uint32_t workers, SmallBankOptions options)
    : nodes_(nodes),
      accounts_(options.accounts_per_worker * workers),
      hot_accounts_(static_cast<std::uint64_t>(
          std::llround(options.hot_fraction * static_cast<double>(accounts_)))),
      hot_share_(static_cast<std::uint64_t>(std::llround(options.hot_share * 4294967296.0))) {
  if (!(options.hot_fraction >= 0 && options.hot_fraction <= 1)) {
    refuse("hot_fraction " + std::to_string(options.hot_fraction) + "; allowed are 0 to 1");
  }
  if (!(options.hot_share >= 0 && options.hot_share <= 1)) {
    refuse("hot_share " + std::to_string(options.hot_share) + "; allowed are 0 to 1");
  }
  // Two different customers must exist in each of the sets that is drawn from.
  if (hot_share_ > 0 && hot_accounts_ < 2) {
    refuse("hot_fraction " + std::to_string(options.hot_fraction) + " of " +
           std::to_string(accounts_) +
           " accounts; allowed are at least two hot accounts per node, or hot_share 0");
  }
  if (hot_share_ < 4294967296 && accounts_ - hot_accounts_ < 2) {
    refuse("hot_fraction " + std::to_string(options.hot_fraction) + " of " +
           std::to_string(accounts_) +
           " accounts; allowed are at least two cold accounts per node, or hot_share 1");
  }
  const auto settled =
      options.settled ? std::make_shared<const std::vector<SettledBalances>>(settled_customers())
                      : nullptr;
  for (const txn::TableId table : {kSavings, kChecking}) {
    schema_.push_back({.name = table == kSavings ? "savings" : "checking",
                       .payload_bytes = sizeof(Account),
                       .initial_records = accounts_,
                       .insert_capacity = 0,
                       .load = [table, settled](txn::PartitionId partition, txn::Key key,
                                                std::span<std::byte> payload) {
                         const Account account{
                             .cents = settled == nullptr
                                          ? initial_balance(table, partition, key)
                                          : settled_balance(*settled, table, partition, key)};
                         std::memcpy(payload.data(), &account, sizeof account);
                       }});
  }
  if (options.audit_percent > 0) prepare_audits(options.audit_percent);
}

void SmallBank::prepare_audits(std::uint32_t percent) {
  audit_percent_ = percent;
  if (accounts_ * nodes_ > kMostAudited) {
    refuse("audit_percent " + std::to_string(percent) + " with " +
           std::to_string(accounts_ * nodes_) +
           " customers in the cluster; allowed is 0, or accounts_per_worker so that they are at "
           "most " +
           std::to_string(kMostAudited) + ": an audit reads all accounts");
  }
  std::array<std::byte, sizeof(Account)> payload{};
  for (const txn::TableId table : {kSavings, kChecking}) {
    for (std::uint32_t p = 0; p < nodes_; ++p) {
      for (txn::Key key = 0; key < accounts_; ++key) {
        schema_[table].load(static_cast<txn::PartitionId>(p), key, payload);
        initial_total_ += amount(table, payload);
      }
    }
  }
}

txn::TransactionLimits SmallBank::limits() const {
  txn::TransactionLimits limits = txn::TransactionLimits::any_of(schema_, 3);
  if (audit_percent_ == 0) return limits;
  limits.records = static_cast<std::uint32_t>(std::max<std::uint64_t>(3, 2 * accounts_ * nodes_));
  limits.record_bytes = limits.records * static_cast<std::uint32_t>(sizeof(Account));
  return limits;
}

void SmallBank::report_sum(std::int64_t cents) const {
  if (cents == initial_total_) return;
  faults_.add("audit during the run: the sum of all accounts is " + std::to_string(cents) +
              " cents, and was " + std::to_string(initial_total_) + " at first");
}

std::vector<std::string> SmallBank::inconsistencies(txn::PartitionId, txn::StateAtRest&) const {
  return take_faults();
}

std::span<const std::string> SmallBank::kinds() const {
  return std::span(kKindNames).first(kKindsOfTheMix + (audit_percent_ > 0 ? 1 : 0));
}

SmallBankKind SmallBank::next_kind(Random& random) const {
  if (audit_percent_ == 0) return choose_kind(random);
  if (random.below(100) < audit_percent_) return SmallBankKind::kAudit;
  SmallBankKind kind = choose_kind(random);
  while (!keeps_total(kind)) kind = choose_kind(random);
  return kind;
}

std::unique_ptr<WorkloadClient> SmallBank::make_client(const ClientPlace&, Random random) const {
  return std::make_unique<SmallBankClient>(*this, random);
}

std::int64_t SmallBank::amount(txn::TableId, std::span<const std::byte> payload) const {
  Account account;
  std::memcpy(&account, payload.data(), sizeof account);
  return account.cents;
}

SmallBankKind SmallBank::choose_kind(Random& random) {
  const std::uint64_t percent = random.below(100);
  if (percent < 15) return SmallBankKind::kAmalgamate;
  if (percent < 30) return SmallBankKind::kBalance;
  if (percent < 45) return SmallBankKind::kDepositChecking;
  if (percent < 70) return SmallBankKind::kSendPayment;
  if (percent < 85) return SmallBankKind::kTransactSavings;
  return SmallBankKind::kWriteCheck;
}

std::array<SmallBank::Customer, 2> SmallBank::choose_customers(Random& random,
                                                               unsigned count) const {
  const bool hot = (random.next() >> 32) < hot_share_;
  auto choose = [&] {
    const auto partition = static_cast<txn::PartitionId>(random.below(nodes_));
    const txn::Key key =
        hot ? random.below(hot_accounts_) : hot_accounts_ + random.below(accounts_ - hot_accounts_);
    return Customer{.partition = partition, .key = key};
  };
  std::array<Customer, 2> customers{};
  customers[0] = choose();
  if (count == 2) {
    do {
      customers[1] = choose();
    } while (customers[1] == customers[0]);
  }
  return customers;
}

std::int64_t SmallBank::initial_balance(txn::TableId table, txn::PartitionId partition,
                                        txn::Key key) {
  constexpr std::int64_t kLeast = 10'000'00;
  constexpr std::int64_t kMost = 50'000'00;
  const std::uint64_t mixed = mix64((key * 2 + table) ^ std::uint64_t{partition} << 48);
  return kLeast + static_cast<std::int64_t>(mixed % (kMost - kLeast + 1));
}

}  // namespace verbena::workloads
