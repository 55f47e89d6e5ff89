// A workload of one's own: amounts that move between accounts.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "rdma/base/random.h"
#include "txn/schema/table.h"
#include "workloads/workload.h"

namespace verbena::testing {

/// A transfer takes an amount from one account and gives it to another, of any partition; it is
/// rolled back where the account does not hold as much. No transfer changes the sum of all
/// accounts, which the check after a run compares. Immutable.
class Transfers final : public workloads::Workload {
 public:
  static constexpr txn::TableId kAccounts = 0;
  static constexpr std::uint64_t kInitialBalance = 100;

  /// An account's payload.
  struct Account {
    std::uint64_t balance = 0;
  };

  Transfers(std::uint32_t partitions, std::uint64_t accounts_per_partition);

  std::string name() const override { return "transfers"; }
  const txn::Schema& schema() const override { return schema_; }
  std::span<const std::string> kinds() const override { return kinds_; }
  txn::TransactionLimits limits() const override {
    return txn::TransactionLimits::any_of(schema_, 2);
  }
  std::unique_ptr<workloads::WorkloadClient> make_client(const workloads::ClientPlace& place,
                                                         Random random) const override;
  std::int64_t amount(txn::TableId table, std::span<const std::byte> payload) const override;

  /// Any account.
  txn::RecordName draw(Random& random) const;

 private:
  std::uint32_t partitions_;
  std::uint64_t accounts_;
  txn::Schema schema_;
  std::vector<std::string> kinds_ = {"transfer"};
};

}  // namespace verbena::testing
