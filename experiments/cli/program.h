// The program as a function.
#pragma once

#include <string>
#include <vector>

namespace verbena::experiments {

/// Does what the arguments (without the program's name) say and returns the exit code. What cannot
/// be done is told in one line on standard error that begins with "verbena: ".
int run_program(const std::vector<std::string>& arguments);

}  // namespace verbena::experiments
