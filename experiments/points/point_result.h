// Results that are kept of one measured point.
#pragma once

#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace verbena::experiments {

/// A 95 % interval by its ends.
struct Interval95 {
  double low = 0;
  double high = 0;
};

/// Results of one phase of a run's transactions; NaN where there is nothing.
struct PhaseResult {
  double p50_us = std::numeric_limits<double>::quiet_NaN();
  double mean_us = std::numeric_limits<double>::quiet_NaN();
  double count = 0;
  bool after_latency = false;  ///< it comes when a transaction's latency has ended
  std::optional<Interval95> p50_interval_us = {};
  std::optional<Interval95> mean_interval_us = {};
  double handler_ns = std::numeric_limits<double>::quiet_NaN();     ///< busy, per call
  double payload_bytes = std::numeric_limits<double>::quiet_NaN();  ///< request and reply
};

/// Results of one kind of a run's transactions.
struct KindResult {
  double throughput_per_s = 0;
  double mean_us = std::numeric_limits<double>::quiet_NaN();  ///< NaN where none was committed
  std::optional<Interval95> mean_interval_us = {};
};

/// A 95 % interval that a run tells of itself.
struct OwnInterval {
  double half_width = 0;
  double degrees_of_freedom = 0;  ///< of Student's t, by which half_width was made
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
  std::string command_line;  ///< that repeats it, or its series
  double throughput_per_s = 0;
  double wall_seconds = 0;  ///< that measuring it took
  double nodes = 0;
  double computing_nodes = 0;  ///< all of a bench, and of a run whose nodes are alike
  double attempts = 0;         ///< committed and aborted
  double aborted = 0;
  double p50_us = 0, p90_us = 0, p99_us = 0, p999_us = 0;  ///< NaN where they are withheld
  double mean_us = 0, max_us = 0;
  double per_client_per_s = 0;  ///< of bench, as Measurement has them
  double per_server_per_s = 0;
  /// Nothing where there is too little to say.
  std::optional<OwnInterval> throughput_interval;
  std::optional<OwnInterval> mean_interval_us;
  std::optional<OwnInterval> abort_share_interval;
  std::map<std::string, Interval95> percentile_intervals_us;  ///< "p99"; only known ones
  /// Its intervals are too narrow to compare it by: of bench, since much of what its requests meet
  /// is the same in the whole of a measurement, and other seeds have others meet.
  bool of_its_seed = false;
  /// The end of a run that went on until it is precise: "precision", "max-duration",
  /// "max-commits"; else empty.
  std::string ended_by;
  double measured_seconds = 0;                ///< simulated, without warm-up
  bool steady = true;                         ///< false: intervals promise too much
  std::string bound_by;                       ///< a resource, "latency" ...; empty: not told
  std::optional<double> in_flight;            ///< at the end of the measurement
  bool conflicts_ignored = false;             ///< of run: what it committed is not serializable
  std::map<std::string, std::string> values;  ///< what tells it from others of its document
  std::map<std::string, PhaseResult> phases;  ///< of run, by the system's names
  std::map<std::string, PhaseResult> times;   ///< of run, the same of what is no phase
  /// In a run whose nodes differ in their roles: the mean share of the time in which a resource of
  /// a role's nodes was busy, by role (txn::role_name), then kind ("cores", "ports").
  std::map<std::string, std::map<std::string, double>> busy_by_role;
  std::map<std::string, KindResult> kinds;  ///< of run, by the workload's names
  std::string document;  ///< the whole, as it was written (docs/reference/documents.md)
  std::string measured;  ///< of parse_results: its own part but `values`
};

/// Reads the only result of a document (docs/reference/documents.md). Throws std::runtime_error
/// when it is none.
PointResult parse_point_result(const std::string& json_text);

/// Reads all results of a document, which are several where it is of a series; none of them keeps
/// the document. Of a series only the digest of the whole is known.
std::vector<PointResult> parse_results(const std::string& json_text);

}  // namespace verbena::experiments
