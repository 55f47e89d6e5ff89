// Scripts by which shells complete the program's commands, flags and their values.
#pragma once

#include <string>
#include <vector>

namespace verbena::experiments {

/// The shells "bash" and "zsh".
const std::vector<std::string>& completed_shells();

/// Makes the script from the registry of keys. `shell` is one of completed_shells().
std::string completion_script(const std::string& shell);

}  // namespace verbena::experiments
