// A thing that users may set.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rdma/base/parameter.h"

namespace verbena::experiments {

/// On which fabric a key means something.
enum class FabricKind { kAny, kSim, kVerbs };

/// A parameter of some owner under the name that users know.
struct Key {
  /// Its name is the whole key: that of a flag without dashes, or SECTION.NAME of an override.
  Parameter parameter;
  std::string owner;  ///< in plain words, for listings: "the simulated hardware"
  FabricKind fabric = FabricKind::kAny;
  std::vector<std::string> workloads = {};  ///< that have it; empty: it is of no workload
  std::vector<std::string> systems = {};    ///< likewise

  const std::string& name() const { return parameter.name; }
  bool is_flag() const { return name().find('.') == std::string::npos; }
};

using Keys = std::vector<Key>;

void add(Keys& keys, const char* owner, std::vector<Parameter> parameters,
         FabricKind fabric = FabricKind::kAny);

/// Parameters under the names SECTION.NAME, but those with a flag.
std::vector<Parameter> in_section(const std::string& section, std::vector<Parameter> parameters);

/// True for what each process of a cluster may have of its own: its place and devices, deaths that
/// it is to bring about, and where it reads and writes. All else has to be the same in all of them.
bool may_differ(const Key& key);

/// The key of this name, or null.
const Key* find_key(const Keys& keys, std::string_view name);

}  // namespace verbena::experiments
