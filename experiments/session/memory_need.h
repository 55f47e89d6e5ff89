// Memory that a simulated cluster needs, compared with this machine's.
#pragma once

#include <cstdint>
#include <string_view>

#include "experiments/config/keys/fabric_command.h"

namespace verbena::experiments {

/// Number of RC queue pairs of a cluster. Each worker, or each group of `sharing` threads, has
/// queue pairs to each node.
std::uint64_t queue_pairs_of(const ClusterOptions& cluster, std::uint32_t sharing = 1);

/// Throws ConfigurationError when the queue pairs of a simulation of `cluster` take more than
/// `memory_bytes`, even before anything is posted to them.
void check_memory_need(const ClusterOptions& cluster, std::uint64_t memory_bytes,
                       std::uint32_t sharing = 1);

/// Work of a simulated cluster, as far as its memory depends on it.
struct ExpectedWork {
  std::string_view name;            ///< workload, or operation of a bench
  std::uint64_t buffers_bytes = 0;  ///< of a worker: for the payloads that it has under way
};

/// Estimates the memory that a simulation of `cluster` takes at its end, to about a fifth.
/// Transactions touch more of the database the longer they run.
std::uint64_t expected_memory_bytes(const ClusterOptions& cluster, const ExpectedWork& work);

/// Size of this machine's memory.
std::uint64_t physical_memory_bytes();

/// Memory that is free, or can be freed without swapping.
std::uint64_t available_memory_bytes();

/// The usual limit on the memory of simulated nodes with `workers` threads together, in whole MiB,
/// where `available` is there for the run: the rest is for all else that a run keeps, and for what
/// it takes until it looks again.
std::uint64_t usual_most_memory_bytes(std::uint64_t available, std::uint64_t workers);

}  // namespace verbena::experiments
