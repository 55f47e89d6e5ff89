// The mix, on money alone.
#include "workloads/smallbank/settled_balances.h"

#include <cstddef>

#include "rdma/base/random.h"
#include "workloads/smallbank/amounts.h"
#include "workloads/smallbank/smallbank.h"

namespace verbena::workloads {
namespace {

using namespace smallbank;

constexpr std::uint64_t kCustomers = 4096;
constexpr std::uint64_t kTransactions = 100 * kCustomers;
constexpr std::int64_t kRichCents = 30'000'00;

void change(SmallBankKind kind, SettledBalances& one, SettledBalances& other) {
  const std::int64_t total = one.savings + one.checking;
  switch (kind) {
    case SmallBankKind::kAmalgamate:
      one = {};
      other.checking += total;
      break;
    case SmallBankKind::kDepositChecking:
      one.checking += kDepositCents;
      break;
    case SmallBankKind::kSendPayment:
      if (one.checking < kPaymentCents) break;
      one.checking -= kPaymentCents;
      other.checking += kPaymentCents;
      break;
    case SmallBankKind::kTransactSavings:
      one.savings += kSavingsCents;
      break;
    case SmallBankKind::kWriteCheck:
      one.checking -= total < kCheckCents ? kCheckCents + kOverdraftCents : kCheckCents;
      break;
    case SmallBankKind::kBalance:
    case SmallBankKind::kCount:
      break;
  }
}

}  // namespace

std::vector<SettledBalances> settled_customers() {
  std::vector<SettledBalances> customers(kCustomers,
                                         {.savings = kRichCents, .checking = kRichCents});
  Random random(1);
  for (std::uint64_t i = 0; i < kTransactions; ++i) {
    const SmallBankKind kind = SmallBank::choose_kind(random);
    const std::uint64_t one = random.below(kCustomers);
    const std::uint64_t other = (one + 1 + random.below(kCustomers - 1)) % kCustomers;
    change(kind, customers[one], customers[other]);
  }
  return customers;
}

}  // namespace verbena::workloads
