// A run whose settings are drawn, one after the other.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "experiments/config/command_options.h"
#include "experiments/hunt/hunted_run.h"
#include "rdma/base/random.h"

namespace verbena::experiments {

/// What drawing settings has in common, whatever they are. Settings that were given for all runs
/// are drawn like others, so that these stay what they are, but not changed.
class DrawnRun {
 protected:
  using Values = std::initializer_list<const char*>;

  DrawnRun(std::uint64_t seed, std::uint64_t draw, const std::vector<Assignment>& given)
      : random_(mix64(seed) + draw), given_(given.size()) {
    run_.seed = seed;
    for (const Assignment& said : given) {
      run_.settings.push_back({.key = said.key, .value = said.value});
    }
  }
  ~DrawnRun() = default;

  bool chance(std::uint32_t percent) { return random_.below(100) < percent; }

  template <typename List>
  auto one_of(const List& list) {
    return *(std::begin(list) + static_cast<std::ptrdiff_t>(random_.below(std::size(list))));
  }

  /// Unless it was set for all runs. `simpler` values are tried when the run has failed.
  void set(const std::string& key, const std::string& value, std::vector<std::string> simpler) {
    const auto known = std::ranges::find(run_.settings, key, &HuntedSetting::key);
    if (known - run_.settings.begin() < static_cast<std::ptrdiff_t>(given_)) return;
    HuntedSetting setting{.key = key, .value = value, .simpler = std::move(simpler)};
    std::erase(setting.simpler, value);
    if (known != run_.settings.end()) {
      *known = std::move(setting);
    } else {
      run_.settings.push_back(std::move(setting));
    }
  }

  /// In so many percent of the runs one of the values; it can be left out.
  void sometimes(std::uint32_t percent, const char* key, Values values) {
    if (chance(percent)) set(key, one_of(values), {""});
  }

  /// Smaller numbers are simpler, `simplest` most of all.
  void number(const char* key, std::uint64_t least, std::uint64_t most, std::uint64_t simplest) {
    const std::uint64_t value = least + random_.below(most - least + 1);
    std::vector<std::string> simpler;
    for (std::uint64_t other = simplest; other < value; other += 1 + other / 4) {
      simpler.push_back(std::to_string(other));
    }
    set(key, std::to_string(value), std::move(simpler));
  }
  void number(const char* key, std::uint64_t least, std::uint64_t most) {
    number(key, least, most, least);
  }

  Random random_;
  HuntedRun run_;

 private:
  std::size_t given_;  // settings, the first ones
};

}  // namespace verbena::experiments
