// Check that the devices of a node can do what an endpoint will ask of them.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "rdma/base/errors.h"
#include "rdma/device/cluster_links.h"
#include "rdma/device/device_discovery.h"
#include "rdma/device/endpoint_options.h"

namespace verbena::rdma {

/// A limit of a device that is too small. `limit()` is its name in ibv_device_attr, or
/// "thread_doorbell_registers" when there is no thread domain for a worker.
class DeviceLimitError : public ConfigurationError {
 public:
  DeviceLimitError(std::string limit, const std::string& text)
      : ConfigurationError(text), limit_(std::move(limit)) {}

  const std::string& limit() const { return limit_; }

 private:
  std::string limit_;
};

/// Compares what the workers of `node`, spread over `ports`, will create with the
/// attributes of their devices. Throws DeviceLimitError, naming the limit, its value and what is
/// needed, for the first one that is too small.
void check_device_limits(const std::vector<DeviceReport>& devices,
                         const std::vector<PortSelection>& ports, const EndpointOptions& options,
                         const ClusterLinks& connections, NodeId node);

}  // namespace verbena::rdma
