// Trying what is set as if it were of one run.
#include "experiments/hunt/draw/ground.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include "experiments/config/commands/registry.h"
#include "experiments/config/resolve.h"
#include "rdma/base/errors.h"
#include "txn/registry/load_system.h"

namespace verbena::experiments {
namespace {

bool is_set(const HuntGround& ground, std::string_view key) {
  return std::ranges::find(ground.sets, key, &Assignment::key) != ground.sets.end();
}

// One system, which needs several replicas.
bool has_quorums(const HuntGround& ground) {
  return ground.systems.size() == 1 && txn::load_system(ground.systems[0])->info().quorums;
}

// Refuses what is set and only some have of those that are drawn among. Runs that are refused for
// it are drawn again only where the first choice has it.
void check_owners(const Assignment& said, const char* chooser,
                  const std::vector<std::string>& drawn, const std::vector<std::string>& owners,
                  const std::string& usual) {
  if (drawn.size() == 1 || owners.empty() || std::ranges::find(owners, usual) != owners.end()) {
    return;
  }
  throw ConfigurationError(
      fmt::format("--set {}: is a parameter of --{} {} only; hunt with one that has it", said.key,
                  chooser, fmt::join(owners, " and ")));
}

void check_owners(const HuntGround& ground) {
  const RunCommand usual;
  for (const Assignment& said : ground.sets) {
    const Key* const key = find_key(known_keys(Command::kRun), said.key);
    if (key == nullptr) continue;
    check_owners(said, "system", ground.systems, key->systems, usual.system);
    check_owners(said, "workload", ground.workloads, key->workloads, usual.workload);
  }
}

}  // namespace

bool asks_for_chaos(const HuntGround& ground) {
  return std::ranges::any_of(
      ground.sets, [](const Assignment& said) { return said.key.starts_with("fabric.chaos_"); });
}

void check_ground(const HuntGround& ground) {
  for (const char* own : {"seed", "verify", "json", "reached"}) {
    if (is_set(ground, own)) {
      throw ConfigurationError(
          fmt::format("--set {}: cannot be set, since each run of a hunt has its own", own));
    }
  }
  for (const char* chosen : {"system", "workload"}) {
    if (is_set(ground, chosen)) {
      throw ConfigurationError(
          fmt::format("--set {}: cannot be set in a hunt; use --{}", chosen, chosen));
    }
  }
  check_owners(ground);
  CommandLine line;
  line.sets = ground.sets;
  // These go with whatever else is drawn.
  if (!is_set(ground, "replicas") && !has_quorums(ground)) {
    line.flags.push_back({"replicas", "1", "--replicas"});
  }
  if (asks_for_chaos(ground) && !is_set(ground, "chaos")) {
    line.flags.push_back({"chaos", "true", "--chaos"});
  }
  const auto choose = [&](const char* key, const std::vector<std::string>& names) {
    if (names.size() == 1) {
      line.flags.push_back({.key = key, .value = names[0], .place = std::string("--") + key});
    }
  };
  choose("system", ground.systems);
  choose("workload", ground.workloads);
  resolve(line);
}

}  // namespace verbena::experiments
