// A table of measured numbers, as a CSV file has it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace verbena::experiments {

/// Cells as texts; every row has as many as there are columns.
struct DataTable {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
  std::vector<std::size_t> lines;  ///< of the rows, from 1
};

/// Reads CSV without quotes: lines that begin with # are comments, the first other line names the
/// columns. Throws ConfigurationError that begins with `file` and the line.
DataTable parse_data_table(const std::string& file, std::string_view text);

}  // namespace verbena::experiments
