// From a finished report to the table, the JSON file and the exit code.
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

/// Standard output; standard error where a document goes to standard output.
std::FILE* stream_for_people(const OutputOptions& output);

/// Made before a measurement starts, so that a result file that cannot be written is refused then;
/// takes the wall time from there.
class Publisher {
 public:
  /// Throws ConfigurationError for a result file that cannot be written.
  explicit Publisher(const OutputOptions& output);

  double elapsed_seconds() const;

  /// Adds wall time and peak memory to the report, writes the JSON file, prints the table for
  /// people; returns kNotVerified when the verification failed.
  int publish(Report report) const;

  /// Tells people, by a table, which transactions a run left that failed. Without any it does
  /// nothing.
  void tell_unfinished(const std::vector<workloads::Unfinished>& unfinished) const;

  /// Tells the same, and writes it as the JSON file, with the `error` by which the run failed.
  /// Without any it does nothing.
  void publish_unfinished(const char* error,
                          const std::vector<workloads::Unfinished>& unfinished) const;

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::optional<OutputFile> json_;
  std::FILE* people_;
};

/// A command that was right, and came to its end, but has nothing to show.
class NotMeasured : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throws NotMeasured, with advice where there is any, when nothing completed in the measured time,
/// `duration`.
void check_measured(Nanoseconds duration, const Measurement& measurement);

}  // namespace verbena::experiments
