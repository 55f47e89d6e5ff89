// Splitting at commas.
#include "experiments/reproduce/figure/data_table.h"

#include <fmt/format.h>

#include <utility>

#include "experiments/config/keys/units.h"
#include "rdma/base/errors.h"

namespace verbena::experiments {
namespace {

std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells;
  for (;;) {
    const std::size_t comma = line.find(',');
    cells.emplace_back(line.substr(0, comma));
    if (comma == std::string_view::npos) return cells;
    line.remove_prefix(comma + 1);
  }
}

}  // namespace

DataTable parse_data_table(const std::string& file, std::string_view text) {
  DataTable table;
  std::size_t number = 0;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    ++number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || line.front() == '#') continue;
    std::vector<std::string> cells = cells_of(line);
    if (table.columns.empty()) {
      table.columns = std::move(cells);
      continue;
    }
    if (cells.size() != table.columns.size()) {
      throw ConfigurationError(fmt::format("{}:{}: has {} cells, but there are {} columns",
                                           printable(file), number, cells.size(),
                                           table.columns.size()));
    }
    table.rows.push_back(std::move(cells));
    table.lines.push_back(number);
  }
  if (table.rows.empty()) throw ConfigurationError(printable(file) + ": has no rows");
  return table;
}

}  // namespace verbena::experiments
