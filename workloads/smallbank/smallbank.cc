// SmallBank's tables, mix and transactions.
#include "workloads/smallbank/smallbank.h"

#include <cmath>
#include <cstring>
#include <memory>
#include <vector>

#include "rdma/base/errors.h"
#include "txn/transaction.h"
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

const std::array<std::string, static_cast<std::size_t>(SmallBankKind::kCount)> kKindNames = {
    "amalgamate", "balance", "deposit_checking", "send_payment", "transact_savings", "write_check"};

class SmallBankClient : public WorkloadClient {
 public:
  SmallBankClient(const SmallBank& bank, Random random) : bank_(bank), random_(random) {}

  std::uint32_t next() override {
    kind_ = SmallBank::choose_kind(random_);
    const bool two = kind_ == SmallBankKind::kAmalgamate || kind_ == SmallBankKind::kSendPayment;
    customers_ = bank_.choose_customers(random_, two ? 2 : 1);
    return static_cast<std::uint32_t>(kind_);
  }

  Attempt execute(Transaction& transaction) override {
    change_ = 0;
    transaction.begin(kind_ == SmallBankKind::kBalance ? Transaction::Kind::kReadOnly
                                                       : Transaction::Kind::kReadWrite);
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
      case SmallBankKind::kCount:
        break;
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

  const SmallBank& bank_;
  Random random_;
  SmallBankKind kind_ = SmallBankKind::kBalance;
  std::array<Customer, 2> customers_{};
  std::int64_t change_ = 0;  // of the running attempt
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
}

std::span<const std::string> SmallBank::kinds() const { return kKindNames; }

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
