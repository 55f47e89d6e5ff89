// Parameters of the stress workload.
#pragma once

#include <cstdint>
#include <optional>

namespace verbena::workloads {

/// The defaults make transactions meet on clusters of a few nodes. Percentages are of transactions,
/// or of the records that those use.
struct StressOptions {
  static constexpr std::uint32_t kUsualScanPercent = 15;

  std::uint32_t keys_per_node = 24;  ///< of each table; half of them exist at first
  std::uint32_t group_keys = 0;      ///< of which have the same first digit; 0: all
  std::uint32_t hot_keys = 3;        ///< of these
  std::uint32_t hot_percent = 40;    ///< uses of a hot key
  std::uint32_t records = 6;         ///< that a transaction uses, at most, besides what it scans
  std::uint32_t rounds = 3;          ///< of fetching, at most
  std::uint32_t scan_length = 8;     ///< keys, at most
  std::uint32_t read_percent = 30;   ///< transactions that only read
  /// Transactions, reading or not, that begin with a scan; without a value kUsualScanPercent on
  /// systems that can scan, and none on others.
  std::optional<std::uint32_t> scan_percent = {};
  std::uint32_t roll_back_percent = 5;
  std::uint32_t pause_percent = 10;  ///< rounds behind which a transaction waits
  std::uint32_t pause_us = 20;       ///< for how long, at most
  // Shares of the records that a writing transaction uses; the rest is only read.
  std::uint32_t update_percent = 35;
  std::uint32_t insert_percent = 15;
  std::uint32_t erase_percent = 10;
  std::uint32_t leave_percent = 10;  ///< announced for update or insertion and left as they are
  std::uint32_t new_records = 400;   ///< room for those that a run inserts, on each node
  std::uint32_t short_bytes = 16;    ///< of the payloads of the table `short`
  std::uint32_t long_bytes = 200;    ///< of those of `long`, which is ordered
};

}  // namespace verbena::workloads
