// The one registry of keys: all that users may set, command by command.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "experiments/config/keys/command_options.h"
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

/// The keys of a command, bound to its members, in the order of help texts. They live as long as
/// the command stays where it is. List has none.
Keys keys(RunCommand& command);
Keys keys(BenchCommand& command);
Keys keys(ExplainCommand& command);
Keys keys(HuntCommand& command);
Keys keys(ReproduceCommand& command);
Keys keys(CompareCommand& command);
Keys keys(DoctorCommand& command);

/// The same, bound to a command with all its defaults on the simulation, for names and help; of run
/// with the parameters of all systems and workloads of the program.
const Keys& known_keys(Command command);

/// Keys of all commands, each once; one that two commands give to different owners, as payload, is
/// there for each.
const Keys& known_keys();

/// The same for readers: a name that workloads or systems give different meanings, as they do
/// workload.read_percent, is there for each meaning, with those that have it so.
const Keys& explained_keys();

/// True for what each process of a cluster may have of its own: its place and devices, deaths that
/// it is to bring about, and where it reads and writes. All else has to be the same in all of them.
bool may_differ(const Key& key);

/// The key of this name, or null.
const Key* find_key(const Keys& keys, std::string_view name);

/// Operations of explain: the verbs among bench's.
const std::vector<std::string>& explain_operations();

}  // namespace verbena::experiments
