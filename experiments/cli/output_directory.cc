// Documents are known by their schema.
#include "experiments/cli/output_directory.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <system_error>

#include "experiments/config/keys/units.h"
#include "experiments/plot/gnuplot.h"
#include "rdma/base/errors.h"

namespace verbena::experiments {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// Documents of all commands with --out.
constexpr const char* kDocuments[] = {"results.json", "reproduce.json"};
constexpr const char* kPlotSuffixes[] = {".gnuplot", ".png", ".svg"};

bool is_own_document(const fs::path& file) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return false;
  std::ifstream stream(file, std::ios::binary);
  const json document = json::parse(stream, nullptr, false);
  const json::json_pointer name("/schema/name");
  return document.is_object() && document.contains(name) && document.at(name).is_string() &&
         document.at(name).get<std::string>().starts_with("verbena.");
}

bool is_own_plot(const fs::path& file) {
  return std::ranges::find(kPlotSuffixes, file.extension()) != std::end(kPlotSuffixes) &&
         has_own_script(fs::path(file).replace_extension().string());
}

}  // namespace

std::vector<std::string> plot_files(const std::string& stem) {
  std::vector<std::string> names;
  for (const char* suffix : kPlotSuffixes) names.push_back(stem + suffix);
  return names;
}

void check_output_directory(const std::string& directory, const std::string& document,
                            const std::vector<std::string>& files) {
  const fs::path place(directory);
  const auto refuse_if = [&](bool wrong, const fs::path& file, const char* why) {
    if (!wrong) return;
    throw ConfigurationError(fmt::format("--out {}: {} {}; move it or choose another directory",
                                         printable(directory), printable(file.string()), why));
  };
  std::error_code none;
  const bool is_own = fs::is_directory(place / "points", none) &&
                      std::ranges::any_of(kDocuments, [&](const char* name) {
                        return is_own_document(place / name);
                      });
  const auto check = [&](const fs::path& file, bool known) {
    std::error_code error;
    const fs::file_type type = fs::symlink_status(file, error).type();
    refuse_if(type == fs::file_type::directory, file, "is a directory");
    const bool is_there = !error && type != fs::file_type::not_found;
    refuse_if(is_there && !known, file, "was not written by verbena");
  };
  check(place / document, is_own_document(place / document));
  for (const std::string& name : files) check(place / name, is_own || is_own_plot(place / name));
}

}  // namespace verbena::experiments
