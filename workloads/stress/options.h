// Parameters of the stress workload.
#pragma once

#include <cstdint>
#include <optional>

namespace verbena::workloads {

/// Parameters, with defaults for which transactions conflict on clusters of a few nodes.
/// Percentages are of transactions, or of the records that they use.
struct StressOptions {
  static constexpr std::uint32_t kUsualScanPercent = 15;

  std::uint32_t keys_per_node = 24;  ///< in each table; half of them exist at first
  std::uint32_t group_keys = 0;      ///< keys with the same first digit; 0: all
  std::uint32_t hot_keys = 3;        ///< number of hot keys among these
  std::uint32_t hot_percent = 40;    ///< share of uses that are of a hot key
  std::uint32_t records = 6;         ///< most records that a transaction uses, besides scanned ones
  std::uint32_t rounds = 3;          ///< most rounds of fetching
  std::uint32_t scan_length = 8;     ///< most keys of a scan
  std::uint32_t read_percent = 30;   ///< transactions that only read
  /// Share of transactions, reading or not, that begin with a scan. Without a value
  /// kUsualScanPercent on systems that can scan, 0 on others.
  std::optional<std::uint32_t> scan_percent = {};
  std::uint32_t roll_back_percent = 5;
  std::uint32_t pause_percent = 10;  ///< rounds after which a transaction waits
  std::uint32_t pause_us = 20;       ///< longest wait
  // Shares of the records that a writing transaction uses; the rest are only read.
  std::uint32_t update_percent = 35;
  std::uint32_t insert_percent = 15;
  std::uint32_t erase_percent = 10;
  std::uint32_t leave_percent = 10;  ///< announced for update or insertion but not changed
  std::uint32_t new_records = 400;   ///< room for inserted records, on each node
  std::uint32_t short_bytes = 16;    ///< payload of table `short`
  std::uint32_t long_bytes = 200;    ///< payload of table `long`, which is ordered
};

}  // namespace verbena::workloads
