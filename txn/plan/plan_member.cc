// Tables of names.
#include "txn/plan/plan_member.h"

#include <algorithm>
#include <array>

#include "rdma/base/errors.h"

namespace verbena::txn {
namespace {

constexpr std::array<PhaseName, 7> kPhaseNames = {{{"execute", &Plan::execute},
                                                   {"lock", &Plan::lock},
                                                   {"validate", &Plan::validate},
                                                   {"log", &Plan::log},
                                                   {"commit", &Plan::commit},
                                                   {"read", &Plan::read},
                                                   {"read-validate", &Plan::read_validate}}};

constexpr std::array<Primitive, 3> kPrimitives = {Primitive::kOneSided, Primitive::kTwoSided,
                                                  Primitive::kHybrid};

// An option that every phase has.
struct PhaseOption {
  const char* name;
  bool PhasePlan::*member;
};
constexpr std::array<PhaseOption, 3> kPhaseOptions = {{{"outstanding", &PhasePlan::outstanding},
                                                       {"doorbell", &PhasePlan::doorbell},
                                                       {"passive_ack", &PhasePlan::passive}}};

// One that only this phase has.
struct OwnOption {
  PhasePlan Plan::*phase;
  const char* name;
  bool Plan::*member;
};
constexpr std::array<OwnOption, 3> kOwnOptions = {
    {{&Plan::execute, "cache", &Plan::location_cache},
     {&Plan::execute, "locks", &Plan::lock_in_execution},
     {&Plan::log, "whole", &Plan::whole_log}}};

// The names of `all`, a comma between them.
template <typename Range, typename Name>
std::string joined(const Range& all, Name name) {
  std::string text;
  for (const auto& one : all) text += std::string(text.empty() ? "" : ", ").append(name(one));
  return text;
}

std::string allowed_options(const PhaseName& phase) {
  const auto name = [](const auto& option) { return option.name; };
  std::string text = joined(kPhaseOptions, name);
  for (const OwnOption& own : kOwnOptions) {
    if (own.phase == phase.phase) text.append(", ").append(own.name);
  }
  return text;
}

}  // namespace

const char* primitive_name(Primitive primitive) {
  switch (primitive) {
    case Primitive::kOneSided:
      return "one-sided";
    case Primitive::kTwoSided:
      return "two-sided";
    case Primitive::kHybrid:
      return "hybrid";
  }
  return "unknown";
}

std::span<const PhaseName> phase_names() { return kPhaseNames; }

std::string allowed_phases() {
  return joined(kPhaseNames, [](const PhaseName& phase) { return phase.name; });
}

void set_primitive(Plan& plan, const PhaseName& phase, std::string_view primitive) {
  const auto* const found =
      std::find_if(kPrimitives.begin(), kPrimitives.end(),
                   [&](Primitive known) { return primitive == primitive_name(known); });
  if (found == kPrimitives.end()) {
    throw ConfigurationError("unknown primitive '" + std::string(primitive) + "'; allowed are " +
                             joined(kPrimitives, primitive_name));
  }
  (plan.*phase.phase).primitive = *found;
}

void set_option(Plan& plan, const PhaseName& phase, std::string_view option, bool on) {
  for (const PhaseOption& known : kPhaseOptions) {
    if (option != known.name) continue;
    (plan.*phase.phase).*known.member = on;
    return;
  }
  for (const OwnOption& known : kOwnOptions) {
    if (known.phase != phase.phase || option != known.name) continue;
    plan.*known.member = on;
    return;
  }
  throw ConfigurationError("unknown option '" + std::string(option) + "' of phase " + phase.name +
                           "; allowed are " + allowed_options(phase));
}

}  // namespace verbena::txn
