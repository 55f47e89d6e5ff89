// Override keys as simnic knows them.
#include "experiments/hardware_keys.h"

#include <fmt/format.h>

#include "experiments/setting.h"
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

}  // namespace verbena::experiments
