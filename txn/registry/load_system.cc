// The table of protocols.
#include "txn/registry/load_system.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "rdma/base/errors.h"
#include "txn/blocks/lock/lock_system.h"
#include "txn/blocks/rs/rs_system.h"
#include "txn/kv/pilaf_system.h"
#include "txn/kv/prism_system.h"
#include "txn/nam/node/system.h"
#include "txn/occ/system.h"
#include "txn/plan/plan.h"
#include "txn/plan/plan_file.h"
#include "txn/prism_tx/system.h"
#include "txn/si2pc/system.h"

namespace verbena::txn {
namespace {

struct Protocol {
  const char* name;
  std::unique_ptr<System> (*parse)(const std::string& name, const std::string& file,
                                   std::string_view text);
};

constexpr std::array kProtocols = {
    Protocol{"abdlock", blocks::parse_lock_system}, Protocol{"nam", nam::parse_system},
    Protocol{"nam-naive", nam::parse_naive_system}, Protocol{"occ", occ::parse_system},
    Protocol{"pilaf", kv::parse_pilaf_system},      Protocol{"prism-kv", kv::parse_prism_system},
    Protocol{"prism-rs", blocks::parse_rs_system},  Protocol{"prism-tx", prism_tx::parse_system},
    Protocol{"si2pc", si2pc::parse_system}};

// Each once, in the order in which systems name them.
std::vector<std::string> names_of_systems(std::vector<std::string> SystemInfo::*member) {
  std::vector<std::string> names;
  for (const std::string& system_name : system_names()) {
    const std::unique_ptr<System> system = load_system(system_name);
    for (const std::string& name : system->info().*member) {
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  return names;
}

}  // namespace

std::unique_ptr<System> load_system(const std::string& system) {
  const SystemText text = system_text(system);
  const std::string wanted = protocol_of(text);
  std::string allowed;
  for (const Protocol& protocol : kProtocols) {
    if (wanted == protocol.name) return protocol.parse(text.name, text.file, text.text);
    allowed += (allowed.empty() ? "" : ", ") + std::string(protocol.name);
  }
  throw ConfigurationError(text.file + ": protocol '" + wanted + "' is unknown; allowed are " +
                           allowed);
}

std::string protocol_of_system(const std::string& system) {
  return protocol_of(system_text(system));
}

std::vector<std::string> system_names() {
  std::vector<std::string> names;
  names.reserve(built_in_systems().size());
  for (const auto& entry : built_in_systems()) names.push_back(entry.first);
  return names;
}

std::vector<std::string> phases_of_systems() { return names_of_systems(&SystemInfo::phases); }

std::vector<std::string> times_of_systems() { return names_of_systems(&SystemInfo::times); }

}  // namespace verbena::txn
