// Making, finding and telling apart of keys.
#include "experiments/config/keys/key.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

namespace verbena::experiments {
namespace {

constexpr std::array<std::string_view, 2> kDirectories = {"nam.checkpoints", "nam.restore"};

bool is_directory(const Key& key) {
  return std::ranges::find(kDirectories, key.name()) != kDirectories.end();
}

}  // namespace

bool may_differ(const Key& key) {
  constexpr std::array<std::string_view, 2> kOwners = {"this process", "output"};
  return std::ranges::find(kOwners, key.owner) != kOwners.end() || is_directory(key) ||
         key.name().starts_with("faults.");
}

void add(Keys& keys, const char* owner, std::vector<Parameter> parameters, FabricKind fabric) {
  for (Parameter& parameter : parameters) {
    keys.push_back({.parameter = std::move(parameter), .owner = owner, .fabric = fabric});
  }
}

std::vector<Parameter> in_section(const std::string& section, std::vector<Parameter> parameters) {
  for (Parameter& parameter : parameters) {
    parameter.name = parameter.flag.empty() ? section + "." + parameter.name : parameter.flag;
  }
  return parameters;
}

bool is_path(const Key& key) { return key.name() == "platform" || is_directory(key); }

bool names_file(const Key& key) { return key.parameter.or_file || is_path(key); }

std::string file_name(const std::string& path) {
  const std::filesystem::path whole(path);
  return (whole.has_filename() ? whole : whole.parent_path()).filename().string();
}

std::string recorded_text(const Key& key) {
  std::string text = value_text(key.parameter);
  if (text.empty() || !is_path(key)) return text;
  return std::filesystem::absolute(text).lexically_normal().string();
}

const Key* find_key(const Keys& keys, std::string_view name) {
  const auto found =
      std::find_if(keys.begin(), keys.end(), [&](const Key& key) { return key.name() == name; });
  return found == keys.end() ? nullptr : &*found;
}

}  // namespace verbena::experiments
