// Names of what the program offers.
#pragma once

#include <string>
#include <vector>

namespace verbena::experiments {

std::vector<std::string> system_names();
std::vector<std::string> workload_names();

/// Profiles of simulated NICs and CPUs, and the paper's.
std::vector<std::string> nic_names();
std::vector<std::string> cpu_names();
std::string default_nic();
std::string default_cpu();

/// Operations of bench: read, write, send, rpc, cas, faa.
const std::vector<std::string>& bench_operations();

/// Those of them that explain knows: the verbs.
const std::vector<std::string>& explain_operations();

/// What list tells more of.
const std::vector<std::string>& list_topics();

}  // namespace verbena::experiments
