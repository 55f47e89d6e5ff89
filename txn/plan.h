// A transaction system as data: which RDMA primitive and which optimizations each phase uses.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace verbena::txn {

/// How a phase reaches a remote record (DrTM+H paper, section 2.1).
enum class Primitive : std::uint8_t {
  kOneSided,  ///< READ, WRITE and ATOMIC verbs
  kTwoSided,  ///< RPC over UD
  kHybrid,    ///< execute and read: READ when the location is cached, else RPC. Lock and commit:
              ///< one-sided where RNIC atomics are usable, else two-sided
};

/// One phase's primitive and optimizations (DrTM+H paper, section 3.2).
struct PhasePlan {
  Primitive primitive = Primitive::kTwoSided;
  bool outstanding =
      true;  ///< several requests of one transaction in flight at once, else one after the other
  bool doorbell = true;  ///< one doorbell for all requests to one queue pair, else one for each
  bool passive = false;  ///< completions are not waited for; only the commit phase can do this
};

/// What the combination check needs to know of the machines.
struct PlanEnvironment {
  bool cpu_coherent_atomics =
      false;               ///< IBV_ATOMIC_GLOB: RNIC atomics exclude the CPU's and other RNICs'
  std::uint32_t nics = 1;  ///< per node
};

/// A transaction system (DrTM+H paper, table 4). Plain data: presets are starting points and every
/// field may be changed; `resolve` refuses what would be wrong.
struct Plan {
  std::string name;
  PhasePlan execute;   ///< reads of transactions that write
  PhasePlan lock;      ///< the write set's part of validation
  PhasePlan validate;  ///< the part of validation for records that are only read
  PhasePlan log;
  PhasePlan commit;            ///< write back and unlock; also unlocking after an abort
  PhasePlan read;              ///< reads of read-only transactions
  PhasePlan read_validate;     ///< validation of read-only transactions
  bool location_cache = true;  ///< look up, and fill, the cache of record locations
  /// The owner vouches for RNIC atomics of several NICs of one node excluding each other, as the
  /// paper's testbed with two ConnectX-4 per machine took for granted.
  bool trust_atomics_across_nics = false;
  /// For tests that must see the history check fail: skips validation altogether (locks are still
  /// taken).
  bool skip_validation_for_test = false;
};

/// The preset called `name`; throws ConfigurationError that lists the names otherwise.
Plan plan_preset(const std::string& name);

/// Names of all presets.
std::vector<std::string> plan_names();

/// `plan` with its hybrid lock and commit phases decided for `environment`. Throws
/// ConfigurationError, naming the reason, for combinations that do not work:
/// - one-sided locks (RNIC compare-and-swap) with a two-sided commit, whose handler unlocks by the
/// CPU, where RNIC
///   atomics do not exclude the CPU's (IBV_ATOMIC_HCA; paper, section 5.2). The other mix, locks by
///   the CPU and unlocking by WRITE, is fine: the write of one word cannot come between a CPU's
///   locked read and write.
/// - one-sided locks with several NICs per node where one NIC's atomics do not exclude another's.
/// - hybrid where nothing can be chosen (validate, log, read_validate), passive anywhere but in
/// commit.
Plan resolve(Plan plan, const PlanEnvironment& environment);

}  // namespace verbena::txn
