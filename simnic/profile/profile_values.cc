// From a profile's integers back to numbers with units.
#include "simnic/profile/profile_values.h"

#include <span>

#include "simnic/profile/profile_schema.h"

namespace verbena::simnic {
namespace {

double unscaled(Unit unit, std::int64_t value) {
  const auto number = static_cast<double>(value);
  switch (unit) {
    case Unit::kCount:
      return number;
    case Unit::kNanoseconds:
      return number / 1e3;
    case Unit::kGigabitsPerSecond:
      return 8e3 * 1024 / number;
    case Unit::kMegabytesPerSecond:
      return 1e6 * 1024 / number;
    case Unit::kProbability:
      return number / 4294967296.0;
  }
  return 0;
}

template <typename Profile>
void add(const std::string& kind, std::span<const ConstantSchema<Profile>> schema,
         const Profile& profile, std::vector<ConstantValue>& out) {
  for (const auto& constant : schema) {
    out.push_back({kind + "." + constant.key, unscaled(constant.kind, constant.get(profile)),
                   constant.range.minimum, constant.range.maximum, constant.kind == Unit::kCount,
                   constant.kind == Unit::kProbability, constant.capability});
  }
}

}  // namespace

std::vector<ConstantValue> constant_values(const std::string& nic, const std::string& cpu,
                                           const std::string& fabric, const Options& overrides) {
  std::vector<ConstantValue> all;
  const NicProfile nic_profile = load_nic_profile(nic, overrides);
  add("nic", nic_schema(), nic_profile, all);
  add("cpu", cpu_schema(), load_cpu_profile(cpu, overrides), all);
  add("fabric", fabric_schema(),
      load_fabric_profile(fabric.empty() ? nic_profile.fabric : fabric, overrides), all);
  return all;
}

}  // namespace verbena::simnic
