// Results of one measured point.
#pragma once

#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace verbena::experiments {

/// The ends of a 95 % interval.
struct Interval95 {
  double low = 0;
  double high = 0;
};

/// Results of one phase of a run's transactions; NaN where there are none.
struct PhaseResult {
  double p50_us = std::numeric_limits<double>::quiet_NaN();
  double mean_us = std::numeric_limits<double>::quiet_NaN();
  double count = 0;
  bool after_latency = false;  ///< the phase comes after the end of a transaction's latency
  std::optional<Interval95> p50_interval_us = {};
  std::optional<Interval95> mean_interval_us = {};
  double handler_ns = std::numeric_limits<double>::quiet_NaN();     ///< busy time per call
  double payload_bytes = std::numeric_limits<double>::quiet_NaN();  ///< of request and reply
};

/// Results of one kind of transactions of a run.
struct KindResult {
  double throughput_per_s = 0;
  double mean_us = std::numeric_limits<double>::quiet_NaN();  ///< NaN where none was committed
  std::optional<Interval95> mean_interval_us = {};
};

/// A 95 % interval that a run computes from its own course.
struct OwnInterval {
  double half_width = 0;
  double degrees_of_freedom = 0;  ///< of Student's t in half_width
};

/// Things on which results depend besides settings, of one program.
struct ProgramVersions {
  std::string commit = "unknown";
  std::map<std::string, std::string> libraries;  ///< by name
};

/// One finished point.
struct PointResult {
  ProgramVersions versions;  ///< of the program that measured it
  std::string trace_digest;
  std::string command_line;  ///< repeats the point or its series
  double throughput_per_s = 0;
  double wall_seconds = 0;  ///< wall time of the measurement
  double nodes = 0;
  double computing_nodes = 0;  ///< all nodes of a bench, or of a run whose nodes are alike
  double attempts = 0;         ///< committed and aborted
  double aborted = 0;
  double p50_us = 0, p90_us = 0, p99_us = 0, p999_us = 0;  ///< NaN where they are withheld
  double mean_us = 0, max_us = 0;
  double per_client_per_s = 0;  ///< of bench, see Measurement
  double per_server_per_s = 0;
  /// Intervals; nothing where there is too little data.
  std::optional<OwnInterval> throughput_interval;
  std::optional<OwnInterval> mean_interval_us;
  std::optional<OwnInterval> abort_share_interval;
  std::map<std::string, Interval95> percentile_intervals_us;  ///< by name, "p99"; only known ones
  /// True if its intervals are too narrow for comparisons, as for bench: much of the conditions of
  /// its requests is constant in a measurement and changes with the seed.
  bool of_its_seed = false;
  /// Reason for the end of a run that went on until it was precise: "precision", "max-duration",
  /// "max-commits" or "max-memory"; empty for others.
  std::string ended_by;
  double measured_seconds = 0;                ///< simulated, without warm-up
  bool steady = true;                         ///< false: intervals are narrower than they should be
  std::string bound_by;                       ///< a resource, "latency" ...; empty: unknown
  std::optional<double> in_flight;            ///< at the end of the measurement
  bool conflicts_ignored = false;             ///< of run: what it committed is not serializable
  std::map<std::string, std::string> values;  ///< values that only it has in its document
  std::map<std::string, PhaseResult> phases;  ///< of run, by the system's names of phases
  std::map<std::string, PhaseResult> times;   ///< of run, other times than phases
  /// In a run with several roles, the mean share of time that resources of a role's nodes were
  /// busy, by role (txn::role_name), then by kind ("cores", "ports").
  std::map<std::string, std::map<std::string, double>> busy_by_role;
  std::map<std::string, KindResult> kinds;  ///< of run, by the workload's names
  std::string document;  ///< the whole document as it was written (docs/reference/documents.md)
  std::string measured;  ///< of parse_results: the point's part of it, without `values`
};

/// Reads the single result of a document (docs/reference/documents.md). Throws std::runtime_error
/// when the text is no such document.
PointResult parse_point_result(const std::string& json_text);

/// Reads all results of a document, several for a series. The results do not keep the document. Of
/// a series only the digest of the whole is known.
std::vector<PointResult> parse_results(const std::string& json_text);

}  // namespace verbena::experiments
