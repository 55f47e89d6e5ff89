// The program's commands.
#pragma once

#include "experiments/config/commands/registry.h"

namespace verbena::experiments {

/// Each function prints its result to standard output and returns an ExitCode. All throw
/// ConfigurationError before anything is started, NotMeasured at the end, and PeerMissing,
/// VerbsError or other exceptions on failures.

/// Runs transactions, measures them, and verifies them if asked to.
int execute(const RunCommand& command);

/// Measures one operation in closed loops.
int execute(const BenchCommand& command);

/// Makes random runs, verifies them, and reports those that fail.
int execute(const HuntCommand& command);

/// Measures figures and compares them with what was published.
int execute(const ReproduceCommand& command);

/// Reports the differences beyond chance between two results. Returns kFailure when the second is
/// worse.
int execute(const CompareCommand& command);

/// Shows where the time of one request on an idle simulated cluster goes.
int execute(const ExplainCommand& command);

/// Shows the names that can be chosen, such as systems and workloads.
int execute(const ListCommand& command);

/// Shows the RDMA devices and limits of this machine. Returns kBadInput when no port can be used.
int execute(const DoctorCommand& command);

}  // namespace verbena::experiments
