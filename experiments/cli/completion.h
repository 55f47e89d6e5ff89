// Scripts by which shells complete the program's commands, flags and their values.
#pragma once

#include <string>
#include <vector>

namespace verbena::experiments {

/// "bash" and "zsh".
const std::vector<std::string>& completed_shells();

/// The script, made of the registry of keys; for one of completed_shells().
std::string completion_script(const std::string& shell);

}  // namespace verbena::experiments
