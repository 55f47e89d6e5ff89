// Reading a file of the user's whole.
#pragma once

#include <string>

namespace verbena {

/// The bytes of `file` without the byte order mark of UTF-8 that some editors put first; at most
/// 64 MiB, which the results of a long series are within. Throws ConfigurationError that begins
/// with `place`, e.g. "--config cluster.toml", when it is no regular file (a pipe may never end),
/// cannot be read or is larger.
std::string read_input_file(const std::string& file, const std::string& place);

/// Reason why `file` cannot be read, without reading it: "No such file or directory", "is a
/// directory", "is a pipe; expected a regular file"; empty where there is none.
std::string why_no_input_file(const std::string& file);

/// Mark that some editors put before a text in UTF-8.
inline constexpr char kByteOrderMark[] = "\xef\xbb\xbf";

}  // namespace verbena
