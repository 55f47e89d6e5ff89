// Check for keys of TOML files that are too deep for parsers.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace verbena {

/// Most names in a key; a.b.c has three.
inline constexpr std::size_t kDeepestKey = 64;

/// Returns the line, from 1, of the first key of a TOML text that is deeper than kDeepestKey;
/// nothing when there is none. Call it before parsing: parsers follow keys by recursion until their
/// stack overflows. (They limit nested lists themselves.)
std::optional<std::size_t> line_of_too_deep_key(std::string_view toml);

}  // namespace verbena
