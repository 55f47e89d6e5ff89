// The memory that a simulated cluster needs, against this machine's.
#pragma once

#include <cstdint>

#include "experiments/config/keys/fabric_command.h"

namespace verbena::experiments {

/// RC queue pairs of a cluster whose workers, or groups of `sharing` threads that share them, have
/// some to each node.
std::uint64_t queue_pairs_of(const ClusterOptions& cluster, std::uint32_t sharing = 1);

/// Throws ConfigurationError when the queue pairs of a simulation of `cluster` alone, before
/// anything is posted to them, take more than `memory_bytes`.
void check_memory_need(const ClusterOptions& cluster, std::uint64_t memory_bytes,
                       std::uint32_t sharing = 1);

/// About what a simulation of `cluster` takes, rather more than less: of transactions, which touch
/// the database the more the longer they run, or of single operations.
std::uint64_t expected_memory_bytes(const ClusterOptions& cluster, bool transactions);

/// The memory of this machine.
std::uint64_t physical_memory_bytes();

/// That of it which is free, or can be made so without swapping.
std::uint64_t available_memory_bytes();

}  // namespace verbena::experiments
