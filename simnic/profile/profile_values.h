// Constants of a simulated cluster, as numbers in the units of profiles.
#pragma once

#include <string>
#include <vector>

#include "simnic/profile/profile.h"

namespace verbena::simnic {

struct ConstantValue {
  std::string key;  ///< as overrides spell it
  double value;
  double minimum;
  double maximum;
  bool whole;        ///< whole numbers only
  bool probability;  ///< a probability, so that nothing follows for a single request
  bool capability;   ///< a capability: of several, the least counts
};

/// Returns all constants of these profiles, after the overrides, in the order of
/// parameters(Options&). An empty `fabric` means the one that the NIC's profile names. Throws
/// ConfigurationError as loading does.
std::vector<ConstantValue> constant_values(const std::string& nic, const std::string& cpu,
                                           const std::string& fabric, const Options& overrides);

}  // namespace verbena::simnic
