// The program as a function.
#pragma once

#include <string>
#include <vector>

#include "rdma/seam/page_arena.h"

namespace verbena::experiments {

/// Does what the arguments (without the program's name) say and returns the exit code. What cannot
/// be done is told in one line on standard error that begins with "verbena: ". `arena`, if not
/// null, is for the memory of simulations, and may be that of other calls, one after another.
int run_program(const std::vector<std::string>& arguments, rdma::PageArena* arena = nullptr);

}  // namespace verbena::experiments
