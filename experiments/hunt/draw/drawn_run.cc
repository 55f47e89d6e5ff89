// Settings, one after the other.
#include "experiments/hunt/draw/drawn_run.h"

#include <algorithm>

#include "txn/registry/load_system.h"

namespace verbena::experiments {

DrawnRun::DrawnRun(std::uint64_t seed, std::uint64_t draw, const HuntGround& ground,
                   std::string system)
    : ground_(ground),
      system_(std::move(system)),
      info_(txn::load_system(system_)->info()),
      random_(mix64(seed) + draw) {
  run_.seed = seed;
  for (const Assignment& said : ground.sets) {
    run_.settings.push_back({.key = said.key, .value = said.value});
  }
}

bool DrawnRun::may_set(const std::string& key) const {
  return std::ranges::find(ground_.sets, key, &Assignment::key) == ground_.sets.end();
}

void DrawnRun::set(const std::string& key, const std::string& value,
                   std::vector<std::string> simpler) {
  if (!may_set(key)) return;
  const auto known = std::ranges::find(run_.settings, key, &HuntedSetting::key);
  HuntedSetting setting{.key = key, .value = value, .simpler = std::move(simpler)};
  std::erase(setting.simpler, value);
  if (known != run_.settings.end()) {
    *known = std::move(setting);
  } else {
    run_.settings.push_back(std::move(setting));
  }
}

void DrawnRun::number(const char* key, std::uint64_t least, std::uint64_t most,
                      std::uint64_t simplest) {
  const std::uint64_t value = least + random_.below(most - least + 1);
  std::vector<std::string> simpler;
  for (std::uint64_t other = simplest; other < value; other += 1 + other / 4) {
    simpler.push_back(std::to_string(other));
  }
  set(key, std::to_string(value), std::move(simpler));
}

void DrawnRun::be_patient(const std::string& time) {
  set("run.patience", time, {});
  set("rdma.drain_timeout", time, {});
}

}  // namespace verbena::experiments
