// Counts and times of one worker, and after merging of a whole run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "rdma/base/histogram.h"
#include "txn/system_info.h"

namespace verbena::txn {

/// Why an attempt did not commit: an index into the system's SystemInfo::abort_causes.
enum class AbortCause : std::uint8_t {};

/// Work of a worker's handlers for a phase of its peers' transactions (DrTM+H paper, table 3).
struct Served {
  std::uint64_t calls = 0;
  std::uint64_t busy_ns = 0;        ///< of the core, from the handler's begin to its end
  std::uint64_t request_bytes = 0;  ///< without the RPC's own headers
  std::uint64_t reply_bytes = 0;

  void merge(const Served& other) {
    calls += other.calls;
    busy_ns += other.busy_ns;
    request_bytes += other.request_bytes;
    reply_bytes += other.reply_bytes;
  }
};

/// Counters and histograms of one worker. Never averaged: merged. Only the measured window counts.
/// Vectors are by the indices of the system's SystemInfo.
struct Metrics {
  /// Empty, of no system.
  Metrics() = default;
  /// All zero.
  explicit Metrics(const SystemInfo& system);

  std::uint64_t committed = 0;
  std::vector<std::uint64_t> aborted;   ///< by cause
  std::vector<std::uint64_t> counters;  ///< by counter
  Histogram latency;  ///< from the first start of a transaction to its commit, retries included
  std::vector<Histogram> phases;  ///< of committed attempts
  std::vector<Served> served;     ///< by phase
  std::vector<Histogram> times;   ///< by time; of attempts that commit and of others

  void count(AbortCause cause) { ++aborted[static_cast<std::size_t>(cause)]; }
  /// Adds those of another worker of the same system.
  void merge(const Metrics& other);
};

}  // namespace verbena::txn
