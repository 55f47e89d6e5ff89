// The needs of workloads that systems have to meet.
#include "workloads/run/check_fits.h"

#include <algorithm>
#include <string>

#include "rdma/base/errors.h"
#include "txn/check/checkers.h"
#include "workloads/audit_kind.h"

namespace verbena::workloads {

void check_fits(const txn::SystemInfo& system, const Workload& workload,
                const RunOptions& options) {
  const auto refuse = [&](const std::string& what) {
    throw ConfigurationError("workload " + workload.name() + " " + what + ", which system '" +
                             system.name + "' cannot");
  };
  const txn::TransactionLimits limits = workload.limits();
  for (const txn::TableDefinition& table : workload.schema()) {
    if (!table.drawn() || system.draws) continue;
    throw ConfigurationError(table.drawn_by + ": draws numbers from records of table " +
                             table.name + ", which system '" + system.name +
                             "' cannot; allowed is one that can, such as nam");
  }
  for (const txn::TableDefinition& table : workload.schema()) {
    if (table.insert_capacity > 0 && !system.inserts) refuse("inserts into table " + table.name);
    if (table.erased && system.isolation == txn::Isolation::kNone) {
      throw ConfigurationError(system.nothing_by + ": workload " + workload.name() +
                               " erases records of table " + table.name +
                               "; allowed are workloads that erase none");
    }
  }
  if (limits.scanned > 0 && !system.scans) refuse("scans tables in order");
  if (system.most_records > 0 && limits.records > system.most_records) {
    throw ConfigurationError(
        "workload " + workload.name() + " has transactions of up to " +
        std::to_string(limits.records) + " records; system '" + system.name + "' takes " +
        (system.most_records == 1
             ? "one at a time: allowed are workloads of one record, as ycsb is with "
               "workload.keys_per_transaction=1"
             : std::to_string(system.most_records) + " at most"));
  }
  if (!system.single_step_updates && !workload.only_replaces()) {
    refuse("reads records and then writes them in one step");
  }
  const bool audits = std::ranges::find(workload.kinds(), kAuditKind) != workload.kinds().end();
  if (audits && system.isolation > txn::Isolation::kSnapshotIsolation) {
    const std::string with =
        system.nothing_by.empty() ? " as it is set" : " and " + system.nothing_by;
    throw ConfigurationError("workload.audit_percent above 0; allowed is 0 with system '" +
                             system.name + "'" + with + ", which promises " +
                             txn::isolation_name(system.isolation) +
                             ": its transactions may read what never was at one time");
  }
  if (options.verify && system.isolation == txn::Isolation::kNone) {
    throw ConfigurationError("--verify with " + system.nothing_by + ": system '" + system.name +
                             "' then promises nothing that could be verified; allowed is a run "
                             "without --verify");
  }
  if (options.check_history && !txn::can_check(system.isolation)) {
    throw ConfigurationError("system '" + system.name + "' promises " +
                             txn::isolation_name(system.isolation) +
                             ", which no check of histories knows");
  }
}

}  // namespace verbena::workloads
