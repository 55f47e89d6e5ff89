// The program as a function.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rdma/seam/page_arena.h"
#include "workloads/measure/run_progress.h"

namespace verbena::experiments {

/// Executes the arguments (without the program's name) and returns the exit code. Errors are one
/// line on standard error that begins with "verbena: ". `arena`, unless null, provides the memory
/// of simulations; calls may reuse it one after another. With `progress`, a run or bench stores its
/// progress there and shows none. `memory_bytes` is its share of this machine's memory; 0: all.
int run_program(const std::vector<std::string>& arguments, rdma::PageArena* arena = nullptr,
                workloads::RunProgress* progress = nullptr, std::uint64_t memory_bytes = 0);

/// Executes this process' arguments. A run or bench that another process has started for a point of
/// its series reports its progress to that process (ProgressBoard), and has a share of the memory.
int run_process(const std::vector<std::string>& arguments);

}  // namespace verbena::experiments
