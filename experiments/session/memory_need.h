// Whether a simulated cluster can fit this machine's memory.
#pragma once

#include <cstdint>

#include "experiments/config/options.h"

namespace verbena::experiments {

/// RC queue pairs of the simulated run or bench: of each worker, or group of threads that share
/// them, some to each node.
std::uint64_t simulated_queue_pairs(const Options& options);

/// Throws ConfigurationError when `options` are of the simulation and the queue pairs of the
/// simulation alone, before anything is posted to them, take more than `memory_bytes`.
void check_memory_need(const Options& options, std::uint64_t memory_bytes);

/// The memory of this machine.
std::uint64_t physical_memory_bytes();

}  // namespace verbena::experiments
