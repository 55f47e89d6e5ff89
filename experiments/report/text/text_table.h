// Text in columns.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace verbena::experiments {

/// The rows, each cell padded to its column's width and columns two spaces apart; the first
/// `left_aligned` columns to the left, the others to the right; nothing after the last cell of a
/// row. Widths count code points.
std::string aligned(const std::vector<std::vector<std::string>>& rows, std::size_t left_aligned);

}  // namespace verbena::experiments
