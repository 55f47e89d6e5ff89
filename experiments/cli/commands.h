// The program's commands.
#pragma once

#include "experiments/config/commands/registry.h"

namespace verbena::experiments {

/// Each prints its result to standard output and returns an ExitCode. They throw ConfigurationError
/// before anything was started, NotMeasured at the end, PeerMissing, VerbsError and other
/// exceptions when something failed.

/// Runs transactions, measures, and verifies if asked.
int execute(const RunCommand& command);

/// Measures one operation in closed loops.
int execute(const BenchCommand& command);

/// Makes random runs, verifies them, and tells of those that fail.
int execute(const HuntCommand& command);

/// Measures figures and compares them with what was published.
int execute(const ReproduceCommand& command);

/// Tells what differs beyond chance between two results. kFailure when the second is worse.
int execute(const CompareCommand& command);

/// Shows where the time of one request on an idle simulated cluster goes.
int execute(const ExplainCommand& command);

/// Shows what can be chosen.
int execute(const ListCommand& command);

/// Looks at the RDMA devices and limits of this machine. kBadInput when no port can be used.
int execute(const DoctorCommand& command);

}  // namespace verbena::experiments
