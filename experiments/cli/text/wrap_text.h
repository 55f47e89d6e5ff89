// Line breaking for help texts.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace verbena::experiments {

/// Breaks the lines of `text` at `width` columns, where words allow it. Continuation lines are
/// indented like the explanation of their line, which begins after the last gap of two or more
/// spaces before column `explanation`; without such a gap, like the line itself.
std::string wrapped(std::string_view text, std::size_t width, std::size_t explanation);

/// Number of columns for help: that of the terminal, within 60 and 100, when standard output is
/// one; otherwise 80.
std::size_t help_width();

}  // namespace verbena::experiments
