// A measured run of a workload on a cluster, from set-up to verification.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rdma/base/histogram.h"
#include "rdma/base/reached_points.h"
#include "rdma/device/endpoint_options.h"
#include "rdma/seam/crash_point.h"
#include "rdma/seam/fabric.h"
#include "txn/check/anomalies/anomaly.h"
#include "txn/check/history.h"
#include "txn/metrics.h"
#include "txn/system.h"
#include "txn/view.h"
#include "workloads/measure/interval_series.h"
#include "workloads/measure/latency_batches.h"
#include "workloads/measure/precision.h"
#include "workloads/measure/run_progress.h"
#include "workloads/measure/run_window.h"
#include "workloads/measure/survival.h"
#include "workloads/run/arrivals.h"
#include "workloads/run/resources/utilization.h"
#include "workloads/run/unfinished.h"
#include "workloads/workload.h"

namespace verbena::workloads {

class HistoryCheck;
struct RunResult;

/// Options of a run, besides its fabric and workload.
struct RunOptions {
  /// Workers, NICs, queue pairs. The system fills in what it needs (System::endpoint).
  rdma::EndpointOptions endpoint;
  std::uint32_t fibers = 8;    ///< transactions in flight per worker
  std::uint32_t replicas = 3;  ///< copies of every partition, the primary included
  /// Transactions that end before it has passed are not measured; nothing: what it takes, see
  /// RunWindow. That and `duration` can be left open only where one thread runs all workers.
  std::optional<Nanoseconds> warm_up = 0_ns;
  /// Length of the measured window; nothing: what `goal` takes.
  std::optional<Nanoseconds> duration = kMillisecond;
  PrecisionGoal goal;
  OfferedLoad offered;  ///< to all workers of the cluster together
  std::uint64_t seed = 1;
  std::uint64_t max_transactions = 0;  ///< per fiber, then it ends early; 0: no such limit
  /// NICs' caches and the system's own buffers begin empty, and not as a long run would have left
  /// them (Fabric::begin_warm, Participant::begin_warm).
  bool cold_start = false;
  /// Time for which a transaction may be tried before the run fails (Stuck); 0: for ever.
  Nanoseconds patience = 0;
  /// A transaction's latency ends when its coroutine is done with it, having written back and
  /// unlocked, instead of when it is decided.
  bool latency_until_return = false;
  bool verify = true;  ///< check money, locks and replicas after the run
  /// Record what clients see, and check that it is what the system promises. Only where this
  /// process hosts all nodes: what others wrote is not known here.
  bool check_history = false;
  /// Keep the versions that every transaction read and wrote, for the result.
  bool record_history = false;
  /// Where the time since the workers' start is stored now and then, for whoever watches, and
  /// kNever once all have ended; may be null.
  std::atomic<std::int64_t>* position_ns = nullptr;
  /// Where the run tells how far it is, and when it expects to end; may be null.
  RunProgress* progress = nullptr;
  /// Once it is true the run ends as soon as its workers look, after each transaction and before
  /// one is tried again; attempts that are under way are completed. May be null.
  const std::atomic<bool>* stop = nullptr;
  /// Where the run tells which points of the code it came to, and "nic: NAME" for each of
  /// Fabric::counters that is not zero in the end. May be null, which costs nothing.
  ReachedPoints* reached = nullptr;
  /// Where a run that fails (Stuck, PeerMissing, any other error) tells which transactions of this
  /// process it left, those first that began first. May be null.
  std::vector<Unfinished>* unfinished = nullptr;
  /// Where nodes die, one point for each of them; those whose points are not reached do not.
  std::vector<rdma::CrashPoint*> crashes;
  /// Where a run that fails since another process's node was lost, in its midst or before all was
  /// gathered, tells what it had measured until then, RunResult::stopped and not verified. May be
  /// null.
  std::optional<RunResult>* partial = nullptr;
};

/// Findings of the check after a run.
struct Verification {
  bool checked = false;
  /// Sum of Workload::amount over the records of the cluster that may have changed.
  std::int64_t initial_total = 0;
  std::int64_t final_total = 0;
  std::int64_t committed_change = 0;  ///< final_total - initial_total must equal this
  std::uint64_t records_checked = 0;  ///< copies of records that this process looked at
  std::uint64_t undecided = 0;        ///< of these: txn::SelfCheck::undecided
  std::vector<std::string> errors;    ///< one line each; empty: everything holds

  bool ok() const { return errors.empty(); }
};

/// The part that one process of a cluster has in what all of them measured.
struct ProcessPart {
  NodeId node = 0;  ///< the first that it hosts
  double throughput_per_s = 0;
  std::uint64_t committed = 0;        ///< in the measured window
  std::uint64_t committed_total = 0;  ///< with warm-up and the drain
};

/// Measurements of a run, over the nodes that this process hosts; in the process that hosts node 0
/// over all of the cluster.
struct RunResult {
  std::vector<ProcessPart> processes;  ///< of a cluster of several; in that process only
  /// Nodes of this process that run transactions; 0: nothing here counts transactions.
  std::uint32_t computing_nodes = 0;
  std::uint32_t lasting_nodes = 0;         ///< of these, those that have not died
  std::uint64_t committed_by_lasting = 0;  ///< of `metrics`, by these
  std::vector<txn::Role> roles;            ///< of all nodes of the cluster
  txn::SystemInfo system;                  ///< whose names the metrics have
  txn::Metrics metrics;                    ///< merged over all workers; only the measured window
  Nanoseconds warm_up = 0;                 ///< before the measured window
  Nanoseconds duration = 0;                ///< of the measured window
  IntervalSeries series;                   ///< of the measured window
  LatencyBatches latency_batches;          ///< likewise
  Precision precision;                     ///< of the means over it
  bool precise = false;                    ///< RunOptions::goal was what ended it
  bool out_of_commits = false;             ///< its most_commits were
  Survival survival;  ///< latencies of what was in flight at either end taken into account
  /// Ages of the transactions that had begun and not ended when the measured window was over, and
  /// of those that were due and had not begun. Of those that were not yet decided `metrics` knows
  /// nothing.
  Histogram in_flight;
  std::uint64_t backlog = 0;        ///< of these, how many had not begun
  Nanoseconds in_flight_until = 0;  ///< the last of those that had begun ended, after that
  std::vector<NodeId> lost;         ///< nodes that have died, as others have found out
  std::uint64_t given_up = 0;       ///< transactions that need what these have left, of all times
  std::string given_up_for;         ///< what that was for one of them
  /// True if it was told to stop: the window is what it had measured by then, or whole, if only
  /// what was in flight behind it was not completed.
  bool stopped = false;
  double throughput_per_s = 0;        ///< committed transactions per second of the fabric's time
  std::uint64_t committed_total = 0;  ///< with warm-up and the drain
  std::map<std::string, std::uint64_t> committed_by_kind;  ///< measured window
  std::map<std::string, Nanoseconds> latency_by_kind;      ///< of these, summed
  std::map<std::string, double> squares_by_kind;           ///< of these in ns, their squares summed
  /// Transactions that the application ended without effect, or that were given up, in the measured
  /// window.
  std::uint64_t rolled_back = 0;
  Nanoseconds rolling_back = 0;  ///< their latencies, summed
  /// Fabric::counters, summed: in the measured window (see NicInterval) and since the fabric's
  /// start.
  std::map<std::string, std::uint64_t> nic_counters;
  std::map<std::string, std::uint64_t> total_nic_counters;
  Utilization utilization;  ///< in the measured window
  /// Sum of the times between first and last attempts of the transactions that were committed in
  /// the measured window.
  Nanoseconds retrying = 0;
  Verification verification;
  /// Measurements that do not add up (bookkeeping.h), one line each. Also among the errors of the
  /// verification.
  std::vector<std::string> unsound;
  std::uint64_t trace_digest = 0;
  double setup_wall_seconds = 0;
  double run_wall_seconds = 0;  ///< warm-up and drain included
  /// With record_history: what transactions read and wrote, of the nodes of this process.
  txn::History history;
  std::vector<std::string> tables;  ///< their names, by TableId
  /// With check_history: attempts that were checked, and what is wrong with them.
  std::optional<std::uint64_t> replayed;
  std::uint64_t undecided = 0;  ///< operations of which it was not found out
  std::optional<txn::Anomaly> anomaly;
};

/// One run. Sets up the nodes that this process hosts (regions, queue pairs, the system's own) in
/// its constructor; `run` may be called once. Every process of a hardware cluster makes the same
/// ClusterRun.
class ClusterRun {
 public:
  /// All three must outlive the run. Throws ConfigurationError for options that cannot work
  /// together, and for a workload that needs what the system has not.
  ClusterRun(rdma::Fabric& fabric, const Workload& workload, const txn::System& system,
             RunOptions options);
  ~ClusterRun();

  /// The history that this run recorded, with check_history, if it failed since a node was lost
  /// (run threw PeerMissing). Whatever was published has committed. The workload must outlive it,
  /// the fabric need not.
  std::unique_ptr<HistoryCheck> release_check();

  /// StateAtRest::published, of the node that has it; empty if none of this process does.
  std::vector<std::uint32_t> published();

  /// Finds what is wrong with that history, in a cluster that is set up from what was saved and has
  /// not run yet; nothing: whatever clients were told of is there, and of every other transaction
  /// all or nothing.
  std::optional<txn::Anomaly> compare(HistoryCheck& recorded);

  /// Runs transactions until warm-up and duration have passed, drains, verifies. Failures of the
  /// verification are told in the result, not thrown. Throws Stuck, what the fabric throws, and
  /// without verification std::logic_error for a measurement that does not add up.
  RunResult run();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace verbena::workloads
