// A transaction system as data: which RDMA primitive and which optimizations each phase uses.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace verbena::txn {

/// Means by which a phase reaches a remote record (DrTM+H paper, section 2.1).
enum class Primitive : std::uint8_t {
  kOneSided,  ///< READ, WRITE and ATOMIC verbs
  kTwoSided,  ///< RPC over UD
  /// Execute and read: READ when the location is cached, else RPC. Lock and commit: one-sided where
  /// RNIC atomics are usable, else two-sided.
  kHybrid,
};

/// One phase's primitive and optimizations (DrTM+H paper, section 3.2).
struct PhasePlan {
  Primitive primitive = Primitive::kTwoSided;
  /// Keeps several requests of one transaction in flight at once, else one after the other.
  bool outstanding = true;
  /// One doorbell for all requests to one queue pair, else one for each.
  bool doorbell = true;
  /// Does not wait for completions; only the commit phase can do this.
  bool passive = false;
};

/// Properties of the machines that the check of combinations depends on.
struct PlanEnvironment {
  /// IBV_ATOMIC_GLOB: RNIC atomics exclude the CPU's and other RNICs'.
  bool cpu_coherent_atomics = false;
  std::uint32_t nics = 1;  ///< per node
};

/// "one-sided", "two-sided" or "hybrid".
const char* primitive_name(Primitive primitive);

/// A transaction system (DrTM+H paper, table 4). Plain data: presets are starting points, and every
/// field may be changed; `resolve` refuses wrong combinations.
struct Plan {
  std::string name;
  std::string description = {};  ///< one line for people
  std::string source = {};       ///< where it was published
  PhasePlan execute;             ///< reads of transactions that write
  PhasePlan lock;                ///< locking of the write set, a part of validation
  PhasePlan validate;            ///< validation of records that are only read
  PhasePlan log;
  PhasePlan commit;            ///< write back and unlock; also unlocking after an abort
  PhasePlan read;              ///< reads of read-only transactions
  PhasePlan read_validate;     ///< validation of read-only transactions
  bool location_cache = true;  ///< look up, and fill, the cache of record locations
  /// Sends all updates of the transaction to every backup of a written record (DrTM+H paper,
  /// section 5.4), else only those that the backup will apply.
  bool whole_log = false;
  /// Sends the backups of the coordinator's own partition a record also when nothing was written
  /// there, as in the implementation that DrTM+H's authors published.
  bool log_own_backups = false;
  /// Sends the updates to the same backups once more, by messages, after the log is acknowledged;
  /// backups apply them on arrival, as in the implementation that DrTM+H's authors published. Else
  /// backups apply them from their rings, for many transactions at once.
  bool log_again = false;
  /// Locks a record that will be written in the same RPC that reads it, so that locking needs no
  /// phase of its own (FaSST's protocol). Needs two-sided execute and lock phases.
  bool lock_in_execution = false;
  /// Validates also the records that were locked to be written, though locking has shown that they
  /// are as they were read: "they reread all objects in the read set" (PRISM paper, section 8.1, of
  /// FaRM). Needs a one-sided validate phase.
  bool validate_written = false;
  /// Ignores conflicts: locks and validation cost their time, but the transaction goes on whatever
  /// they find. The result is no database, only its speed, as in the implementation that DrTM+H's
  /// authors published. With `lock_in_execution` a failed lock aborts nevertheless, as there.
  bool ignore_conflicts = false;
  /// Trusts the owner that RNIC atomics of several NICs of one node exclude each other, as the
  /// paper took for granted of its testbed with two ConnectX-4 per machine.
  bool trust_atomics_across_nics = false;
  /// Skips validation altogether (locks are still taken), for tests that must see the history check
  /// fail.
  bool skip_validation_for_test = false;
  /// Skips, for such tests, only the validation of absence: of keys and ranges of keys (phantoms).
  bool skip_absence_validation_for_test = false;
};

/// Returns the preset called `name` (a file of txn/systems). Throws ConfigurationError that lists
/// the names when there is none.
Plan plan_preset(const std::string& name);

/// Names of all presets, sorted: the program's systems whose protocol is "occ".
std::vector<std::string> plan_names();

/// Returns `plan` with changes, separated by commas: PHASE=PRIMITIVE, e.g. "commit=two-sided", and
/// PHASE.OPTION=on|off, e.g. "commit.passive_ack=off". Phases are execute, lock, validate, log,
/// commit, read and read-validate; validate means lock too, which may be set afterwards. Options
/// are outstanding, doorbell and passive_ack; of execute also cache (location_cache) and locks
/// (lock_in_execution); of log also whole (whole_log). Throws ConfigurationError that tells what is
/// allowed.
Plan changed(Plan plan, const std::string& changes);

/// Returns `plan` with its hybrid lock and commit phases decided for `environment`. Throws
/// ConfigurationError, naming the reason, for combinations that do not work:
///
/// - one-sided locks (RNIC compare-and-swap) with a two-sided commit, whose handler unlocks by the
///   CPU, where RNIC atomics do not exclude the CPU's (IBV_ATOMIC_HCA; paper, section 5.2). The
///   other mix, locks by the CPU and unlocking by WRITE, is fine: the write of one word cannot come
///   between a CPU's locked read and write;
/// - one-sided locks with several NICs per node where one NIC's atomics do not exclude another's;
/// - locks in execution where execute or lock are not two-sided;
/// - hybrid where nothing can be chosen (validate, log, read_validate), passive anywhere but in
///   commit.
Plan resolve(Plan plan, const PlanEnvironment& environment);

}  // namespace verbena::txn
