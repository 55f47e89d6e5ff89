// FNV-1a hashes: names of files, not protection against anyone.
#include "experiments/points/point_store.h"

#include <fmt/format.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <string_view>
#include <vector>

#include "experiments/config/keys/units.h"
#include "rdma/base/errors.h"
#include "rdma/base/input_file.h"
#include "simnic/platform_text/platform_text.h"
#include "simnic/profile_values.h"

namespace verbena::experiments {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kOffsetBasis = 0xcbf29ce484222325;
constexpr std::uint64_t kPrime = 0x100000001b3;

std::uint64_t mix(std::uint64_t hash, std::string_view bytes) {
  for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * kPrime;
  return hash;
}

std::uint64_t mix(std::uint64_t hash, std::uint64_t number) {
  return mix(hash, fmt::format("/{:016x}", number));
}

std::uint64_t file_hash(const std::string& file) {
  std::uint64_t hash = kOffsetBasis;
  // A pipe may never end; measurements refuse it.
  if (!why_no_input_file(file).empty()) return hash;
  std::ifstream stream(file, std::ios::binary);
  std::array<char, 1 << 16> block{};
  while (stream.read(block.data(), block.size()), stream.gcount() > 0) {
    hash = mix(hash, {block.data(), static_cast<std::size_t>(stream.gcount())});
  }
  return hash;
}

// The shared libraries that the program has loaded, SimGrid among them: their names, sizes and
// times of change. The kernel's own, which is no file, is none of them.
std::uint64_t libraries_hash() {
  std::set<std::string> names;
  const auto add = [](dl_phdr_info* library, std::size_t, void* set) {
    static_cast<std::set<std::string>*>(set)->insert(library->dlpi_name);
    return 0;
  };
  dl_iterate_phdr(add, &names);
  std::uint64_t hash = kOffsetBasis;
  for (const std::string& name : names) {
    struct stat status {};
    if (stat(name.c_str(), &status) != 0) continue;
    hash = mix(mix(hash, name), static_cast<std::uint64_t>(status.st_size));
    hash = mix(hash, static_cast<std::uint64_t>(status.st_mtim.tv_sec));
    hash = mix(hash, static_cast<std::uint64_t>(status.st_mtim.tv_nsec));
  }
  return hash;
}

bool is_file(const std::string& profile) {
  return profile.find('/') != std::string::npos || profile.ends_with(".toml");
}

// Files that a platform names, where SimGrid may find them: seen from here, or beside the platform.
std::vector<std::string> files_named_in(const std::string& platform) {
  std::vector<std::string> files;
  try {
    for (const std::string& name : simnic::read_platform_text(platform).files) {
      files.push_back(name);
      files.push_back((fs::path(platform).parent_path() / name).string());
    }
  } catch (const ConfigurationError&) {
    // Measurements refuse it.
  }
  return files;
}

// Hash of all files in a directory and below it, with their names.
std::uint64_t directory_hash(const std::string& directory) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::recursive_directory_iterator file(directory, error), end; !error && file != end;
       file.increment(error)) {
    files.push_back(file->path());
  }
  std::ranges::sort(files);
  std::uint64_t hash = kOffsetBasis;
  for (const fs::path& file : files) {
    hash = mix(mix(hash, file.lexically_relative(directory).string()), file_hash(file.string()));
  }
  return hash;
}

// Hash of the constants of all three: a profile may name another that is a file.
std::uint64_t constants_hash(const std::string& nic, const std::string& cpu,
                             const std::string& fabric) {
  std::uint64_t hash = kOffsetBasis;
  for (const simnic::ConstantValue& constant : simnic::constant_values(nic, cpu, fabric, {})) {
    hash = mix(hash, fmt::format("{}={};", constant.key, constant.value));
  }
  return hash;
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
      program_hash_(file_hash("/proc/self/exe")),
      libraries_hash_(libraries_hash()) {
  std::error_code error;
  fs::create_directories(directory, error);
  if (!error && access(directory.c_str(), W_OK | X_OK) != 0) {
    error = {errno, std::generic_category()};
  }
  if (error) {
    throw ConfigurationError(
        fmt::format("--out {}: cannot be written: {}", printable(directory), error.message()));
  }
}

template <typename Make>
std::uint64_t PointStore::once(const std::string& what, Make&& make) {
  const auto found = hashes_.find(what);
  if (found != hashes_.end()) return found->second;
  return hashes_[what] = make();
}

std::uint64_t PointStore::content_hash(const std::string& file) {
  return once("file " + file, [&] { return file_hash(file); });
}

std::uint64_t PointStore::platform_hash(const std::string& file) {
  return once("platform " + file, [&] {
    std::uint64_t hash = content_hash(file);
    for (const std::string& named : files_named_in(file)) hash = mix(hash, content_hash(named));
    return hash;
  });
}

PointName PointStore::name_of(const MeasuringCommand& command) {
  std::uint64_t hash = mix(kOffsetBasis, command.record().command_line());
  const FabricOptions& fabric = command.common().fabric;
  const std::string system = command.run() != nullptr ? command.run()->system : "";
  for (const std::string& profile :
       {fabric.nic, fabric.cpu, fabric.other_nic, fabric.other_cpu, fabric.switches, system}) {
    if (is_file(profile)) hash = mix(hash, content_hash(profile));
  }
  if (is_file(fabric.nic)) {
    const auto constants = [&] { return constants_hash(fabric.nic, fabric.cpu, fabric.switches); };
    hash =
        mix(hash, once(fmt::format("constants {} {} {}", fabric.nic, fabric.cpu, fabric.switches),
                       constants));
  }
  if (!fabric.platform.empty()) hash = mix(hash, platform_hash(fabric.platform));
  const auto& overrides = command.record().overrides;
  if (const auto restored = overrides.find("nam.restore"); restored != overrides.end()) {
    hash = mix(hash, once("directory " + restored->second,
                          [&] { return directory_hash(restored->second); }));
  }
  const auto hex = [](std::uint64_t number) { return fmt::format("{:016x}", number); };
  return {.settings = hex(hash), .program = hex(program_hash_), .libraries = hex(libraries_hash_)};
}

std::string PointStore::file_of(const MeasuringCommand& command) {
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
    if (document.at("config").at("command_line") != command.record().command_line()) {
      throw ConfigurationError(shown + ": is of another command");
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
