// Conditions on values of all commands that use a fabric.
#pragma once

#include <string>

#include "experiments/config/keys/fabric_command.h"

namespace verbena::experiments {

/// Throws ParameterError or ConflictError for the first violated condition.
void check_fabric(FabricCommand& command, const Said& said, bool may_be_chaotic,
                  bool sends_datagrams);

/// True if both names are of one file, so that a second write to it would replace the first.
bool is_same_file(const std::string& a, const std::string& b);

}  // namespace verbena::experiments
