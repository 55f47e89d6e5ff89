// Limits that a shell sets to what it starts (ulimit).
#pragma once

namespace verbena::experiments {

/// Makes a limit of the size of files an error of the write that meets it, with a name and a
/// reason, as a full disk is. Throws ConfigurationError where the stack may not be as large as the
/// program needs it.
void heed_shell_limits();

}  // namespace verbena::experiments
