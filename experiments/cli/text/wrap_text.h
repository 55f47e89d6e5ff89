// Long lines of help, broken at the width of what shows them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace verbena::experiments {

/// `text` with lines of at most `width` columns, where words allow it. What follows is indented
/// like the explanation on the line, which begins behind the last gap of two or more spaces before
/// column `explanation`, or as far as the line itself.
std::string wrapped(std::string_view text, std::size_t width, std::size_t explanation);

/// Columns for help: the terminal's where standard output is one, but at least 60 and at most 100;
/// otherwise 80.
std::size_t help_width();

}  // namespace verbena::experiments
