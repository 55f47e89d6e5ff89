// Keys of TOML files that parsers would drown in.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace verbena {

/// How many names a key may have, as a.b.c has three.
inline constexpr std::size_t kDeepestKey = 64;

/// The line, from 1, of the first key of a TOML text that is deeper than kDeepestKey; nothing when
/// none is. To be asked before the text is parsed: parsers follow keys by recursion, to the end of
/// their stack. (Lists in lists they limit themselves.)
std::optional<std::size_t> line_of_too_deep_key(std::string_view toml);

}  // namespace verbena
