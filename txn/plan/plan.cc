// The check of combinations.
#include "txn/plan/plan.h"

#include <utility>

#include "rdma/base/errors.h"

namespace verbena::txn {
namespace {

void refuse_hybrid(const Plan& plan, const PhasePlan& phase, const char* name) {
  if (phase.primitive == Primitive::kHybrid) {
    throw ConfigurationError("plan '" + plan.name + "': phase " + name +
                             " is hybrid; allowed are one-sided and two-sided");
  }
}

void refuse_passive(const Plan& plan, const PhasePlan& phase, const char* name) {
  if (phase.passive) {
    throw ConfigurationError(
        "plan '" + plan.name + "': phase " + name +
        " is passive; only the commit phase may leave its completions unawaited");
  }
}

// Only the owner's CPU can lock with the RPC that reads.
void refuse_locks_in_execution(const Plan& plan) {
  if (!plan.lock_in_execution) return;
  for (const auto& [name, phase] : {std::pair("execute", plan.execute), {"lock", plan.lock}}) {
    if (phase.primitive == Primitive::kTwoSided) continue;
    throw ConfigurationError("plan '" + plan.name + "': execute.locks is on and phase " + name +
                             " is " + primitive_name(phase.primitive) +
                             ", but only RPCs lock as they read; allowed are two-sided execute "
                             "and lock, or execute.locks=off");
  }
}

// The handler of a validation knows no locks of its own caller.
void refuse_validated_writes(const Plan& plan) {
  if (!plan.validate_written || plan.validate.primitive == Primitive::kOneSided) return;
  throw ConfigurationError("plan '" + plan.name + "': plan.validate_written is true and phase " +
                           "validate is " + primitive_name(plan.validate.primitive) +
                           "; allowed are one-sided validate, or plan.validate_written=false");
}

}  // namespace

Plan resolve(Plan plan, const PlanEnvironment& environment) {
  refuse_hybrid(plan, plan.validate, "validate");
  refuse_hybrid(plan, plan.log, "log");
  refuse_hybrid(plan, plan.read_validate, "read-validate");
  refuse_passive(plan, plan.execute, "execute");
  refuse_passive(plan, plan.lock, "lock");
  refuse_passive(plan, plan.validate, "validate");
  refuse_passive(plan, plan.log, "log");
  refuse_passive(plan, plan.read, "read");
  refuse_passive(plan, plan.read_validate, "read-validate");

  refuse_locks_in_execution(plan);
  refuse_validated_writes(plan);

  const bool nics_exclude_each_other =
      environment.nics == 1 || environment.cpu_coherent_atomics || plan.trust_atomics_across_nics;
  if (plan.lock.primitive == Primitive::kHybrid) {
    const bool commit_allows =
        plan.commit.primitive != Primitive::kTwoSided || environment.cpu_coherent_atomics;
    plan.lock.primitive =
        nics_exclude_each_other && commit_allows ? Primitive::kOneSided : Primitive::kTwoSided;
  }
  if (plan.commit.primitive == Primitive::kHybrid) plan.commit.primitive = plan.lock.primitive;

  if (plan.lock.primitive == Primitive::kOneSided) {
    if (!nics_exclude_each_other) {
      throw ConfigurationError(
          "plan '" + plan.name + "': phase lock is one-sided with " +
          std::to_string(environment.nics) +
          " NICs per node, but the atomics of one NIC do not exclude those of another "
          "(IBV_ATOMIC_HCA); allowed are one NIC (--nics-per-node 1), two-sided or hybrid locks, "
          "or "
          "plan.trust_atomics_across_nics=true, which takes the exclusion for granted");
    }
    if (plan.commit.primitive == Primitive::kTwoSided && !environment.cpu_coherent_atomics) {
      throw ConfigurationError(
          "plan '" + plan.name +
          "': phase lock is one-sided and phase commit two-sided, but RNIC atomics do not exclude "
          "the "
          "CPU's (IBV_ATOMIC_HCA); allowed are one-sided commit or two-sided locks");
    }
  }
  return plan;
}

}  // namespace verbena::txn
