// The program as a function.
#pragma once

#include <string>
#include <vector>

#include "rdma/seam/page_arena.h"
#include "workloads/measure/run_progress.h"

namespace verbena::experiments {

/// Executes the arguments (without the program's name) and returns the exit code. Errors are one
/// line on standard error that begins with "verbena: ". `arena`, unless null, provides the memory
/// of simulations; calls may reuse it one after another. With `progress`, a run or bench stores its
/// progress there and shows none.
int run_program(const std::vector<std::string>& arguments, rdma::PageArena* arena = nullptr,
                workloads::RunProgress* progress = nullptr);

/// Executes this process' arguments. A run or bench that another process has started for a point of
/// its series reports its progress to that process (ProgressBoard).
int run_process(const std::vector<std::string>& arguments);

}  // namespace verbena::experiments
