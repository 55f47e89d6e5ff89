// The program as a function.
#pragma once

#include <string>
#include <vector>

#include "rdma/seam/page_arena.h"
#include "workloads/measure/run_progress.h"

namespace verbena::experiments {

/// Does what the arguments (without the program's name) say and returns the exit code. What cannot
/// be done is told in one line on standard error that begins with "verbena: ". `arena`, if not
/// null, is for the memory of simulations, and may be that of other calls, one after another. Where
/// `progress` is not null a run, or bench, tells there how far it is, and shows nothing of that.
int run_program(const std::vector<std::string>& arguments, rdma::PageArena* arena = nullptr,
                workloads::RunProgress* progress = nullptr);

/// The same of this process' arguments. A run, or bench, that another process has started for a
/// point of its series tells that one how far it is (ProgressBoard).
int run_process(const std::vector<std::string>& arguments);

}  // namespace verbena::experiments
