// Devices that are not there.
#pragma once

#include "rdma/base/errors.h"

namespace verbena::rdma {

/// A device, port or GID that is not there or cannot be used.
class DeviceError : public ConfigurationError {
 public:
  using ConfigurationError::ConfigurationError;
};

}  // namespace verbena::rdma
