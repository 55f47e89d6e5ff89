// Steady-state balances of SmallBank's customers.
#pragma once

#include <cstdint>
#include <vector>

namespace verbena::workloads {

/// Balances of one customer, in cents; negative after an uncovered check.
struct SettledBalances {
  std::int64_t savings = 0;
  std::int64_t checking = 0;
};

/// Returns the balances of 4096 customers after 100 transactions of SmallBank's mix each, when the
/// share of poor customers no longer changes. Amalgamations leave most of the money with very few
/// customers. The result is always the same.
std::vector<SettledBalances> settled_customers();

}  // namespace verbena::workloads
