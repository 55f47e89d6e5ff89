// Rows from plans.
#include "experiments/reproduce/figure/comparison.h"

#include <fmt/format.h>

#include <cstddef>
#include <utility>

#include "experiments/report/text/system_tables.h"
#include "experiments/reproduce/figure/chain_table.h"
#include "txn/plan/plan.h"

namespace verbena::experiments {
namespace {

using txn::PhasePlan;
using txn::Plan;

Comparison systems() {
  Comparison table{.columns = {"RW E", "RW V", "RW L", "RW C", "RO R", "RO V"}, .rows = {}};
  for (const std::string& name : txn::plan_names()) {
    const PrimitiveRow row = primitive_row(txn::plan_preset(name));
    table.rows.push_back(
        {name, {row.execute, row.validate, row.log, row.commit, row.read, row.read_validate}, {}});
  }
  return table;
}

Comparison optimizations() {
  constexpr const char* kOneByOne = "execute.outstanding=off,read.outstanding=off";
  const Plan one = txn::changed(txn::plan_preset("one-sided"), kOneByOne);
  const Plan two = txn::changed(txn::plan_preset("two-sided"), kOneByOne);
  const std::pair<const char*, PhasePlan Plan::*> phases[] = {
      {"RW E", &Plan::execute}, {"RW V", &Plan::lock}, {"RW L", &Plan::log},
      {"RW C", &Plan::commit},  {"RO R", &Plan::read}, {"RO V", &Plan::read_validate}};
  Comparison table{.columns = {"OR I", "OR II", "DB I", "DB II", "PA I", "PA II"}, .rows = {}};
  for (const auto& [name, phase] : phases) {
    ComparedRow row{name, {}, {}};
    const auto add = [&](bool first, bool second) {
      row.ours.emplace_back(first ? "yes" : "no");
      row.ours.emplace_back(second ? "yes" : "no");
    };
    add((one.*phase).outstanding, (two.*phase).outstanding);
    add((one.*phase).doorbell, (two.*phase).doorbell);
    add((one.*phase).passive, (two.*phase).passive);
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

const std::vector<std::string>& comparison_names() {
  static const std::vector<std::string> names = {"systems", "optimizations", "chains"};
  return names;
}

Comparison our_table(const std::string& name) {
  if (name == "chains") return chain_table();
  return name == "systems" ? systems() : optimizations();
}

std::vector<std::string> differences(const Comparison& comparison) {
  std::vector<std::string> found;
  for (const ComparedRow& row : comparison.rows) {
    for (std::size_t i = 0; i < row.published.size(); ++i) {
      if (row.ours[i] == row.published[i]) continue;
      found.push_back(fmt::format("{}, {}: {}, published {}", row.name, comparison.columns[i],
                                  row.ours[i], row.published[i]));
    }
  }
  return found;
}

}  // namespace verbena::experiments
