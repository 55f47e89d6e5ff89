// Which primitives and optimizations systems use, as the DrTM+H paper's tables 2 and 4 show them.
#pragma once

#include <string>
#include <vector>

#include "txn/plan/plan.h"

namespace verbena::experiments {

/// The primitives of a plan as table 4 writes them: I one-sided, II two-sided, I/II either.
struct PrimitiveRow {
  std::string execute;   ///< E of read-write transactions
  std::string validate;  ///< V: of the write set + of the read set where they differ
  std::string log;       ///< L
  std::string commit;    ///< C: I+I, a WRITE of the record and one of its lock
  std::string read;      ///< R of read-only transactions
  std::string read_validate;
};

PrimitiveRow primitive_row(const txn::Plan& plan);

/// All systems: table 4, and whether they have a location cache, speculative execution, passive
/// acknowledgements and locks in the execution phase.
std::string systems_table();

/// All systems: their phases' primitives and optimizations, as table 2 has them.
std::string plans_table();

}  // namespace verbena::experiments
