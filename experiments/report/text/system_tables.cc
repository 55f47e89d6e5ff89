// Rows from plans.
#include "experiments/report/text/system_tables.h"

#include <fmt/format.h>

#include <utility>

#include "experiments/report/text/text_table.h"

namespace verbena::experiments {
namespace {

using txn::PhasePlan;
using txn::Plan;
using txn::Primitive;

using Row = std::vector<std::string>;

std::string numeral(const PhasePlan& phase) {
  switch (phase.primitive) {
    case Primitive::kOneSided:
      return "I";
    case Primitive::kTwoSided:
      return "II";
    case Primitive::kHybrid:
      return "I/II";
  }
  return "";
}

std::string validation(const Plan& plan) {
  if (plan.lock_in_execution || plan.lock.primitive == Primitive::kHybrid) {
    return numeral(plan.lock_in_execution ? plan.validate : plan.lock);
  }
  const bool both_calls = plan.lock.primitive == Primitive::kTwoSided &&
                          plan.validate.primitive == Primitive::kTwoSided;
  return both_calls ? "II" : numeral(plan.lock) + "+" + numeral(plan.validate);
}

std::string mark(bool on) { return on ? "yes" : "-"; }

std::vector<Plan> all_plans() {
  std::vector<Plan> plans;
  const std::vector<std::string> names = txn::plan_names();
  plans.reserve(names.size());
  for (const std::string& name : names) plans.push_back(txn::plan_preset(name));
  return plans;
}

}  // namespace

PrimitiveRow primitive_row(const Plan& plan) {
  const std::string commit = numeral(plan.commit);
  return {.execute = numeral(plan.execute),
          .validate = validation(plan),
          .log = numeral(plan.log),
          .commit = commit == "I" ? "I+I" : commit,
          .read = numeral(plan.read),
          .read_validate = numeral(plan.read_validate)};
}

std::string systems_table() {
  std::vector<Row> rows{{"", "RW-TX", "", "", "", "RO-TX", "", "", "", "", ""},
                        {"system", "E", "V", "L", "C", "R", "V", "cache", "speculation",
                         "passive ACK", "locks in E"}};
  for (const Plan& plan : all_plans()) {
    const PrimitiveRow row = primitive_row(plan);
    rows.push_back({plan.name, row.execute, row.validate, row.log, row.commit, row.read,
                    row.read_validate, mark(plan.location_cache), mark(plan.execute.outstanding),
                    mark(plan.commit.passive), mark(plan.lock_in_execution)});
  }
  return aligned(rows, rows[0].size()) +
         "\nI one-sided, II two-sided, I/II whichever suits. E execution, V validation (locks, "
         "then "
         "the read set), L logging,\nC commit, R read; speculation: a transaction's reads are in "
         "flight at once.\n";
}

std::string plans_table() {
  std::vector<Row> rows{{"system", "phase", "primitive", "OR", "DB", "CO", "PA"}};
  for (const Plan& plan : all_plans()) {
    const std::pair<const char*, const PhasePlan*> phases[] = {
        {"RW execute", &plan.execute},       {"RW lock", &plan.lock},
        {"RW validate", &plan.validate},     {"RW log", &plan.log},
        {"RW commit", &plan.commit},         {"RO read", &plan.read},
        {"RO validate", &plan.read_validate}};
    for (const auto& [name, phase] : phases) {
      rows.push_back({plan.name, name, txn::primitive_name(phase->primitive),
                      mark(phase->outstanding), mark(phase->doorbell), "yes",
                      mark(phase->passive)});
    }
  }
  return aligned(rows, rows[0].size()) +
         "\nOR outstanding requests, DB doorbell batching, CO coroutines, PA passive "
         "acknowledgement\n";
}

}  // namespace verbena::experiments
