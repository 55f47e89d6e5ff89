// The program's commands.
#pragma once

#include "experiments/config/options.h"
#include "experiments/report/report.h"

namespace verbena::experiments {

/// Each prints its result to standard output and returns an ExitCode. They throw ConfigurationError
/// before anything was started, PeerMissing, VerbsError and other exceptions when something failed.

/// Runs transactions, measures, and verifies if asked.
int run_command(const Options& options);

/// Measures one operation in closed loops.
int bench_command(const Options& options);

/// Measures figures and compares them with what was published.
int reproduce_command(const Options& options);

/// Shows where the time of one request on an idle simulated cluster goes.
int explain_command(const Options& options);

/// Shows what can be chosen.
int list_command(const Options& options);

/// Looks at the RDMA devices and limits of this machine. kBadInput when no port can be used.
int doctor_command(const Options& options);

}  // namespace verbena::experiments
