// Checks that a run's measurements add up.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rdma/base/time.h"
#include "txn/metrics.h"

namespace verbena::workloads {

struct RunResult;
struct WorkerRun;

/// Time of one worker's streams in the measured window, by its use. It is noted independently of
/// the measurements, so that both can be compared. Belongs to the worker's thread while workers
/// run.
struct Ledger {
  Nanoseconds lived = 0;    ///< sum over streams, from begin to end
  Nanoseconds between = 0;  ///< part of this between one transaction's decision and the next
  /// Time before the window, of transactions rolled back in the window.
  Nanoseconds rolled_back_before = 0;
  std::uint32_t streams_ended = 0;
  std::uint32_t returned_late = 0;  ///< streams whose last transaction returned after the window
  std::uint32_t decided_late = 0;   ///< streams whose last transaction was also decided then

  /// Resets the times when the window begins later; the number of ended streams is kept.
  void begin_again() { *this = {.streams_ended = streams_ended}; }
};

/// Length of the part of [begin, end) that lies in [from, until).
constexpr Nanoseconds overlap(Nanoseconds begin, Nanoseconds end, Nanoseconds from,
                              Nanoseconds until) {
  const Nanoseconds first = begin > from ? begin : from;
  const Nanoseconds last = end < until ? end : until;
  return last > first ? last - first : 0_ns;
}

/// Lists inconsistencies between a worker's part of a run and `metrics` of its participant, one
/// line each. Checks:
///
/// - commits: kinds, intervals and latencies count the same number, and the sums of latencies are
///   equal;
/// - aborts: the system's causes sum up to the attempts of the intervals;
/// - time (Little's law, as an identity): the streams' lifetimes equal the times of their
///   transactions and the times between these. Each transaction counts for the part of its latency
///   in the window: its latency if it was committed or rolled back there, its age if it was
///   undecided at the end, less its time before the window. Not checked in an open loop, where
///   latencies are no times of streams;
/// - in flight: as many transactions as streams that were busy at the window's end.
///
/// Returns nothing for a worker with streams that have not ended (its node has died).
std::vector<std::string> what_does_not_add_up(const WorkerRun& worker, const txn::Metrics& metrics);

/// Lists inconsistencies between a run's result and its workers' parts, one line each: commits,
/// latencies and transactions in flight must equal the workers', and measuring must have begun
/// after `warm_up`.
std::vector<std::string> what_does_not_add_up(const RunResult& result,
                                              std::span<const WorkerRun* const> workers,
                                              std::optional<Nanoseconds> warm_up);

}  // namespace verbena::workloads
