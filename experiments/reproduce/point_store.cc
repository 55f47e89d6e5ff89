// FNV-1a hashes: names of files, not protection against anyone.
#include "experiments/reproduce/point_store.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>

#include "experiments/resolve.h"
#include "experiments/units.h"
#include "rdma/seam/errors.h"

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
  std::ifstream stream(file, std::ios::binary);
  std::uint64_t hash = kOffsetBasis;
  std::array<char, 1 << 16> block{};
  while (stream.read(block.data(), block.size()), stream.gcount() > 0) {
    hash = mix(hash, {block.data(), static_cast<std::size_t>(stream.gcount())});
  }
  return hash;
}

bool is_file(const std::string& profile) {
  return profile.find('/') != std::string::npos || profile.ends_with(".toml");
}

}  // namespace

PointStore::PointStore(const std::string& directory)
    : directory_(directory), program_hash_(file_hash("/proc/self/exe")) {
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

std::uint64_t PointStore::content_hash(const std::string& file) {
  const auto found = content_hashes_.find(file);
  if (found != content_hashes_.end()) return found->second;
  return content_hashes_[file] = file_hash(file);
}

std::string PointStore::file_of(const Options& options) {
  std::uint64_t hash = mix(mix(kOffsetBasis, replay_command(options)), program_hash_);
  for (const std::string& profile : {options.nic, options.cpu}) {
    if (is_file(profile)) hash = mix(hash, content_hash(profile));
  }
  if (!options.platform.empty()) hash = mix(hash, content_hash(options.platform));
  return fmt::format("{}/{:016x}.json", directory_, hash);
}

std::optional<PointResult> PointStore::find(const std::string& file, const Options& options) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return std::nullopt;
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  const auto document = nlohmann::json::parse(text, nullptr, false);
  try {
    if (document.at("config").at("command_line") != replay_command(options)) return std::nullopt;
    return parse_point_result(text);
  } catch (const std::exception&) {
    // Of another kind, or damaged: it is measured again.
    return std::nullopt;
  }
}

}  // namespace verbena::experiments
