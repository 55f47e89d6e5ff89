// Shares in percent.
#include "experiments/report/text/busy_text.h"

#include <fmt/format.h>

#include <cstddef>

#include "rdma/seam/work.h"

namespace verbena::experiments {
namespace {

using workloads::CoresUse;
using workloads::RoleUse;
using workloads::StationsUse;
using workloads::Utilization;

double percent(double share) { return 100 * share; }

std::string label_of(const RoleUse& role) {
  return fmt::format("  {} {}", role.nodes, txn::role_name(role.role));
}

std::string busy_text(const CoresUse& cores, const std::vector<StationsUse>& stations) {
  std::string text =
      fmt::format("worker cores {:.0f}/{:.0f} %", percent(cores.mean), percent(cores.most));
  constexpr double kWorthTelling = 0.005;
  for (const StationsUse& kind : stations) {
    if (kind.most < kWorthTelling) continue;
    text += fmt::format(", {} {:.0f}/{:.0f} %", kind.kind, percent(kind.mean), percent(kind.most));
  }
  return text;
}

std::string core_time_text(const CoresUse& cores) {
  std::string text;
  for (std::size_t i = 0; i < rdma::kActivities; ++i) {
    if (cores.shares[i] < 0.0005) continue;
    text += fmt::format("{} {:.1f} %, ", rdma::activity_name(static_cast<rdma::Activity>(i)),
                        percent(cores.shares[i]));
  }
  return text + fmt::format("waiting {:.1f} %", percent(cores.waiting));
}

}  // namespace

LabelledLines busy_lines(const Utilization& use) {
  LabelledLines lines = {{"busy", busy_text(use.cores, use.stations) + " (mean/most)"}};
  for (const RoleUse& role : use.roles) {
    lines.emplace_back(label_of(role), busy_text(role.cores, role.stations));
  }
  return lines;
}

LabelledLines core_time_lines(const Utilization& use) {
  LabelledLines lines = {{"core time", core_time_text(use.cores)}};
  for (const RoleUse& role : use.roles) {
    lines.emplace_back(label_of(role), core_time_text(role.cores));
  }
  return lines;
}

std::string nodes_text(const RoleUse& role) {
  switch (role.role) {
    case txn::Role::kBoth:
      return "servers that compute and keep";
    case txn::Role::kCompute:
      return "compute servers";
    case txn::Role::kMemory:
      return "memory servers";
    case txn::Role::kOracle:
      return role.nodes == 1 ? "the oracle" : "oracles";
  }
  return "";
}

std::string cores_work_text(const Utilization& use) {
  if (use.roles.empty()) {
    return fmt::format("cores work {:.1f} % of the time (the busiest {:.1f} %)",
                       percent(use.cores.mean), percent(use.cores.most));
  }
  std::string text;
  for (const RoleUse& role : use.roles) {
    text +=
        fmt::format("{} of {} {}{:.1f} %{} (the busiest {:.1f} %)", text.empty() ? "cores" : ",",
                    nodes_text(role), text.empty() ? "work " : "", percent(role.cores.mean),
                    text.empty() ? " of the time" : "", percent(role.cores.most));
  }
  return text;
}

}  // namespace verbena::experiments
