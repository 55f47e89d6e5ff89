// Override keys as simnic knows them.
#include "experiments/hardware_keys.h"

#include <fmt/format.h>

#include "experiments/setting.h"
#include "simnic/profile.h"

namespace verbena::experiments {

std::vector<OverrideKey> hardware_keys() {
  std::vector<OverrideKey> keys;
  for (const simnic::ConstantDescription& constant : simnic::Options::known()) {
    keys.push_back({constant.key,
                    fmt::format("a number from {} to {} ({})", constant.minimum, constant.maximum,
                                constant.unit),
                    "", kForSimulating, true});
  }
  return keys;
}

void check_hardware_key(const std::string& key, const std::string& value) {
  simnic::Options().set(key, value);
}

}  // namespace verbena::experiments
