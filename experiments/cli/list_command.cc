// `verbena list`: names and keys that the other commands take.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "experiments/cli/commands.h"
#include "experiments/cli/text/key_text.h"
#include "experiments/config/commands/registry.h"
#include "experiments/config/keys/units.h"
#include "experiments/report/exit_code.h"
#include "experiments/report/text/system_tables.h"
#include "rdma/base/errors.h"
#include "rdma/base/text/lower_case.h"
#include "rdma/base/text/nearest_name.h"
#include "simnic/profile/profile.h"
#include "simnic/wire/topology_spec.h"
#include "txn/registry/load_system.h"
#include "workloads/registry/registry.h"

namespace verbena::experiments {
namespace {

void print_names(const char* title, const std::vector<std::string>& names) {
  fmt::print("{:<12}{}\n", title, fmt::join(names, "  "));
}

void print_choices(const char* title, const char* key) {
  print_names(title, find_key(known_keys(), key)->parameter.choices);
}

void print_key(const Key& key) {
  fmt::print("  {:<33} {}\n", (key.is_flag() ? "--" : "") + key.name(), full_text(key));
}

// The owner of a key; if it is of some workloads or systems only, with their names.
std::string owner_text(const Key& key) {
  const std::vector<std::string>& names = key.systems.empty() ? key.workloads : key.systems;
  const bool of_all = names.empty() || key.systems.size() == txn::system_names().size();
  return of_all ? key.owner : fmt::format("{} {}", key.owner, fmt::join(names, " and "));
}

void print_by_owner(const Keys& keys) {
  std::vector<std::string> owners;
  for (const Key& key : keys) {
    const std::string owner = owner_text(key);
    if (std::find(owners.begin(), owners.end(), owner) == owners.end()) owners.push_back(owner);
  }
  for (const std::string& owner : owners) {
    fmt::print("\n{}:\n", owner);
    for (const Key& key : keys) {
      if (owner_text(key) == owner) print_key(key);
    }
  }
}

void print_systems() {
  for (const std::string& name : txn::system_names()) {
    const auto system = txn::load_system(name);
    const txn::SystemInfo& info = system->info();
    fmt::print("{:<13} {}; {} ({})\n", name, info.description, isolation_name(info.isolation),
               info.source);
  }
  fmt::print("\n{}", systems_table());
  Keys own = explained_keys();
  std::erase_if(own, [](const Key& key) { return key.systems.empty(); });
  print_by_owner(own);
}

void print_workloads() {
  for (const std::string& name : workloads::workload_names()) {
    fmt::print("{}: {}\n", name, workloads::workload_factory(name)->info().help);
    for (const Key& key : explained_keys()) {
      if (std::find(key.workloads.begin(), key.workloads.end(), name) != key.workloads.end()) {
        print_key(key);
      }
    }
  }
}

// The profiles of a kind, then the keys of their constants.
void print_profiles(const std::string& kind, const std::string& usual) {
  for (const std::string& name : simnic::built_in_profiles(kind)) {
    const simnic::ProfileInfo info = simnic::profile_info(kind, name);
    fmt::print("{:<16}{}{}\n{:<16}{}{}{}\n", name, info.description,
               info.estimate ? " [estimate]" : "", "", info.origin,
               info.fabric.empty() ? "" : "; network " + info.fabric,
               name == usual ? "; the default" : "");
  }
  Keys own = explained_keys();
  std::erase_if(own, [&](const Key& key) { return !key.name().starts_with(kind + "."); });
  print_by_owner(own);
}

// True if the name or the explanation, as it is printed, has this word, in any case.
bool has_word(const Key& key, const std::string& word) {
  return lower_case(key.name()).find(lower_case(word)) != std::string::npos ||
         lower_case(full_text(key)).find(lower_case(word)) != std::string::npos;
}

// Names the first word that no key has, or all of them where each has some key.
[[noreturn]] void refuse_words(const std::vector<std::string>& words) {
  std::vector<std::string> names;
  for (const Key& key : explained_keys()) names.push_back(key.name());
  for (const std::string& word : words) {
    if (std::ranges::any_of(explained_keys(),
                            [&](const Key& key) { return has_word(key, word); })) {
      continue;
    }
    throw ConfigurationError(fmt::format("list keys: '{}' is in no key's name or explanation{}",
                                         printable(word), did_you_mean(word, names)));
  }
  throw ConfigurationError(fmt::format("list keys: no key's name or explanation has all of '{}'",
                                       printable(fmt::format("{}", fmt::join(words, "', '")))));
}

void print_keys(const std::vector<std::string>& words) {
  Keys found = explained_keys();
  for (const std::string& word : words) {
    std::erase_if(found, [&](const Key& key) { return !has_word(key, word); });
  }
  if (found.empty()) refuse_words(words);
  print_by_owner(found);
}

void print_all() {
  print_choices("systems", "system");
  print_choices("workloads", "workload");
  print_names("operations", operation_names());
  print_choices("nics", "nic");
  print_choices("cpus", "cpu");
  print_choices("fabrics", "switch");
  print_names("topologies", simnic::topology_kinds());
  print_choices("contexts", "context");
  print_choices("loops", "loop");
  print_choices("transports", "transport");
  fmt::print(
      "\nkeys: flags, or as in --set KEY=VALUE; [sim], [verbs]: they mean something on this fabric "
      "only\n");
  print_by_owner(explained_keys());
}

}  // namespace

int execute(const ListCommand& command) {
  const std::string& topic = command.record.operation;
  const FabricOptions usual;
  if (topic == "nics") {
    print_profiles("nic", usual.nic);
  } else if (topic == "cpus") {
    print_profiles("cpu", usual.cpu);
  } else if (topic == "fabrics") {
    print_profiles("fabric", simnic::profile_info("nic", usual.nic).fabric);
  } else if (topic == "systems") {
    print_systems();
  } else if (topic == "plans") {
    fmt::print("{}", plans_table());
  } else if (topic == "workloads") {
    print_workloads();
  } else if (topic == "keys") {
    print_keys(command.names);
  } else {
    print_all();
  }
  return kSuccess;
}

}  // namespace verbena::experiments
