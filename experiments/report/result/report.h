// Findings of a command that measures, before they are printed or written.
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
#include "txn/check/anomalies/anomaly.h"
#include "workloads/measure/interval_series.h"
#include "workloads/measure/latency_batches.h"
#include "workloads/measure/precision.h"
#include "workloads/measure/survival.h"
#include "workloads/run/cluster_run.h"
#include "workloads/run/resources/utilization.h"

namespace verbena::experiments {

/// Work of handlers for one phase of transactions, see txn::Served; means per call.
struct ServedPhase {
  std::string phase;
  std::uint64_t calls = 0;
  double busy_ns = 0;
  double request_bytes = 0;
  double reply_bytes = 0;
};

/// Into which what happened over time is cut to be shown.
inline constexpr std::size_t kShownIntervals = 60;

/// One measurement.
struct Measurement {
  std::string name;             ///< "drtmh/smallbank", "bench read"
  double seconds = 0;           ///< measured, of the fabric's time
  double throughput_per_s = 0;  ///< of the cluster: committed transactions, completed operations
  double carried_gbps = 0;      ///< of bench: payload, there and back
  /// Nodes of a run's cluster that have a role, by its name; empty where all are alike.
  std::map<std::string, std::uint32_t> nodes_by_role;
  /// Rate of a node that computed to the end, of run; 0 where nodes are alike, and all did.
  double per_computing_node_per_s = 0;
  std::uint32_t computing_nodes = 0;  ///< of run: those of this process that began to
  std::uint32_t lasting_nodes = 0;    ///< of these, those that have not died
  double per_client_per_s = 0;        ///< of bench: of one of the nodes that send requests
  double per_server_per_s = 0;        ///< of bench: of one of the nodes that requests reach
  std::uint64_t committed = 0;        ///< in the measured time
  std::uint64_t rolled_back = 0;      ///< of run: by the application, or given up, in that time
  Nanoseconds rolling_back = 0;       ///< of run: their latencies, summed
  std::map<std::string, std::uint64_t> aborted;  ///< by cause; bench has none
  Histogram latency;                             ///< nanoseconds
  workloads::LatencyBatches latency_batches;     ///< of these, over the measured time
  workloads::IntervalSeries series;              ///< over the measured time
  workloads::Precision precision;
  bool precise = false;         ///< of run: it ended because its means were as precise as `goal`
  bool out_of_commits = false;  ///< of run: it ended because of --max-commits
  /// Where the run went on until means were precise: half of the width that was asked for, of the
  /// mean.
  std::optional<double> goal;
  workloads::Survival survival;  ///< of run: `latency` with what was in flight taken into account
  Histogram in_flight;  ///< of run: ages at the end of what had begun and not ended, nanoseconds
  std::uint64_t backlog = 0;        ///< of these, those that were due and had not begun
  Nanoseconds in_flight_until = 0;  ///< after the end; then the last of those begun had ended
  double offered_per_s = 0;         ///< of run: what was due, see --rate; 0: a closed loop
  std::vector<NodeId> died;         ///< of run: nodes, as others have found out
  std::vector<workloads::ProcessPart> processes;  ///< of a cluster's run: of these it is the sum
  std::uint64_t given_up = 0;  ///< of run: transactions that need what these have left
  std::string given_up_for;    ///< what that was for one of them
  std::vector<std::pair<std::string, Histogram>> phases;
  std::vector<std::string> phases_after_latency;  ///< of these, those that latency leaves out
  std::vector<ServedPhase> served;                ///< of phases with calls
  std::vector<std::pair<std::string, Histogram>> times;  ///< of run: txn::Metrics::times
  std::map<std::string, std::uint64_t> committed_by_kind;
  std::map<std::string, Nanoseconds> latency_by_kind;  ///< of these, summed
  std::map<std::string, double> squares_by_kind;       ///< of these in ns, their squares summed
  std::map<std::string, std::uint64_t> counters;       ///< of the software, in the measured time
  std::map<std::string, std::uint64_t> nic_counters;   ///< summed over NICs, in the measured time
  workloads::Utilization utilization;                  ///< in the measured time
  Nanoseconds retrying = 0;                            ///< of run: RunResult::retrying
  std::optional<CriticalPath> critical_path;           ///< of run, on request
  bool ignores_conflicts = false;  ///< of run: the system promises nothing of isolation
  std::uint64_t total = 0;         ///< operations or transactions since the start
  std::uint64_t total_verbs = 0;   ///< requests of NICs since the start; 0 where they do not tell
};

/// Verdict of the checks after a run.
struct Verdict {
  std::string summary;                       ///< what was checked
  std::vector<std::string> errors;           ///< one line each; empty: all holds
  std::optional<txn::Anomaly> anomaly = {};  ///< of what clients saw, which is among the errors
  std::vector<std::string> tables = {};      ///< names of the anomaly's tables, by TableId
};

/// A whole command.
struct Report {
  ConfigurationRecord record;
  std::string configuration;  ///< one line for people
  std::uint32_t nodes = 1;
  std::uint64_t seed = 1;
  /// Node that it is of alone, in a process of a cluster of several.
  std::optional<NodeId> of_node = {};
  Nanoseconds warm_up = 0;
  bool partial = false;        ///< it was interrupted, and measured less than it was asked for
  bool finds_warm_up = false;  ///< the run found out itself how long that has to be
  std::vector<Measurement> measurements = {};
  std::optional<Verdict> verdict = {};  ///< nothing when no verification was asked for
  double sim_seconds = 0;               ///< of simulated time, set-up excluded; 0 on hardware
  double wall_seconds = 0;
  double setup_wall_seconds = 0;
  std::uint64_t peak_rss_bytes = 0;
  std::uint64_t trace_digest = 0;  ///< 0 where runs are not repeatable

  bool passed() const { return !verdict || verdict->errors.empty(); }
};

/// Requests among the counters of NICs.
std::uint64_t verbs_of(const std::map<std::string, std::uint64_t>& nic_counters);

/// The largest amount of memory that this process has had resident so far.
std::uint64_t peak_resident_bytes();

}  // namespace verbena::experiments
