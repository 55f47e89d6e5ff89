// One worker's part of a run, shared by its streams of transactions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rdma/base/histogram.h"
#include "rdma/base/time.h"
#include "txn/transaction.h"
#include "workloads/measure/interval_series.h"
#include "workloads/measure/latency_samples.h"
#include "workloads/measure/run_window.h"
#include "workloads/run/arrivals.h"
#include "workloads/run/bookkeeping.h"
#include "workloads/run/resources/nic_interval.h"

namespace verbena::workloads {

/// Progress of a stream's running transaction, to explain why it does not end.
struct Tried {
  /// Null if the stream has not begun, or has ended by an error; `waits_for` then has the reason.
  const txn::Transaction* transaction = nullptr;
  std::string waits_for;
  std::uint32_t kind = 0;
  std::vector<std::uint32_t> aborts;  ///< number of aborted attempts, by cause
};

/// One worker's measured window and measurements, apart from the metrics of its participant.
/// Belongs to the worker's thread while workers run.
struct WorkerRun {
  Nanoseconds start{-1};  ///< begin of its first stream, by the worker's clock
  Nanoseconds from{-1};   ///< begin of the measured window, by the worker's clock
  Nanoseconds until = 0;
  Nanoseconds usual_time = 0;      ///< moving average of the time of committing attempts
  Nanoseconds ended = 0;           ///< end of its last stream
  bool stopped = false;            ///< told to stop before the window ended
  std::vector<Nanoseconds> begun;  ///< begin of each stream's transaction; kNever: it has none
  std::vector<Tried> tried;        ///< by stream
  IntervalSeries course;           ///< since the start, if the window is not known in advance
  IntervalSeries series;           ///< of the measured window
  LatencySamples latencies;        ///< of the measured window
  std::vector<std::uint64_t> committed_by_kind;  ///< in the measured window
  std::vector<Nanoseconds> latency_by_kind;      ///< their latencies, summed
  std::vector<double> squares_by_kind;           ///< their squared latencies, summed; in ns^2
  std::uint64_t rolled_back = 0;                 ///< also those given up; in the measured window
  Nanoseconds rolling_back = 0;                  ///< sum of their latencies
  std::uint64_t committed_total = 0;             ///< since the start
  std::int64_t committed_change = 0;             ///< since the start
  std::uint64_t given_up = 0;                    ///< since the start
  std::string given_up_for;                      ///< Transaction::waits_for of the first of these
  std::vector<Nanoseconds> in_flight;            ///< ages of those in flight at the window's end
  std::vector<Nanoseconds> undecided;            ///< ages of those that were undecided then
  /// Ages at the window's beginning of transactions that had begun before it, if they were
  /// committed in it or undecided at its end.
  std::vector<Nanoseconds> entered;
  Nanoseconds in_flight_until = 0;  ///< time after the window's end
  Nanoseconds retrying = 0;         ///< until the last attempt, of those committed in it
  Ledger ledger;                    ///< times for checking all this

  std::optional<Arrivals> arrivals;  ///< of an open loop
  /// Ages, at the end of the window or of the worker, of due transactions that no stream took.
  Histogram backlog;
  NicInterval* nics = nullptr;  ///< observed by this worker; null: by another

  /// Makes room for `kinds` kinds of transactions and `streams` streams. `clients` is the number of
  /// workers of the cluster that have streams: the more, the fewer latencies each keeps.
  void set_up(std::size_t kinds, std::uint32_t streams, std::uint32_t clients);

  /// Measures in `window`. Discards all measurements if its beginning has changed.
  void measure(const RunWindow& window) {
    until = start + window.until();
    if (from == start + window.from()) return;
    from = start + window.from();
    series = window.measured_series(start);
    latencies.begin_again();
    std::ranges::fill(committed_by_kind, 0);
    std::ranges::fill(latency_by_kind, 0_ns);
    std::ranges::fill(squares_by_kind, 0);
    entered.clear();
    ledger.begin_again();
    rolled_back = 0;
    rolling_back = 0;
    retrying = 0;
  }
};

}  // namespace verbena::workloads
