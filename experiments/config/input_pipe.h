// Input that a user hands in through a pipe instead of a file.
#pragma once

#include <string>

#include "rdma/base/time.h"

namespace verbena::experiments {

/// How long whoever writes a pipe may take until all of it is there.
inline constexpr Nanoseconds kPipePatience = 10 * kSecond;

/// The text of a file as by read_input_file, or of a pipe, such as /dev/stdin or <(COMMAND) of a
/// shell, which is empty when it is read again. Throws ConfigurationError that begins with `place`,
/// likewise when the pipe is not closed within `patience`, or nobody writes it.
std::string read_file_or_pipe(const std::string& file, const std::string& place,
                              Nanoseconds patience = kPipePatience);

}  // namespace verbena::experiments
