// From settings to arguments.
#include "experiments/hunt/draw/hunted_run.h"

#include <algorithm>

#include "experiments/config/keys/command.h"

namespace verbena::experiments {
namespace {

ConfigurationRecord record_of(const HuntedRun& run) {
  ConfigurationRecord record;
  record.flags.emplace_back("verify", "");
  record.flags.emplace_back("seed", std::to_string(run.seed));
  for (const HuntedSetting& setting : run.settings) {
    if (is_override(setting.key)) {
      record.overrides.emplace(setting.key, setting.value);
    } else {
      record.flags.emplace_back(setting.key, setting.value == "true" ? "" : setting.value);
    }
  }
  return record;
}

}  // namespace

std::vector<std::string> HuntedRun::arguments() const { return record_of(*this).arguments(); }

std::string HuntedRun::command_line() const { return record_of(*this).command_line(); }

std::string HuntedRun::value_of(const std::string& key) const {
  const auto found = std::ranges::find(settings, key, &HuntedSetting::key);
  return found == settings.end() ? "" : found->value;
}

}  // namespace verbena::experiments
