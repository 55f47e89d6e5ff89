// The check that a run's measurements add up.
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

/// The time of one worker's streams in the measured window by what they did with it, noted beside
/// what they measure, so that both can be compared. Belongs to the worker's thread while workers
/// run.
struct Ledger {
  Nanoseconds lived = 0;    ///< of all streams, from their begin to their end
  Nanoseconds between = 0;  ///< of these, after one transaction was decided and before the next
  /// The time before the window of transactions that were rolled back in it.
  Nanoseconds rolled_back_before = 0;
  std::uint32_t streams_ended = 0;
  std::uint32_t returned_late = 0;  ///< streams whose last transaction returned after the window
  std::uint32_t decided_late = 0;   ///< likewise, and was decided then

  /// The window begins later; streams that have ended are still known to have.
  void begin_again() { *this = {.streams_ended = streams_ended}; }
};

/// How much of [begin, end) lies in [from, until).
constexpr Nanoseconds overlap(Nanoseconds begin, Nanoseconds end, Nanoseconds from,
                              Nanoseconds until) {
  const Nanoseconds first = begin > from ? begin : from;
  const Nanoseconds last = end < until ? end : until;
  return last > first ? last - first : 0_ns;
}

/// Lists what does not add up of a worker's part of a run, one line each, and `metrics` of its
/// participant:
///
/// - commits: those of the kinds, of the intervals, and of the latencies are as many, and their
///   latencies sum up to the same;
/// - aborts: the system's causes sum up to the attempts of the intervals;
/// - time (Little's law, as an identity): streams live for as long as their transactions take, and
///   the times between these. Each transaction counts for the part of its latency that lies in the
///   window: of those that were committed or rolled back in it their latencies, of those that were
///   not decided at its end their ages, of all less what was before it. Where arrivals are not the
///   streams' own (open loop), latencies are no times of streams, and this is not looked at;
/// - in flight: as many as streams that were still busy at the window's end.
///
/// Nothing of a worker whose streams have not all ended (its node has died).
std::vector<std::string> what_does_not_add_up(const WorkerRun& worker, const txn::Metrics& metrics);

/// The same of a run's result, against the parts of all workers that it was made of, and what was
/// asked for: its commits, latencies and transactions in flight are the workers', and it measured
/// from when it should.
std::vector<std::string> what_does_not_add_up(const RunResult& result,
                                              std::span<const WorkerRun* const> workers,
                                              std::optional<Nanoseconds> warm_up);

}  // namespace verbena::workloads
