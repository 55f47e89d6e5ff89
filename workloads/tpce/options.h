// Parameters of TPC-E's customer-position.
#pragma once

#include <cstdint>

namespace verbena::workloads {

/// Parameters, with defaults from the DrTM+H authors' experiment (section 5.5).
struct TpceOptions {
  /// A multiple of the load unit of 1000 customers. Each unit comes with 500 companies and 685
  /// securities.
  std::uint32_t customers_per_node = 5'000;
  /// Share of market feeds, which change prices of last trades; the others are customer positions.
  std::uint32_t market_feed_percent = 0;
};

}  // namespace verbena::workloads
