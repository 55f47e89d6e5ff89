// Trying what is set as if it were of one run.
#include "experiments/hunt/ground.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

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

}  // namespace

bool asks_for_chaos(const HuntGround& ground) {
  return std::ranges::any_of(
      ground.sets, [](const Assignment& said) { return said.key.starts_with("fabric.chaos_"); });
}

void check_ground(const HuntGround& ground) {
  for (const char* own : {"seed", "verify", "json", "reached"}) {
    if (is_set(ground, own)) {
      throw ConfigurationError(fmt::format("--set {}: each run of a hunt has its own", own));
    }
  }
  for (const char* chosen : {"system", "workload"}) {
    if (is_set(ground, chosen)) {
      throw ConfigurationError(fmt::format("--set {}: a hunt takes those of --{}", chosen, chosen));
    }
  }
  CommandLine line;
  line.sets = ground.sets;
  // Whatever else is drawn goes with them.
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
