// The part of the table of settings that is run's.
#include "experiments/config/run_settings.h"

#include <fmt/format.h>

#include "experiments/config/catalog.h"
#include "experiments/config/units.h"
#include "rdma/base/errors.h"
#include "txn/plan/plan.h"

namespace verbena::experiments {
namespace {

std::string check_plan(const std::string& text) {
  if (text.empty()) return "expected PHASE=PRIMITIVE or PHASE.OPTION=on|off";
  try {
    txn::changed({}, text);
  } catch (const ConfigurationError& error) {
    return printable(error.what(), 400);
  }
  return "";
}

std::string check_warehouses(const std::string& text) {
  const auto number = parse_whole(text);
  return text == kAutomatic || (number && *number >= 1 && *number <= kMostWarehouses)
             ? ""
             : fmt::format("expected a whole number from 1 to {}, or auto", kMostWarehouses);
}

std::string check_percent(const std::string& text) {
  const auto number = parse_whole(text);
  return text == kAutomatic || (number && *number <= 100)
             ? ""
             : "expected a whole number from 0 to 100, or auto";
}

}  // namespace

std::vector<Setting> run_settings() {
  return {
      {.name = "system",
       .placeholder = "NAME",
       .help = "transaction system, `verbena list systems` has them, or the path of a TOML file "
               "that is one",
       .target = &Options::system,
       .commands = kForRun,
       .choices = system_names(),
       .file_too = true},
      {.name = "plan",
       .placeholder = "PHASE=PRIMITIVE,...",
       .help = "changes of the system's phases: PHASE=one-sided|two-sided|hybrid or "
               "PHASE.OPTION=on|off, e.g. commit=two-sided,commit.passive_ack=off",
       .target = &Options::plan,
       .commands = kForRun,
       .check = check_plan},
      {.name = "workload",
       .placeholder = "NAME",
       .help = "what the transactions do",
       .target = &Options::workload,
       .commands = kForRun,
       .choices = workload_names()},
      {.name = "warehouses",
       .placeholder = "N|auto",
       .help = "of TPC-C, in the whole cluster, a multiple of --nodes; auto: one per worker",
       .target = &Options::warehouses,
       .commands = kForRun,
       .check = check_warehouses},
      {.name = "remote-percent",
       .placeholder = "P|auto",
       .help = "of TPC-C: order lines, and payments, of another warehouse; auto: as in the "
               "standard, and all order lines of tpcc-no",
       .target = &Options::remote_percent,
       .commands = kForRun,
       .check = check_percent},
      {.name = "replicas",
       .placeholder = "N",
       .help = "copies of every record, the primary included",
       .target = &Options::replicas,
       .commands = kForRun,
       .minimum = 1,
       .maximum = 16},
  };
}

}  // namespace verbena::experiments
