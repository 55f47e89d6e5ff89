// Names from digests, and results of runs that ended well.
#include "experiments/points/point_store.h"

#include <fmt/format.h>
#include <link.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "experiments/config/contents_digest.h"
#include "experiments/config/keys/units.h"
#include "experiments/config/named_files.h"
#include "rdma/base/errors.h"
#include "rdma/base/input_file.h"

namespace verbena::experiments {
namespace {

namespace fs = std::filesystem;

// The shared libraries that the program has loaded, SimGrid among them: their names, sizes and
// times of change. The kernel's own, which is no file, is none of them.
std::string libraries_digest() {
  std::set<std::string> names;
  const auto add = [](dl_phdr_info* library, std::size_t, void* set) {
    static_cast<std::set<std::string>*>(set)->insert(library->dlpi_name);
    return 0;
  };
  dl_iterate_phdr(add, &names);
  Digest digest;
  for (const std::string& name : names) {
    const std::string status = status_text(name);
    if (!status.empty()) digest.add(fmt::format("{} {}", name, status));
  }
  return digest.text();
}

// Runs that were interrupted, failed their verification or measured nothing are written too.
bool is_complete(const nlohmann::json& document) {
  const nlohmann::json& verification = document.at("verification");
  return !document.value("partial", false) &&
         (verification.is_null() || verification.at("passed").get<bool>()) &&
         document.at("results").at(0).at("committed") != 0;
}

}  // namespace

std::string PointName::text() const {
  return fmt::format("{}-{}-{}.json", settings, program, libraries);
}

std::optional<PointName> parse_point_name(const std::string& text) {
  static const std::regex form("([0-9a-f]{16})-([0-9a-f]{16})-([0-9a-f]{16})\\.json");
  std::smatch parts;
  if (!std::regex_match(text, parts, form)) return std::nullopt;
  return PointName{.settings = parts[1], .program = parts[2], .libraries = parts[3]};
}

PointStore::PointStore(const std::string& directory)
    : directory_(directory),
      program_(contents_digest("/proc/self/exe")),
      libraries_(libraries_digest()) {
  std::error_code error;
  fs::path missing = directory;
  while (!missing.empty() && !fs::exists(missing, error)) {
    made_.push_back(missing);
    missing = missing.parent_path();
  }
  fs::create_directories(directory, error);
  if (!error && access(directory.c_str(), W_OK | X_OK) != 0) {
    error = {errno, std::generic_category()};
  }
  if (error) {
    throw ConfigurationError(
        fmt::format("--out {}: cannot be written: {}", refused_text(directory), error.message()));
  }
}

void PointStore::keep() { made_.clear(); }

// Only empty ones can be removed.
PointStore::~PointStore() {
  for (const std::string& directory : made_) {
    std::error_code ignored;
    fs::remove(directory, ignored);
  }
}

PointName PointStore::name_of(const MeasuringCommand& command) const {
  return {.settings = identity_of(command.record()), .program = program_, .libraries = libraries_};
}

std::string PointStore::file_of(const MeasuringCommand& command) const {
  std::string file = fmt::format("{}/{}", directory_, name_of(command).text());
  std::error_code error;
  if (fs::exists(file, error) && !fs::is_regular_file(file, error)) {
    throw ConfigurationError(fmt::format("--out: {} {}, where the result of a point has to be",
                                         printable(file), why_no_input_file(file)));
  }
  return file;
}

PointResult PointStore::read(const std::string& file, const MeasuringCommand& command) {
  const std::string shown = printable(file);
  const std::string text = read_input_file(file, shown);
  const auto document = nlohmann::json::parse(text, nullptr, false);
  try {
    if (document.at("identity") != identity_of(command.record())) {
      throw ConfigurationError(shown +
                               ": is of another command, or of files that have changed since");
    }
    if (!is_complete(document))
      throw ConfigurationError(shown + ": is of a run that failed or was interrupted");
    return parse_point_result(text);
  } catch (const ConfigurationError&) {
    throw;
  } catch (const std::exception&) {
    throw ConfigurationError(shown + ": is damaged, or no result");
  }
}

// Otherwise the point is measured again.
std::optional<PointResult> PointStore::find(const std::string& file,
                                            const MeasuringCommand& command) {
  try {
    return read(file, command);
  } catch (const ConfigurationError&) {
    return std::nullopt;
  }
}

}  // namespace verbena::experiments
