// Balances of SmallBank's customers after a long time.
#pragma once

#include <cstdint>
#include <vector>

namespace verbena::workloads {

/// Balances of one customer, in cents; negative after a check that was not covered.
struct SettledBalances {
  std::int64_t savings = 0;
  std::int64_t checking = 0;
};

/// 4096 customers among whom SmallBank's mix has gone on for 100 transactions each: how many are
/// poor then changes no more. Most of the money is with very few, as amalgamations have it. Always
/// the same.
std::vector<SettledBalances> settled_customers();

}  // namespace verbena::workloads
