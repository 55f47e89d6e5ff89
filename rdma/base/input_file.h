// Reads a whole file that the user named.
#pragma once

#include <string>

namespace verbena {

/// Returns the bytes of `file`, without the UTF-8 byte order mark that some editors put first.
/// Throws ConfigurationError that begins with `place`, e.g. "--config cluster.toml", when it is no
/// regular file (a pipe may never end), cannot be read, or is larger than 64 MiB. Results of a long
/// series are smaller.
std::string read_input_file(const std::string& file, const std::string& place);

/// Returns why `file` cannot be read, without reading it: "No such file or directory", "is a
/// directory", "is a pipe; expected a regular file". Empty when it can be.
std::string why_no_input_file(const std::string& file);

/// Mark that some editors put before a text in UTF-8.
inline constexpr char kByteOrderMark[] = "\xef\xbb\xbf";

}  // namespace verbena
