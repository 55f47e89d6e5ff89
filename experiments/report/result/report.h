// Results of a measuring command, before they are printed or written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "experiments/config/keys/command.h"
#include "experiments/paths/critical_path.h"
#include "rdma/base/histogram.h"
#include "rdma/seam/fabric.h"
#include "txn/check/anomalies/anomaly.h"
#include "workloads/measure/interval_series.h"
#include "workloads/measure/latency_batches.h"
#include "workloads/measure/precision.h"
#include "workloads/measure/survival.h"
#include "workloads/run/cluster_run.h"
#include "workloads/run/resources/utilization.h"

namespace verbena::experiments {

/// Handlers' work for one phase of transactions, see txn::Served. Means are per call.
struct ServedPhase {
  std::string phase;
  std::uint64_t calls = 0;
  double busy_ns = 0;
  double request_bytes = 0;
  double reply_bytes = 0;
};

/// Number of intervals in which the course over time is shown.
inline constexpr std::size_t kShownIntervals = 60;

/// One measurement.
struct Measurement {
  std::string name;             ///< "drtmh/smallbank", "bench read"
  double seconds = 0;           ///< measured time of the fabric
  double throughput_per_s = 0;  ///< committed transactions or completed operations of the cluster
  double carried_gbps = 0;      ///< of bench: payload in both directions
  /// Number of nodes with each role, by its name, in the cluster of a run; empty where all are
  /// alike.
  std::map<std::string, std::uint32_t> nodes_by_role;
  /// Rate per node that computed to the end, of run; 0 where all nodes are alike and none died.
  double per_computing_node_per_s = 0;
  std::uint32_t computing_nodes = 0;  ///< of run: nodes of this process that began computing
  std::uint32_t lasting_nodes = 0;    ///< of these, nodes that have not died
  double per_client_per_s = 0;        ///< of bench: rate per node that sends requests
  double per_server_per_s = 0;        ///< of bench: rate per node that requests reach
  std::uint64_t committed = 0;        ///< in the measured time
  std::uint64_t rolled_back = 0;      ///< of run: by the application, or given up, in that time
  Nanoseconds rolling_back = 0;       ///< of run: sum of their latencies
  std::map<std::string, std::uint64_t> aborted;  ///< by cause; empty for bench
  Histogram latency;                             ///< in nanoseconds
  workloads::LatencyBatches latency_batches;     ///< of `latency`, over the measured time
  workloads::IntervalSeries series;              ///< over the measured time
  workloads::Precision precision;
  workloads::WindowEnd ended_by = workloads::WindowEnd::kTime;  ///< of run
  std::uint64_t most_memory_bytes = UINT64_MAX;                 ///< of run: its limit
  /// Relative half-width of the means' intervals that was asked for, where the run went on until it
  /// was reached.
  std::optional<double> goal;
  workloads::Survival survival;  ///< of run: `latency` corrected for transactions in flight
  Histogram in_flight;        ///< of run: ages, at the end, of what was in flight, in nanoseconds
  std::uint64_t backlog = 0;  ///< of `in_flight`, those that were due but had not begun
  Nanoseconds in_flight_until = 0;  ///< time after the end by which all those begun had ended
  double offered_per_s = 0;         ///< of run: due transactions, see --rate; 0: a closed loop
  std::vector<NodeId> died;         ///< of run: nodes that others have found dead
  std::vector<workloads::ProcessPart> processes;  ///< of a cluster's run: the processes summed up
  std::uint64_t given_up = 0;  ///< of run: transactions that need data of dead nodes
  std::string given_up_for;    ///< reason of one of these
  std::vector<std::pair<std::string, Histogram>> phases;
  std::vector<std::string> phases_after_latency;         ///< of these, those outside latency
  std::vector<ServedPhase> served;                       ///< only of phases with calls
  std::vector<std::pair<std::string, Histogram>> times;  ///< of run: txn::Metrics::times
  std::map<std::string, std::uint64_t> committed_by_kind;
  std::map<std::string, Nanoseconds> latency_by_kind;  ///< their latencies, summed
  std::map<std::string, double> squares_by_kind;       ///< their squared latencies, summed; in ns^2
  std::map<std::string, std::uint64_t> counters;       ///< of the software, in the measured time
  std::map<std::string, std::uint64_t> nic_counters;   ///< summed over NICs, in the measured time
  workloads::Utilization utilization;                  ///< in the measured time
  Nanoseconds retrying = 0;                            ///< of run: RunResult::retrying
  std::optional<CriticalPath> critical_path;           ///< of run, if asked for
  bool ignores_conflicts = false;  ///< of run: the system does not promise isolation
  std::uint64_t total = 0;         ///< operations or transactions since the start
  std::uint64_t total_verbs = 0;   ///< requests of NICs since the start; 0 where not counted
};

/// Result of the checks after a run.
struct Verdict {
  std::string summary;                       ///< what was checked
  std::vector<std::string> errors;           ///< one line each; empty: all checks passed
  std::optional<txn::Anomaly> anomaly = {};  ///< anomaly in what clients saw; also among the errors
  std::vector<std::string> tables = {};      ///< names of the anomaly's tables, by TableId
};

/// The results of a whole command.
struct Report {
  ConfigurationRecord record;
  std::string configuration;  ///< one line for people
  std::uint32_t nodes = 1;
  std::uint64_t seed = 1;
  /// The only node that the report is about, in a process of a cluster of several.
  std::optional<NodeId> of_node = {};
  Nanoseconds warm_up = 0;
  bool partial = false;        ///< it was interrupted before the end of the measured time
  bool finds_warm_up = false;  ///< the run determined its warm-up itself
  std::vector<Measurement> measurements = {};
  std::optional<Verdict> verdict = {};  ///< nothing when verification was not asked for
  double sim_seconds = 0;               ///< simulated time without set-up; 0 on hardware
  double wall_seconds = 0;
  double setup_wall_seconds = 0;
  std::uint64_t peak_rss_bytes = 0;
  std::uint64_t trace_digest = 0;                     ///< 0 where runs are not repeatable
  std::vector<rdma::ThreadBound> thread_bounds = {};  ///< see rdma::Fabric

  bool passed() const { return !verdict || verdict->errors.empty(); }
};

/// Number of requests among the counters of NICs.
std::uint64_t verbs_of(const std::map<std::string, std::uint64_t>& nic_counters);

/// Peak resident memory of this process so far.
std::uint64_t peak_resident_bytes();

}  // namespace verbena::experiments
