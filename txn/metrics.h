// What one worker, and after merging a whole run, counted and timed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "rdma/base/histogram.h"

namespace verbena::txn {

/// The phases that a transaction goes through, as the DrTM+H paper names them (figure 1; figure 15
/// for the breakdown).
enum class Phase : std::uint8_t { kExecute, kValidate, kLog, kCommit, kCount };
inline constexpr std::size_t kPhases = static_cast<std::size_t>(Phase::kCount);

/// "execute", "validate", "log" or "commit".
const char* phase_name(Phase phase);

/// Why an attempt did not commit.
enum class AbortCause : std::uint8_t {
  kLockConflict,      ///< a record of the write set was locked by another transaction
  kValidationFailed,  ///< a record changed between its read and validation
  kReadLocked,        ///< a record was locked when it was read or validated
  kTornRead,          ///< a read raced with a writer: its cache lines carried different versions
  kRolledBack,        ///< the application asked for it (insufficient funds); not retried
  kCount
};
inline constexpr std::size_t kAbortCauses = static_cast<std::size_t>(AbortCause::kCount);

/// "lock_conflict", "validation_failed", "read_locked", "torn_read" or "rolled_back".
const char* abort_cause_name(AbortCause cause);

/// Things worth counting that are neither commits nor aborts.
enum class Counter : std::uint8_t {
  kCacheHits,       ///< records whose location the cache knew
  kCacheMisses,     ///< records whose location had to be asked for
  kOneSidedReads,   ///< records fetched by READ
  kRpcReads,        ///< records fetched by RPC
  kLocalReads,      ///< records read from the node's own partition
  kLogRecords,      ///< log records written to backups
  kLogBytes,        ///< their bytes
  kLogWaits,        ///< times that a fiber waited for space in a log ring
  kLogReclaims,     ///< notices to backups that log space may be applied and reused
  kAppliedUpdates,  ///< updates that this node applied as a backup
  kCount
};
inline constexpr std::size_t kCounters = static_cast<std::size_t>(Counter::kCount);

/// The counter's name as reports spell it, e.g. "cache_hits".
const char* counter_name(Counter counter);

/// What a worker's handlers did for a phase of its peers' transactions (DrTM+H paper, table 3).
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
struct Metrics {
  std::uint64_t committed = 0;
  std::array<std::uint64_t, kAbortCauses> aborted{};
  std::array<std::uint64_t, kCounters> counters{};
  Histogram latency;  ///< from the first start of a transaction to its commit, retries included
  std::array<Histogram, kPhases> phases;  ///< of committed attempts
  std::array<Served, kPhases> served{};   ///< reads, locks and validations, logs, commits

  void count(Counter counter, std::uint64_t by = 1) {
    counters[static_cast<std::size_t>(counter)] += by;
  }
  void count(AbortCause cause) { ++aborted[static_cast<std::size_t>(cause)]; }
  void merge(const Metrics& other);
};

}  // namespace verbena::txn
