// Amounts in SmallBank's transactions, as in H-Store, in cents.
#pragma once

#include <cstdint>

namespace verbena::workloads::smallbank {

inline constexpr std::int64_t kDepositCents = 130;
inline constexpr std::int64_t kPaymentCents = 500;
inline constexpr std::int64_t kSavingsCents = 2020;
inline constexpr std::int64_t kCheckCents = 500;
inline constexpr std::int64_t kOverdraftCents = 100;

}  // namespace verbena::workloads::smallbank
