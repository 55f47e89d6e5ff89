// The table of protocols.
#include "txn/registry/load_system.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "rdma/base/errors.h"
#include "txn/nam/system.h"
#include "txn/occ/system.h"
#include "txn/plan/plan.h"
#include "txn/plan/plan_file.h"
#include "txn/si2pc/system.h"

namespace verbena::txn {
namespace {

struct Protocol {
  const char* name;
  std::unique_ptr<System> (*parse)(const std::string& name, const std::string& file,
                                   std::string_view text);
};

constexpr std::array kProtocols = {Protocol{"nam", nam::parse_system},
                                   Protocol{"occ", occ::parse_system},
                                   Protocol{"si2pc", si2pc::parse_system}};

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

std::vector<std::string> system_names() {
  std::vector<std::string> names;
  names.reserve(built_in_systems().size());
  for (const auto& entry : built_in_systems()) names.push_back(entry.first);
  return names;
}

std::vector<std::string> phases_of_systems() {
  std::vector<std::string> phases;
  for (const std::string& name : system_names()) {
    const std::unique_ptr<System> system = load_system(name);
    for (const std::string& phase : system->info().phases) {
      if (std::find(phases.begin(), phases.end(), phase) == phases.end()) phases.push_back(phase);
    }
  }
  return phases;
}

}  // namespace verbena::txn
