// Reading a file of the user's whole.
#pragma once

#include <string>

namespace verbena::experiments {

/// The bytes of `file`, at most 64 MiB, which the results of a long series are within. Throws
/// ConfigurationError that begins with `place`, e.g.
/// "--config cluster.toml", when it cannot be read or is larger.
std::string read_input_file(const std::string& file, const std::string& place);

}  // namespace verbena::experiments
