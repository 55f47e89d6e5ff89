// Override keys as simnic knows them.
#include "experiments/config/hardware_keys.h"

#include <fmt/format.h>

#include "experiments/config/setting.h"
#include "rdma/base/errors.h"
#include "simnic/profile.h"

namespace verbena::experiments {

std::vector<OverrideKey> hardware_keys() {
  std::vector<OverrideKey> keys;
  for (const simnic::ConstantDescription& constant : simnic::Options::known()) {
    const std::string unit =
        constant.allowed == constant.unit ? "" : fmt::format(" ({})", constant.unit);
    keys.push_back({constant.key, constant.allowed + unit, "", kForSimulating, true});
  }
  return keys;
}

void check_hardware_key(const std::string& key, const std::string& value) {
  simnic::Options().set(key, value);
}

void check_hardware_needs(const Options& options) {
  const auto& given = options.overrides;
  for (const char* key : {"fabric.chaos_preempt", "fabric.chaos_jitter_ns"}) {
    if (!given.contains(key) || options.chaos) continue;
    const bool possible = (find_setting("chaos")->commands & command_bit(options.command)) != 0;
    throw ConfigurationError(possible
                                 ? fmt::format("{}: needs --chaos", key)
                                 : fmt::format("{}: does not apply to {}, which has no --chaos",
                                               key, command_name(options.command)));
  }
  constexpr const char* kDelay = "fabric.ud_reorder_delay_ns";
  if (given.contains(kDelay) && !given.contains("fabric.ud_reorder") &&
      !given.contains("fabric.ud_duplicate")) {
    throw ConfigurationError(fmt::format(
        "{}: needs fabric.ud_reorder or fabric.ud_duplicate, or no datagram is late", kDelay));
  }
}

}  // namespace verbena::experiments
