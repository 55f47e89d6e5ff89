// A setting of users.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rdma/base/parameter.h"

namespace verbena::experiments {

/// The fabric to which a key applies.
enum class FabricKind { kAny, kSim, kVerbs };

/// True for SECTION.NAME, an override that --set gives a value; false for the name of a flag.
inline bool is_override(std::string_view key) { return key.find('.') != std::string_view::npos; }

/// A parameter of some owner under the name that users know.
struct Key {
  /// Its name is the whole key: that of a flag without dashes, or SECTION.NAME of an override.
  Parameter parameter;
  std::string owner;  ///< the owner in plain words, for listings: "the simulated hardware"
  FabricKind fabric = FabricKind::kAny;
  std::vector<std::string> workloads = {};  ///< workloads that have it; empty: of no workload
  std::vector<std::string> systems = {};    ///< systems that have it; empty: of no system

  const std::string& name() const { return parameter.name; }
  bool is_flag() const { return !is_override(name()); }
};

using Keys = std::vector<Key>;

void add(Keys& keys, const char* owner, std::vector<Parameter> parameters,
         FabricKind fabric = FabricKind::kAny);

/// Renames parameters to SECTION.NAME, except those with a flag.
std::vector<Parameter> in_section(const std::string& section, std::vector<Parameter> parameters);

/// True for keys whose values may differ between the processes of a cluster: node and devices,
/// deaths to cause, and files. All other values must be equal.
bool may_differ(const Key& key);

/// Returns the value as records have it: value_text, but for paths, which are absolute, so that
/// results can be repeated from another directory.
std::string recorded_text(const Key& key);

/// True for keys that recorded_text makes absolute.
bool is_path(const Key& key);

/// True for keys whose values are paths, or may be.
bool names_file(const Key& key);

/// Returns the last part of a path, also of one that ends in a slash; other texts as they are.
std::string file_name(const std::string& path);

/// The key of this name, or null.
const Key* find_key(const Keys& keys, std::string_view name);

}  // namespace verbena::experiments
