// Conditions between several values of a command.
#pragma once

#include "experiments/config/keys/conflict_error.h"
#include "experiments/config/keys/defaults.h"

namespace verbena::experiments {

/// Each throws ParameterError or ConflictError for the first thing that does not hold.
void check(const RunCommand& command, const Said& said);
void check(const BenchCommand& command, const Said& said);
void check(const ExplainCommand& command, const Said& said);
void check(const HuntCommand& command, const Said& said);
void check(const ReproduceCommand& command, const Said& said);
inline void check(const CompareCommand&, const Said&) {}
inline void check(const DoctorCommand&, const Said&) {}

}  // namespace verbena::experiments
