// Run of one worker, which its streams of transactions share.
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

/// The progress of a stream's running transaction, for whoever asks why it does not come to its
/// end.
struct Tried {
  /// Null: the stream has not begun, or has ended by an error, and `waits_for` tells.
  const txn::Transaction* transaction = nullptr;
  std::string waits_for;
  std::uint32_t kind = 0;
  std::vector<std::uint32_t> aborts;  ///< by cause
};

/// One worker's part of a run: when it measures, and what it has measured, besides the metrics of
/// its participant. Belongs to the worker's thread while workers run.
struct WorkerRun {
  Nanoseconds start{-1};  ///< of the worker's clock: when its first stream began
  Nanoseconds from{-1};   ///< of the measured window, of the worker's clock
  Nanoseconds until = 0;
  Nanoseconds usual_time = 0;      ///< of an attempt that commits: a moving average
  Nanoseconds ended = 0;           ///< when its last stream ended
  bool stopped = false;            ///< it was told to, by `until` or when that was over
  std::vector<Nanoseconds> begun;  ///< by stream: the running transaction; kNever where none is
  std::vector<Tried> tried;        ///< likewise
  IntervalSeries course;           ///< since the start, where the window is not known beforehand
  IntervalSeries series;           ///< of the measured window
  LatencySamples latencies;        ///< likewise
  std::vector<std::uint64_t> committed_by_kind;  ///< in the measured window
  std::vector<Nanoseconds> latency_by_kind;      ///< of these, summed
  std::vector<double> squares_by_kind;           ///< of these in ns, their squares summed
  std::uint64_t rolled_back = 0;                 ///< or given up, in the measured window
  Nanoseconds rolling_back = 0;                  ///< their latencies, summed
  std::uint64_t committed_total = 0;             ///< since the start
  std::int64_t committed_change = 0;             ///< since the start
  std::uint64_t given_up = 0;                    ///< since the start
  std::string given_up_for;                      ///< Transaction::waits_for of the first of these
  std::vector<Nanoseconds> in_flight;            ///< ages at the end of the measured window
  std::vector<Nanoseconds> undecided;            ///< of these, those that were not decided then
  /// Ages at its beginning of those that had begun before, and were committed in it or undecided at
  /// its end.
  std::vector<Nanoseconds> entered;
  Nanoseconds in_flight_until = 0;  ///< after the window's end
  Nanoseconds retrying = 0;         ///< of what was committed in it, until its last attempt
  Ledger ledger;                    ///< by which all this is checked

  std::optional<Arrivals> arrivals;  ///< of an open loop
  /// Ages, at the end of the window or of the worker, of transactions that were due by then and
  /// that no stream took.
  Histogram backlog;
  NicInterval* nics = nullptr;  ///< for this worker to observe

  /// Makes room for so many kinds of transactions and streams, on one of so many workers of the
  /// cluster that have some: the more there are, the fewer latencies each keeps.
  void set_up(std::size_t kinds, std::uint32_t streams, std::uint32_t clients);

  /// Measures in `window`, and forgets what was measured when it begins at another time than
  /// before.
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
