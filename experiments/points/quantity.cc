// The table of quantities.
#include "experiments/points/quantity.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <set>
#include <utility>

#include "experiments/config/keys/units.h"
#include "rdma/base/errors.h"
#include "rdma/base/text/nearest_name.h"
#include "txn/registry/load_system.h"
#include "txn/view.h"
#include "workloads/registry/registry.h"

namespace verbena::experiments {
namespace {

constexpr double kMillion = 1e6;
constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

struct Quantity {
  std::string name;
  const char* unit;
  std::function<double(const PointResult& result)> value;
};

/// Parts of measurements that have quantities of their own.
struct Parts {
  bool transactions = true;
  std::vector<std::string> phases = {};
  std::vector<std::string> times = {};
  std::vector<std::string> roles = {};
  std::vector<std::string> kinds = {};
};

// Adds those that are not there yet.
template <typename Names>
void add_names(const Names& names, std::vector<std::string>& all) {
  for (const auto& name : names) {
    if (std::ranges::find(all, name) == all.end()) all.emplace_back(name);
  }
}

void add_kinds_of(const std::string& workload, std::vector<std::string>& all) {
  const auto made = workloads::workload_factory(workload)->make({.partitions = 1, .workers = 1});
  add_names(made->kinds(), all);
}

Parts all_parts() {
  Parts all{.phases = txn::phases_of_systems(), .times = txn::times_of_systems()};
  for (const txn::Role role : {txn::Role::kCompute, txn::Role::kMemory, txn::Role::kOracle}) {
    all.roles.emplace_back(txn::role_name(role));
  }
  for (const std::string& name : workloads::workload_names()) add_kinds_of(name, all.kinds);
  return all;
}

// None where all nodes are alike.
std::vector<std::string> roles_of(const RunCommand& run) {
  const txn::View view =
      run.loaded_system->place({.nodes = run.cluster.nodes, .replicas = run.run.replicas});
  std::set<std::string> roles;
  for (std::uint32_t node = 0; node < view.nodes(); ++node) {
    roles.insert(txn::role_name(view.role(static_cast<NodeId>(node))));
  }
  if (roles.size() < 2) return {};
  roles.erase(txn::role_name(txn::Role::kBoth));
  return {roles.begin(), roles.end()};
}

Parts parts_of(const std::vector<MeasuringCommand>& points) {
  Parts parts{.transactions = false};
  std::set<std::string> workloads;
  for (const MeasuringCommand& point : points) {
    const RunCommand* const run = point.run();
    if (run == nullptr) continue;
    parts.transactions = true;
    add_names(run->loaded_system->info().phases, parts.phases);
    add_names(run->loaded_system->info().times, parts.times);
    add_names(roles_of(*run), parts.roles);
    if (workloads.insert(run->workload).second) add_kinds_of(run->workload, parts.kinds);
  }
  return parts;
}

void add_phase(const std::string& phase, std::vector<Quantity>& all) {
  const auto add = [&](const char* name, const char* unit, double PhaseResult::*member) {
    all.push_back({phase + name, unit, [phase, member](const PointResult& r) {
                     const auto found = r.phases.find(phase);
                     return found == r.phases.end() ? kNothing : found->second.*member;
                   }});
  };
  add("_p50", "us", &PhaseResult::p50_us);
  add("_mean", "us", &PhaseResult::mean_us);
  add("_handler", "ns", &PhaseResult::handler_ns);
  add("_payload", "B", &PhaseResult::payload_bytes);
}

void add_time(const std::string& time, std::vector<Quantity>& all) {
  const auto add = [&](const char* name, double PhaseResult::*member) {
    all.push_back({time + name, "us", [time, member](const PointResult& r) {
                     const auto found = r.times.find(time);
                     return found == r.times.end() ? kNothing : found->second.*member;
                   }});
  };
  add("_p50", &PhaseResult::p50_us);
  add("_mean", &PhaseResult::mean_us);
}

// A role's kind that the document does not have did nothing.
double busy_share(const PointResult& result, const std::string& role, const std::string& kind) {
  const auto own = result.busy_by_role.find(role);
  if (own == result.busy_by_role.end()) return kNothing;
  const auto found = own->second.find(kind);
  return found == own->second.end() ? 0 : found->second;
}

void add_role(const std::string& role, std::vector<Quantity>& all) {
  constexpr std::pair<const char*, const char*> kKinds[] = {{"cores", "cores"},
                                                            {"units", "processing units"},
                                                            {"pcie_from_host", "PCIe from host"},
                                                            {"pcie_to_host", "PCIe to host"},
                                                            {"ports", "ports"}};
  for (const auto& [name, kind] : kKinds) {
    all.push_back({role + "_" + name, "", [role, kind = std::string(kind)](const PointResult& r) {
                     return busy_share(r, role, kind);
                   }});
  }
}

void add_kind(const std::string& kind, std::vector<Quantity>& all) {
  const auto add = [&](const char* name, const char* unit, double KindResult::*member,
                       double scale) {
    all.push_back({kind + name, unit, [kind, member, scale](const PointResult& r) {
                     const auto found = r.kinds.find(kind);
                     return found == r.kinds.end() ? kNothing : found->second.*member / scale;
                   }});
  };
  add("_throughput", "M/s", &KindResult::throughput_per_s, kMillion);
  add("_latency", "us", &KindResult::mean_us, 1);
}

std::vector<Quantity> make_quantities(const Parts& parts) {
  std::vector<Quantity> all = {
      {"throughput", "M/s", [](const PointResult& r) { return r.throughput_per_s / kMillion; }},
      {"throughput_per_node", "M/s",
       [](const PointResult& r) { return r.throughput_per_s / r.computing_nodes / kMillion; }},
      {"p50", "us", [](const PointResult& r) { return r.p50_us; }},
      {"p90", "us", [](const PointResult& r) { return r.p90_us; }},
      {"p99", "us", [](const PointResult& r) { return r.p99_us; }},
      {"p999", "us", [](const PointResult& r) { return r.p999_us; }},
      {"mean", "us", [](const PointResult& r) { return r.mean_us; }},
  };
  if (parts.transactions) {
    all.push_back({"abort_rate", "", [](const PointResult& r) { return r.aborted / r.attempts; }});
  }
  for (const std::string& phase : parts.phases) add_phase(phase, all);
  for (const std::string& time : parts.times) add_time(time, all);
  for (const std::string& role : parts.roles) add_role(role, all);
  for (const std::string& kind : parts.kinds) add_kind(kind, all);
  return all;
}

const std::vector<Quantity>& quantities() {
  static const std::vector<Quantity> all = make_quantities(all_parts());
  return all;
}

std::vector<std::string> names_of(const std::vector<Quantity>& quantities) {
  std::vector<std::string> names;
  names.reserve(quantities.size());
  for (const Quantity& quantity : quantities) names.push_back(quantity.name);
  return names;
}

// "throughput, ..., and PHASE_p50, ... of execute, log".
std::string names_text(const Parts& parts) {
  const Parts none{.transactions = parts.transactions};
  std::string text = fmt::format("{}", fmt::join(names_of(make_quantities(none)), ", "));
  const auto add = [&](const std::string& of, const std::vector<std::string>& all, Parts one) {
    if (all.empty()) return;
    one.transactions = false;
    std::vector<std::string> names = names_of(make_quantities(one));
    std::erase_if(names, [&](const std::string& name) { return !name.starts_with(of); });
    text += fmt::format("; {} of {}", fmt::join(names, ", "), fmt::join(all, ", "));
  };
  add("PHASE", parts.phases, {.phases = {"PHASE"}});
  add("TIME", parts.times, {.times = {"TIME"}});
  add("ROLE", parts.roles, {.roles = {"ROLE"}});
  add("KIND", parts.kinds, {.kinds = {"KIND"}});
  return text;
}

/// Told of a name that is near to none.
constexpr const char* kAmongOthers =
    "; there are throughput, throughput_per_node, p50, p90, p99, p999, mean, abort_rate, and those "
    "of phases, such as log_p50";

const Quantity& find_quantity(const std::string& name) {
  const auto found = std::find_if(quantities().begin(), quantities().end(),
                                  [&](const Quantity& q) { return name == q.name; });
  if (found != quantities().end()) return *found;
  const std::string near = did_you_mean(name, quantity_names());
  throw ConfigurationError(
      fmt::format("unknown quantity '{}'{}", printable(name), near.empty() ? kAmongOthers : near));
}

}  // namespace

std::vector<std::string> quantity_names() { return names_of(quantities()); }

std::string quantity_unit(const std::string& quantity) { return find_quantity(quantity).unit; }

void check_quantity(const std::string& quantity) { find_quantity(quantity); }

void check_quantity(const std::string& quantity, const std::vector<MeasuringCommand>& points) {
  check_quantity(quantity);
  const Parts parts = parts_of(points);
  const std::vector<std::string> names = names_of(make_quantities(parts));
  if (std::ranges::find(names, quantity) != names.end()) return;
  throw ConfigurationError("is of none of these measurements; there are " + names_text(parts));
}

double quantity_of(const PointResult& result, const std::string& quantity) {
  return find_quantity(quantity).value(result);
}

}  // namespace verbena::experiments
