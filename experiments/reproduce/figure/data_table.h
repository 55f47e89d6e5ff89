// A table of measured numbers, read from a CSV file.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace verbena::experiments {

/// Cells as texts. Every row has a cell for each column.
struct DataTable {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
  std::vector<std::size_t> lines;  ///< line numbers of the rows, from 1
};

/// Parses CSV without quotes. Lines that begin with # are comments; the first other line names the
/// columns. Throws ConfigurationError that begins with `file` and the line.
DataTable parse_data_table(const std::string& file, std::string_view text);

}  // namespace verbena::experiments
