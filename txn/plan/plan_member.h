// The members of plans by name, as files and command lines spell them.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "txn/plan/plan.h"

namespace verbena::txn {

/// A phase by name.
struct PhaseName {
  const char* name;  ///< "execute", "read-validate"
  PhasePlan Plan::*phase;
};

/// All phases, in the order in which a transaction runs them, read-only ones last.
std::span<const PhaseName> phase_names();

/// Returns "execute, lock, ...".
std::string allowed_phases();

/// Sets the primitive of a phase. Throws ConfigurationError that tells what is allowed.
void set_primitive(Plan& plan, const PhaseName& phase, std::string_view primitive);

/// Turns an option of the phase on or off. Throws ConfigurationError that tells the phase's
/// options.
void set_option(Plan& plan, const PhaseName& phase, std::string_view option, bool on);

}  // namespace verbena::txn
