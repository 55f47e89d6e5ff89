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

/// Options of a run, apart from its fabric and workload.
struct RunOptions {
  /// Workers, NICs, queue pairs. The system adds its needs (System::endpoint).
  rdma::EndpointOptions endpoint;
  std::uint32_t fibers = 8;    ///< transactions in flight per worker
  std::uint32_t replicas = 3;  ///< copies of every partition, including the primary
  /// Warm-up time; transactions that end in it are not measured. Nothing: determined by the run,
  /// see RunWindow. This and `duration` can be left open only where one clock counts
  /// for all (rdma::Fabric::has_one_clock).
  std::optional<Nanoseconds> warm_up = 0_ns;
  /// Length of the measured window; nothing: as long as `goal` takes.
  std::optional<Nanoseconds> duration = kMillisecond;
  PrecisionGoal goal;
  OfferedLoad offered;  ///< load of all workers of the cluster together
  std::uint64_t seed = 1;
  std::uint64_t max_transactions = 0;  ///< limit per fiber, which then ends early; 0: none
  /// Starts with empty caches of NICs and empty buffers of the system, instead of the state that a
  /// long run would have left (Fabric::begin_warm, Participant::begin_warm).
  bool cold_start = false;
  /// Longest time for trying a transaction before the run fails (Stuck); 0: unlimited.
  Nanoseconds patience = 0;
  /// Ends a transaction's latency when its coroutine returns, after writing back and unlocking,
  /// instead of when it is decided.
  bool latency_until_return = false;
  bool verify = true;  ///< checks money, locks and replicas after the run
  /// Records what clients see, and checks it against the system's promise. Only where this process
  /// hosts all nodes, since the writes of other processes are unknown here.
  bool check_history = false;
  /// Records the versions that every transaction read and wrote in the result.
  bool record_history = false;
  /// Place to store the time since the workers' start now and then, for observers, and kNever once
  /// all workers have ended. May be null.
  std::atomic<std::int64_t>* position_ns = nullptr;
  /// Place to store the run's progress and its expected end. May be null.
  RunProgress* progress = nullptr;
  /// Request to stop. Once it is true, workers end the run at their next look, after each
  /// transaction and before a retry; attempts under way are completed. May be null.
  const std::atomic<bool>* stop = nullptr;
  /// Receives the points of the code that the run reached, and "nic: NAME" for each of
  /// Fabric::counters that is not zero in the end. May be null, which costs nothing.
  ReachedPoints* reached = nullptr;
  /// Receives the unfinished transactions of this process when the run fails (Stuck, PeerMissing,
  /// any other error), the oldest first. May be null.
  std::vector<Unfinished>* unfinished = nullptr;
  /// Points at which nodes die, one for each node. A node whose point is not reached does not die.
  std::vector<rdma::CrashPoint*> crashes;
  /// Receives the measurements so far (RunResult::stopped, not verified) when the run fails because
  /// a node of another process was lost before all results were gathered. May be null.
  std::optional<RunResult>* partial = nullptr;
};

/// Results of the check after a run.
struct Verification {
  bool checked = false;
  /// Sum of Workload::amount over the cluster's records that may have changed.
  std::int64_t initial_total = 0;
  std::int64_t final_total = 0;
  std::int64_t committed_change = 0;  ///< must equal final_total - initial_total
  std::uint64_t records_checked = 0;  ///< copies of records that this process checked
  std::uint64_t undecided = 0;        ///< of these, see txn::SelfCheck::undecided
  std::vector<std::string> errors;    ///< one line each; empty: all checks passed

  bool ok() const { return errors.empty(); }
};

/// Share of one process in a cluster's measurement.
struct ProcessPart {
  NodeId node = 0;  ///< the first node that it hosts
  double throughput_per_s = 0;
  std::uint64_t committed = 0;        ///< in the measured window
  std::uint64_t committed_total = 0;  ///< including warm-up and drain
};

/// Measurements of a run over the nodes of this process; in the process that hosts node 0, over the
/// whole cluster.
struct RunResult {
  std::vector<ProcessPart> processes;  ///< of a cluster of several, in the process of node 0
  /// Number of nodes of this process that run transactions; 0: none is counted here.
  std::uint32_t computing_nodes = 0;
  std::uint32_t lasting_nodes = 0;         ///< of these, nodes that have not died
  std::uint64_t committed_by_lasting = 0;  ///< commits of `metrics` by these
  std::vector<txn::Role> roles;            ///< by node, for the whole cluster
  txn::SystemInfo system;                  ///< the names in `metrics` are its
  txn::Metrics metrics;                    ///< merged over all workers; measured window only
  Nanoseconds warm_up = 0;                 ///< before the measured window
  Nanoseconds duration = 0;                ///< length of the measured window
  IntervalSeries series;                   ///< of the measured window
  LatencyBatches latency_batches;          ///< likewise
  Precision precision;                     ///< precision of its means
  WindowEnd ended_by = WindowEnd::kTime;
  std::uint64_t most_memory_bytes = UINT64_MAX;  ///< the limit of RunOptions::goal
  Survival survival;  ///< latencies corrected for transactions in flight at both ends
  /// Ages, at the end of the measured window, of transactions that had begun and not ended, and of
  /// those that were due and had not begun. `metrics` does not include undecided ones.
  Histogram in_flight;
  std::uint64_t backlog = 0;        ///< part of these that had not begun
  Nanoseconds in_flight_until = 0;  ///< time after it when the last of those begun had ended
  std::vector<NodeId> lost;         ///< nodes that others have found dead
  std::uint64_t given_up = 0;       ///< transactions that need data of these, during the whole run
  std::string given_up_for;         ///< reason of one of these
  /// True if the run was told to stop. The window is then what was measured until then, or whole if
  /// only transactions in flight after it were not completed.
  bool stopped = false;
  double throughput_per_s = 0;        ///< committed transactions per second of the fabric's time
  std::uint64_t committed_total = 0;  ///< including warm-up and drain
  std::map<std::string, std::uint64_t> committed_by_kind;  ///< in the measured window
  std::map<std::string, Nanoseconds> latency_by_kind;      ///< their latencies, summed
  std::map<std::string, double> squares_by_kind;           ///< their squares in ns^2, summed
  /// Transactions that the application ended without effect, or that were given up, in the measured
  /// window.
  std::uint64_t rolled_back = 0;
  Nanoseconds rolling_back = 0;  ///< sum of their latencies
  /// Sums of Fabric::counters: in the measured window (see NicInterval), and since the fabric's
  /// start.
  std::map<std::string, std::uint64_t> nic_counters;
  std::map<std::string, std::uint64_t> total_nic_counters;
  Utilization utilization;  ///< in the measured window
  /// Sum of the times between first and last attempts, over transactions committed in the measured
  /// window.
  Nanoseconds retrying = 0;
  Verification verification;
  /// Measurements that do not add up (bookkeeping.h), one line each. Also among the errors of
  /// `verification`.
  std::vector<std::string> unsound;
  std::uint64_t trace_digest = 0;
  std::vector<rdma::ThreadBound> thread_bounds;  ///< see rdma::Fabric
  double setup_wall_seconds = 0;
  double run_wall_seconds = 0;  ///< including warm-up and drain
  /// With record_history: reads and writes of the transactions of this process's nodes.
  txn::History history;
  std::vector<std::string> tables;  ///< names of tables, by TableId
  /// With check_history: number of checked attempts.
  std::optional<std::uint64_t> replayed;
  std::uint64_t undecided = 0;  ///< operations whose outcome is unknown
  std::optional<txn::Anomaly> anomaly;
};

/// One run. The constructor sets up the nodes of this process (regions, queue pairs, the system's
/// own state); `run` may be called once. Every process of a hardware cluster makes the same
/// ClusterRun.
class ClusterRun {
 public:
  /// The first three arguments must outlive the run. Throws ConfigurationError for incompatible
  /// options, and for a workload that needs a feature that the system lacks.
  ClusterRun(rdma::Fabric& fabric, const Workload& workload, const txn::System& system,
             RunOptions options);
  ~ClusterRun();

  /// Releases the history that was recorded with check_history, after the run failed because a node
  /// was lost (run threw PeerMissing). It treats everything published as committed. The workload
  /// must outlive it; the fabric need not.
  std::unique_ptr<HistoryCheck> release_check();

  /// Returns StateAtRest::published of the node that has it; empty if none of this process has.
  std::vector<std::uint32_t> published();

  /// Checks that history in a cluster that is restored from saved state and has not run yet.
  /// Returns nothing if all that clients were told is there, and of every other transaction all or
  /// nothing.
  std::optional<txn::Anomaly> compare(HistoryCheck& recorded);

  /// Runs transactions until warm-up and duration have passed, drains, and verifies. Failures of
  /// the verification are in the result, not thrown. Throws Stuck, what the fabric throws and,
  /// without verification, std::logic_error for measurements that do not add up.
  RunResult run();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace verbena::workloads
