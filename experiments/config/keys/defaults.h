// Defaults of commands, and values that follow from others.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "experiments/config/keys/command_options.h"

namespace verbena::experiments {

/// The keys that were given a value.
using Said = std::set<std::string>;

/// PrecisionGoal::most_commits of `run --verify`: enough to verify, and the history of long
/// transactions still fits the memory.
inline constexpr std::uint64_t kVerifiedCommits = 100000;

/// Loads the system and the workload of a run, whose parameters then have their defaults. Throws
/// ConfigurationError for a system that cannot be used.
void load_owners(RunCommand& command);

/// Sets all that was not said; the operation, the fabric, the peers, the
/// system and the workload are there already.
void set_defaults(RunCommand& command);
void set_defaults(BenchCommand& command);
void set_defaults(ExplainCommand& command);
inline void set_defaults(HuntCommand&) {}
inline void set_defaults(ReproduceCommand&) {}
inline void set_defaults(CompareCommand&) {}
void set_defaults(DoctorCommand& command);

/// Sets what was not said but follows from what was.
void derive(RunCommand& command, const Said& said);
void derive(BenchCommand& command, const Said& said);
void derive(ExplainCommand& command, const Said& said);
inline void derive(HuntCommand&, const Said&) {}
inline void derive(ReproduceCommand&, const Said&) {}
inline void derive(CompareCommand&, const Said&) {}
inline void derive(DoctorCommand&, const Said&) {}

/// Hands what several structures share to each of them. Throws ParameterError for a
/// system that cannot be changed so.
void complete(RunCommand& command);
void complete(BenchCommand& command);
inline void complete(ExplainCommand&) {}
void complete(HuntCommand& command);
inline void complete(ReproduceCommand&) {}
inline void complete(CompareCommand&) {}
inline void complete(DoctorCommand&) {}

}  // namespace verbena::experiments
