// Primitives and optimizations of systems, in the form of the DrTM+H paper's tables 2 and 4.
#pragma once

#include <string>
#include <vector>

#include "txn/plan/plan.h"

namespace verbena::experiments {

/// The primitives of a plan in table 4's notation: I one-sided, II two-sided, I/II either.
struct PrimitiveRow {
  std::string execute;   ///< E of read-write transactions
  std::string validate;  ///< V: of the write set, + of the read set where it differs
  std::string log;       ///< L
  std::string commit;    ///< C: I+I is a WRITE of the record and one of its lock
  std::string read;      ///< R of read-only transactions
  std::string read_validate;
};

PrimitiveRow primitive_row(const txn::Plan& plan);

/// Formats table 4 for all systems, with columns for location cache, speculative execution, passive
/// acknowledgements and locks in the execution phase.
std::string systems_table();

/// Formats table 2 for all systems: primitives and optimizations of their phases.
std::string plans_table();

}  // namespace verbena::experiments
