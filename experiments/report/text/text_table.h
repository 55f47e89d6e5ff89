// Text in columns.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace verbena::experiments {

/// Formats rows with each cell padded to its column's width and two spaces between columns. The
/// first `left_aligned` columns are left-aligned, the others right-aligned. Rows have no trailing
/// spaces. Widths count code points.
std::string aligned(const std::vector<std::vector<std::string>>& rows, std::size_t left_aligned);

}  // namespace verbena::experiments
