// Conditions that the commands on a fabric have in common.
#pragma once

#include <string>

#include "experiments/config/keys/fabric_command.h"

namespace verbena::experiments {

/// Throws ParameterError or ConflictError for the first thing that does not hold.
void check_fabric(FabricCommand& command, const Said& said, bool may_be_chaotic,
                  bool sends_datagrams);

/// True if both files are one, which takes what is written to it last.
bool is_same_file(const std::string& a, const std::string& b);

}  // namespace verbena::experiments
