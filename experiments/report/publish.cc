// What all commands that measure do at their end.
#include "experiments/report/publish.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <stdexcept>

#include "experiments/config/units.h"
#include "experiments/report/exit_code.h"
#include "experiments/report/json_report.h"
#include "experiments/report/table_report.h"
#include "rdma/base/errors.h"

namespace verbena::experiments {

std::FILE* stream_for_people(const OutputOptions& output) {
  return output.json == "-" || output.trace == "-" ? stderr : stdout;
}

Publisher::Publisher(const OutputOptions& output) : people_(stream_for_people(output)) {
  if (!output.json.empty()) json_.emplace(output.json);
}

double Publisher::elapsed_seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

int Publisher::publish(Report report) const {
  report.wall_seconds = elapsed_seconds();
  report.peak_rss_bytes = peak_resident_bytes();
  const bool printed =
      std::fputs(table_text(report).c_str(), people_) >= 0 && std::fflush(people_) == 0;
  const int error = errno;
  // Results are not lost because nobody reads the table.
  if (json_) json_->commit(json_document(report));
  if (!printed)
    throw std::runtime_error(fmt::format(
        "{}: {}", people_ == stdout ? "standard output" : "standard error", std::strerror(error)));
  if (report.passed()) return kSuccess;
  std::fputs(fmt::format("verbena: verification failed: {}; again: {}\n",
                         report.verdict->errors.front(), report.record.command_line())
                 .c_str(),
             stderr);
  return kNotVerified;
}

void check_measured(Nanoseconds duration, const Measurement& measurement) {
  if (measurement.committed != 0) return;
  const std::string what =
      fmt::format("--duration {}: nothing completed in that time", format_duration(duration));
  if (measurement.total == 0) throw NotMeasured(what + ", nor before or after it");
  if (measurement.in_flight_until > 0) {
    throw NotMeasured(fmt::format("{}; what was in flight ended {} later: try {} or longer", what,
                                  format_duration(measurement.in_flight_until),
                                  format_duration(4 * (duration + measurement.in_flight_until))));
  }
  throw NotMeasured(
      fmt::format("{}; try a longer one, such as {}", what, format_duration(10 * duration)));
}

}  // namespace verbena::experiments
