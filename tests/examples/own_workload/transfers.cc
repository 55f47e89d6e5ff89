// Accounts, and a client that moves amounts between them.
#include "tests/examples/own_workload/transfers.h"

#include <cstring>

#include "txn/transaction.h"
#include "workloads/end_attempt.h"

namespace verbena::testing {
namespace {

using txn::Transaction;
using workloads::Attempt;
using Account = Transfers::Account;

void load(txn::PartitionId, txn::Key, std::span<std::byte> payload) {
  const Account account{.balance = Transfers::kInitialBalance};
  std::memcpy(payload.data(), &account, sizeof account);
}

class Client final : public workloads::WorkloadClient {
 public:
  Client(const Transfers& transfers, Random random) : transfers_(transfers), random_(random) {}

  std::uint32_t next() override {
    from_ = transfers_.draw(random_);
    do to_ = transfers_.draw(random_);
    while (to_ == from_);
    amount_ = random_.between(1, Transfers::kInitialBalance);
    return 0;
  }

  Attempt execute(Transaction& transaction) override {
    transaction.begin();
    const auto from = transaction.want(from_, Transaction::Intent::kUpdate);
    const auto to = transaction.want(to_, Transaction::Intent::kUpdate);
    if (!transaction.fetch()) return workloads::abandon(transaction);
    if (transaction.value<Account>(from).balance < amount_)
      return workloads::roll_back(transaction);
    transaction.update<Account>(from).balance -= amount_;
    transaction.update<Account>(to).balance += amount_;
    return transaction.commit() ? Attempt::kCommitted : Attempt::kAborted;
  }

  std::int64_t committed_change() const override { return 0; }

 private:
  const Transfers& transfers_;
  Random random_;
  txn::RecordName from_;
  txn::RecordName to_;
  std::uint64_t amount_ = 0;
};

}  // namespace

Transfers::Transfers(std::uint32_t partitions, std::uint64_t accounts_per_partition)
    : partitions_(partitions), accounts_(accounts_per_partition) {
  schema_.push_back({.name = "accounts",
                     .payload_bytes = sizeof(Account),
                     .initial_records = accounts_per_partition,
                     .load = load});
}

std::unique_ptr<workloads::WorkloadClient> Transfers::make_client(const workloads::ClientPlace&,
                                                                  Random random) const {
  return std::make_unique<Client>(*this, random);
}

std::int64_t Transfers::amount(txn::TableId, std::span<const std::byte> payload) const {
  Account account;
  std::memcpy(&account, payload.data(), sizeof account);
  return static_cast<std::int64_t>(account.balance);
}

txn::RecordName Transfers::draw(Random& random) const {
  return {.table = kAccounts,
          .partition = static_cast<txn::PartitionId>(random.below(partitions_)),
          .key = random.below(accounts_)};
}

}  // namespace verbena::testing
