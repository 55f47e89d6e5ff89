// Input that a user passes through a pipe instead of a file.
#pragma once

#include <string>

#include "rdma/base/time.h"

namespace verbena::experiments {

/// Time limit for the writer of a pipe to write all of it and close it.
inline constexpr Nanoseconds kPipePatience = 10 * kSecond;

/// Reads a file (as read_input_file does) or a pipe, such as /dev/stdin or a shell's <(COMMAND). A
/// pipe is empty when it is read again. Throws ConfigurationError that begins with `place`, also
/// when nobody closes the pipe within `patience` or nobody writes to it.
std::string read_file_or_pipe(const std::string& file, const std::string& place,
                              Nanoseconds patience = kPipePatience);

}  // namespace verbena::experiments
