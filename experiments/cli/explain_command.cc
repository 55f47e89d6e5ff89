// `verbena explain OPERATION`: where the time of one request on an idle cluster goes.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <iterator>
#include <memory>
#include <optional>

#include "experiments/cli/commands.h"
#include "experiments/config/keys/units.h"
#include "experiments/explain/explanation.h"
#include "experiments/report/exit_code.h"
#include "experiments/report/files/output_file.h"
#include "experiments/report/publish.h"
#include "experiments/report/text/configuration_text.h"
#include "experiments/report/trace_recorder.h"

namespace verbena::experiments {
namespace {

using Text = fmt::memory_buffer;

template <typename... Values>
void add(Text& text, fmt::format_string<Values...> format, Values&&... values) {
  fmt::format_to(std::back_inserter(text), format, std::forward<Values>(values)...);
}

std::string state_text(const std::string& state) {
  if (state == "warm") return "all state on the NICs";
  if (state == "qp-miss") return "a queue pair that is not in the NICs' caches";
  return "nothing in the NICs' caches";
}

void add_cluster(Text& text, const ExplainCommand& command) {
  add(text, "cluster         node 0 to node {}; {}\n", command.cluster.nodes - 1,
      hardware_text(command));
  for (const auto& [key, value] : command.record.overrides) {
    add(text, "                {} = {}\n", key, printable(value));
  }
}

void add_configuration(Text& text, const ExplainCommand& command) {
  if (command.is_call()) {
    add(text, "call            {}{}{} B{}{}, {}; {}\n", command.record.operation,
        command.is_chain() ? " of " : ", ", command.payload,
        command.is_chain() ? "" : " there and back", command.inlined ? ", inline" : "",
        command.doorbell == rdma::Doorbell::kBatched ? "posted with what else a turn sends"
                                                     : "posted at once",
        state_text(command.state));
    return add_cluster(text, command);
  }
  add(text, "request         {} of {} B{}, {}; {}\n", command.record.operation, command.payload,
      command.inlined ? ", inline" : "",
      command.doorbell == rdma::Doorbell::kBatched ? "announced by a doorbell"
                                                   : "written by BlueFlame if it fits",
      state_text(command.state));
  add_cluster(text, command);
}

void add_rows(Text& text, const Explanation& explanation, bool is_call) {
  std::size_t width = 24;
  for (const ExplainedRow& row : explanation.rows) width = std::max(width, row.station.size());
  // The critical path of a call is known, but not what each station does beside it.
  const std::size_t service = is_call ? 0 : 12;
  const std::size_t limit = is_call ? 0 : 10;
  add(text, "\n{:<9} {:<{}} {:>11}{:>{}} {:>7}{:>{}}  {}\n", "stage", "station", width,
      "latency ns", is_call ? "" : "service ns", service, "share", is_call ? "" : "limit M/s",
      limit, "constants");
  for (const ExplainedRow& row : explanation.rows) {
    add(text, "{:<9} {:<{}} {:>11.3f}{:>{}} {:>6.1f}%{:>{}}  {}\n", row.stage, row.station, width,
        row.latency_ns, row.service_ns == 0 ? "" : fmt::format(" {:.3f}", row.service_ns), service,
        100.0 * row.latency_ns / explanation.total_ns,
        row.limit == 0 ? "" : fmt::format("{:.1f}", row.limit), limit,
        fmt::join(row.constants, " "));
  }
  add(text, "{:<9} {:<{}} {:>11.3f}{:>{}} {:>6.1f}%\n", "", "total", width, explanation.total_ns,
      "", service, 100.0);
}

void add_limits(Text& text, const Explanation& explanation) {
  add(text, "\n{:<16} {:<17} {:>11} {:>10}\n", "place", "resource", "busy ns", "limit M/s");
  for (const ExplainedLimit& limit : explanation.limits) {
    add(text, "{:<16} {:<17} {:>11.3f} {:>10.1f}\n", limit.place, limit.resource, limit.busy_ns,
        limit.limit);
  }
}

}  // namespace

int execute(const ExplainCommand& command) {
  std::optional<OutputFile> json;
  if (!command.output.json.empty()) json.emplace(command.output.json);
  const std::unique_ptr<TraceRecorder> trace = make_trace(command);
  const Explanation explanation = explain(command, trace.get());
  if (trace != nullptr) trace->check();
  Text text;
  add_configuration(text, command);
  add_rows(text, explanation, command.is_call());
  add_limits(text, explanation);
  if (!explanation.request_route.empty()) {
    add(text, "\nroute           {}\n", fmt::join(explanation.request_route, " "));
  }
  if (!explanation.response_route.empty()) {
    add(text, "and back        {}\n", fmt::join(explanation.response_route, " "));
  }
  add(text, "again           {}\n", command.record.command_line());
  if (json) json->commit(explanation_document(command, explanation));
  if (trace != nullptr) trace->commit();
  std::fputs(fmt::to_string(text).c_str(), stream_for_people(command.output));
  return kSuccess;
}

}  // namespace verbena::experiments
