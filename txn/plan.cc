// Presets of known systems, and the check of combinations.
#include "txn/plan.h"

#include <utility>

#include "rdma/seam/errors.h"

namespace verbena::txn {
namespace {

PhasePlan one_sided(bool doorbell, bool passive = false) {
  return {.primitive = Primitive::kOneSided,
          .outstanding = true,
          .doorbell = doorbell,
          .passive = passive};
}

PhasePlan two_sided(bool passive = false) {
  return {
      .primitive = Primitive::kTwoSided, .outstanding = true, .doorbell = true, .passive = passive};
}

PhasePlan hybrid(bool passive = false) {
  return {
      .primitive = Primitive::kHybrid, .outstanding = true, .doorbell = true, .passive = passive};
}

// DrTM+H paper, sections 5 and 6.1, table 2 for doorbell batching, table 4 for the primitives.
Plan drtmh() {
  return {.name = "drtmh",
          .execute = hybrid(),
          .lock = hybrid(),
          .validate = one_sided(false),
          .log = one_sided(false),
          .commit = hybrid(true),
          .read = hybrid(),
          .read_validate = one_sided(false)};
}

Plan all_one_sided() {
  return {.name = "one-sided",
          .execute = one_sided(false),
          .lock = one_sided(true),
          .validate = one_sided(false),
          .log = one_sided(false),
          .commit = one_sided(true, true),
          .read = one_sided(false),
          .read_validate = one_sided(false)};
}

Plan all_two_sided() {
  return {.name = "two-sided",
          .execute = two_sided(),
          .lock = two_sided(),
          .validate = two_sided(),
          .log = two_sided(),
          .commit = two_sided(true),
          .read = two_sided(),
          .read_validate = two_sided(),
          .location_cache = false};
}

// Of the earlier systems' optimizations the paper's emulations have coroutines, outstanding
// requests as in table 2, and doorbell batching; speculative execution and passive ACK are
// DrTM+H's.
PhasePlan reads_in_turn(PhasePlan phase) {
  phase.outstanding = false;
  return phase;
}

// FaRM: reads without a location cache, locks and commits by RPC (section 6.3).
Plan farm() {
  return {.name = "farm",
          .execute = reads_in_turn(one_sided(false)),
          .lock = two_sided(),
          .validate = one_sided(false),
          .log = one_sided(false),
          .commit = two_sided(),
          .read = reads_in_turn(one_sided(false)),
          .read_validate = one_sided(false),
          .location_cache = false};
}

// DrTM+R without HTM: one-sided throughout, with the location cache.
Plan drtmr() {
  return {.name = "drtmr",
          .execute = reads_in_turn(one_sided(false)),
          .lock = one_sided(true),
          .validate = one_sided(false),
          .log = one_sided(false),
          .commit = one_sided(true),
          .read = reads_in_turn(one_sided(false)),
          .read_validate = one_sided(false)};
}

// FaSST's primitives with OCC's protocol.
Plan fasst_occ() {
  return {.name = "fasst-occ",
          .execute = reads_in_turn(two_sided()),
          .lock = two_sided(),
          .validate = two_sided(),
          .log = two_sided(),
          .commit = two_sided(),
          .read = reads_in_turn(two_sided()),
          .read_validate = two_sided(),
          .location_cache = false};
}

using Preset = Plan (*)();

// The order in which plan_names() tells them.
constexpr Preset kPresets[] = {drtmh, farm, drtmr, fasst_occ, all_one_sided, all_two_sided};

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

}  // namespace

Plan plan_preset(const std::string& name) {
  std::string allowed;
  for (const Preset preset : kPresets) {
    Plan plan = preset();
    if (plan.name == name) return plan;
    allowed += (allowed.empty() ? "" : ", ") + plan.name;
  }
  throw ConfigurationError("plan '" + name + "' is unknown; allowed are " + allowed);
}

std::vector<std::string> plan_names() {
  std::vector<std::string> names;
  for (const Preset preset : kPresets) names.push_back(preset().name);
  return names;
}

Plan resolve(Plan plan, const PlanEnvironment& environment) {
  refuse_hybrid(plan, plan.validate, "validate");
  refuse_hybrid(plan, plan.log, "log");
  refuse_hybrid(plan, plan.read_validate, "read_validate");
  refuse_passive(plan, plan.execute, "execute");
  refuse_passive(plan, plan.lock, "lock");
  refuse_passive(plan, plan.validate, "validate");
  refuse_passive(plan, plan.log, "log");
  refuse_passive(plan, plan.read, "read");
  refuse_passive(plan, plan.read_validate, "read_validate");

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
