// A report as text for people.
#pragma once

#include <string>

#include "experiments/report/result/report.h"

namespace verbena::experiments {

/// Formats the configuration, throughput, latency, aborts, phases, NIC counters per operation,
/// times, memory, digest, verification, and the command line that repeats the run.
std::string table_text(const Report& report);

}  // namespace verbena::experiments
