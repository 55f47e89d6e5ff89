// Limits that a shell sets for programs that it starts (ulimit).
#pragma once

namespace verbena::experiments {

/// Makes a write beyond the limit of file sizes fail with an error, like a full disk, instead of a
/// signal. Throws ConfigurationError when the limit of the stack is lower than the program needs.
void heed_shell_limits();

}  // namespace verbena::experiments
