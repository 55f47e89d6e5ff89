// The end of all commands that measure.
#include "experiments/report/publish.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <stdexcept>

#include "experiments/config/keys/units.h"
#include "experiments/report/exit_code.h"
#include "experiments/report/json_report.h"
#include "experiments/report/text/death_text.h"
#include "experiments/report/text/outage_text.h"
#include "experiments/report/text/precision_text.h"
#include "experiments/report/text/table_report.h"
#include "experiments/report/text/unfinished_text.h"
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

// Goes on even if people cannot read it: the error comes anyway.
void Publisher::tell_unfinished(const std::vector<workloads::Unfinished>& unfinished) const {
  if (unfinished.empty()) return;
  std::fputs(unfinished_text(unfinished).c_str(), people_);
  std::fflush(people_);
}

void Publisher::publish_unfinished(const char* error,
                                   const std::vector<workloads::Unfinished>& unfinished) const {
  tell_unfinished(unfinished);
  if (json_ && !unfinished.empty()) json_->commit(unfinished_document(error, unfinished));
}

namespace {

// Several times as long, in one digit.
std::string longer(Nanoseconds duration) {
  std::int64_t digit = 1;
  while (digit * 10 <= 5 * duration.count()) digit *= 10;
  return format_duration(Nanoseconds((5 * duration.count() / digit + 1) * digit));
}

}  // namespace

void check_measured(Nanoseconds duration, const Measurement& measurement) {
  if (measurement.committed != 0) return;
  std::string what =
      fmt::format("nothing completed in the {} that were measured", time_text(duration));
  if (is_disturbed_by_outage(measurement)) what += "; " + links_down_text(measurement);
  if (measurement.total == 0) throw NotMeasured(what + ", nor before or after it");
  if (!measurement.died.empty()) {
    throw NotMeasured(fmt::format("{}; {}", what, died_text(measurement.died)));
  }
  if (measurement.in_flight_until > 0) {
    throw NotMeasured(fmt::format(
        "{}; what was in flight ended {} later: try --duration {} or longer", what,
        time_text(measurement.in_flight_until), longer(duration + measurement.in_flight_until)));
  }
  throw NotMeasured(
      fmt::format("{}; try a longer time, such as --duration {}", what, longer(duration)));
}

}  // namespace verbena::experiments
