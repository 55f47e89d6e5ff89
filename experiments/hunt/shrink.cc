// Delta debugging of settings.
#include "experiments/hunt/shrink.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace verbena::experiments {
namespace {

/// Other seeds that are tried too: what two transactions do at the same time is another thing in a
/// run with other settings.
constexpr std::uint64_t kOtherSeeds = 20;

class Shrinking {
 public:
  Shrinking(HuntedRun failing, const FailsAlike& fails_alike, std::size_t budget)
      : best_(std::move(failing)), fails_alike_(fails_alike), budget_(budget) {}

  HuntedRun smallest() {
    bool simpler = true;
    while (simpler && budget_ > 0) {
      simpler = leave_out();
      simpler |= simplify();
    }
    return std::move(best_);
  }

 private:
  // Takes the first of the candidates that fails, of its own seed or another.
  bool take_first(const std::vector<HuntedRun>& candidates) {
    if (take_first_as_it_is(candidates)) return true;
    std::vector<HuntedRun> others;
    for (const HuntedRun& candidate : candidates) {
      for (std::uint64_t next = 1; next <= kOtherSeeds; ++next) {
        if (others.size() == budget_) break;
        others.push_back(candidate);
        others.back().seed += next;
      }
    }
    return take_first_as_it_is(others);
  }

  bool take_first_as_it_is(const std::vector<HuntedRun>& candidates) {
    if (candidates.empty() || budget_ == 0) return false;
    const std::vector<bool> fails = fails_alike_(candidates);
    budget_ -= std::min(budget_, candidates.size());
    const auto first = std::ranges::find(fails, true);
    if (first == fails.end()) return false;
    best_ = candidates[static_cast<std::size_t>(first - fails.begin())];
    return true;
  }

  std::vector<std::string> optional_keys() const {
    std::vector<std::string> keys;
    for (const HuntedSetting& setting : best_.settings) {
      if (std::ranges::find(setting.simpler, "") != setting.simpler.end()) {
        keys.push_back(setting.key);
      }
    }
    return keys;
  }

  HuntedRun without(const std::vector<std::string>& keys) const {
    HuntedRun run = best_;
    std::erase_if(run.settings, [&](const HuntedSetting& setting) {
      return std::ranges::find(keys, setting.key) != keys.end();
    });
    return run;
  }

  // All, then halves, quarters and so on.
  bool leave_out() {
    bool any = false;
    std::vector<std::string> keys = optional_keys();
    std::size_t together = keys.size();
    while (together > 0 && budget_ > 0) {
      std::vector<HuntedRun> candidates;
      for (std::size_t i = 0; i < keys.size(); i += together) {
        const auto begin = keys.begin() + static_cast<std::ptrdiff_t>(i);
        const auto count = std::min(together, keys.size() - i);
        candidates.push_back(without({begin, begin + static_cast<std::ptrdiff_t>(count)}));
      }
      if (take_first(candidates)) {
        any = true;
        keys = optional_keys();
        together = std::min(together, keys.size());
      } else {
        together /= 2;
      }
    }
    return any;
  }

  // The simplest value of each that will do.
  bool simplify() {
    bool any = false;
    for (std::size_t i = 0; i < best_.settings.size() && budget_ > 0; ++i) {
      const HuntedSetting setting = best_.settings[i];
      std::vector<HuntedRun> candidates;
      for (const std::string& value : setting.simpler) {
        if (value.empty()) continue;
        candidates.push_back(best_);
        HuntedSetting& changed = candidates.back().settings[i];
        changed.value = value;
        // From here on only what is simpler still.
        const auto here = std::ranges::find(changed.simpler, value);
        changed.simpler.erase(here, changed.simpler.end());
      }
      any |= take_first(candidates);
    }
    return any;
  }

  HuntedRun best_;
  const FailsAlike& fails_alike_;
  std::size_t budget_;
};

}  // namespace

HuntedRun shrunk(HuntedRun failing, const FailsAlike& fails_alike, std::size_t budget) {
  return Shrinking(std::move(failing), fails_alike, budget).smallest();
}

}  // namespace verbena::experiments
