// Telling the two forms of a configuration file apart.
#include "experiments/config/config_file.h"

#include <fmt/format.h>

#include "experiments/config/input_file.h"
#include "experiments/config/json_config.h"
#include "experiments/config/toml_config.h"
#include "experiments/config/units.h"

namespace verbena::experiments {

std::vector<Assignment> read_config(const std::string& file, const CommandLine& line) {
  const std::string shown = file.empty() ? "''" : printable(file);
  const std::string text = read_input_file(file, fmt::format("--config {}", shown));
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const bool is_json = first != std::string::npos && text[first] == '{';
  return is_json ? parse_results(file, text, line) : parse_toml(file, text);
}

}  // namespace verbena::experiments
