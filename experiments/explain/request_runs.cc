// Here, or in copies of the process.
#include "experiments/explain/request_runs.h"

#include <fmt/format.h>

#include <cstdint>
#include <sstream>
#include <stdexcept>

#include "experiments/explain/call_charges.h"
#include "rdma/base/errors.h"
#include "simnic/world/child_process.h"

namespace verbena::experiments {
namespace {

using Rows = std::vector<StationCharge>;

/// A line each, which rows_in() takes back: numbers, then names up to a tab.
std::string lines_of(const Rows& rows) {
  std::string text;
  for (const StationCharge& row : rows) {
    text += fmt::format("{} {} {}\t{}\n", row.latency.count(), row.service.count(), row.stage,
                        row.station);
  }
  return text;
}

Rows rows_in(const std::string& text) {
  Rows rows;
  std::istringstream lines(text);
  std::int64_t latency = 0;
  std::int64_t service = 0;
  while (lines >> latency >> service) {
    StationCharge row;
    row.latency = Picoseconds(latency);
    row.service = Picoseconds(service);
    lines.get();
    std::getline(lines, row.stage, '\t');
    std::getline(lines, row.station);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

RequestRuns::RequestRuns(const ExplainCommand& command) : command_(command) {
  const std::string& platform = command.fabric.platform;
  if (platform.empty()) return;
  platform_ = std::make_unique<simnic::LoadedPlatform>(platform, command.cluster.nodes);
}

RequestCharges RequestRuns::run(const ExplainCommand& command, simnic::Observer* also) const {
  return command.is_call() ? charge_call(command, also, platform_.get())
                           : charge_request(command, also, platform_.get());
}

Rows RequestRuns::rows_of(const ExplainCommand& command) const {
  const auto rows = [&] {
    try {
      return run(command, nullptr).charges;
    } catch (const ConfigurationError&) {
      return Rows();
    } catch (const PeerMissing&) {
      return Rows();
    }
  };
  if (platform_ == nullptr) return rows();
  const simnic::ChildWork run =
      simnic::work_in_child([&](int output) { simnic::write_all(output, lines_of(rows())); });
  if (!run.succeeded) {
    throw std::runtime_error("a run of the request with another constant ended with: " +
                             run.output);
  }
  return rows_in(run.output);
}

RequestCharges RequestRuns::run_last(simnic::Observer* also) { return run(command_, also); }

}  // namespace verbena::experiments
