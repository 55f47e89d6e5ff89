// Publishes a finished report as table, JSON file and exit code.
#pragma once

#include <chrono>
#include <cstdio>
#include <optional>
#include <stdexcept>
#include <vector>

#include "experiments/config/keys/fabric_command.h"
#include "experiments/report/files/output_file.h"
#include "experiments/report/result/report.h"
#include "workloads/run/unfinished.h"

namespace verbena::experiments {

/// Standard output, or standard error when a document goes to standard output.
std::FILE* stream_for_people(const OutputOptions& output);

/// Publishes reports. Construct it before the measurement: it refuses a result file that cannot be
/// written, and measures wall time from then on.
class Publisher {
 public:
  /// Throws ConfigurationError for a result file that cannot be written.
  explicit Publisher(const OutputOptions& output);

  double elapsed_seconds() const;

  /// Adds wall time and peak memory to the report, writes the JSON file, and prints the table.
  /// Returns kNotVerified when the verification failed, else kSuccess.
  int publish(Report report) const;

  /// Prints a table of the transactions that a failed run left unfinished. Does nothing without
  /// any.
  void tell_unfinished(const std::vector<workloads::Unfinished>& unfinished) const;

  /// Prints the same table, and writes it to the JSON file with the `error` of the run. Does
  /// nothing without any.
  void publish_unfinished(const char* error,
                          const std::vector<workloads::Unfinished>& unfinished) const;

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::optional<OutputFile> json_;
  std::FILE* people_;
};

/// Error of a valid command that completed but measured nothing.
class NotMeasured : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throws NotMeasured, with advice where possible, when nothing completed in the measured time
/// `duration`.
void check_measured(Nanoseconds duration, const Measurement& measurement);

}  // namespace verbena::experiments
