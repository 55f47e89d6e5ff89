// Charges of one request on an idle cluster.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "experiments/config/commands/explain.h"
#include "simnic/observe/observer.h"
#include "simnic/world/loaded_platform.h"

namespace verbena::experiments {

/// Time that a station charges a request in one stage.
struct StationCharge {
  std::string stage;
  std::string station;  ///< or "wait"
  Picoseconds latency = 0;
  Picoseconds service = 0;  ///< of the resource that is busy longest with the request
  bool operator==(const StationCharge&) const = default;
};

/// Time for which one resource is busy with a request.
struct ResourceLoad {
  simnic::Resource resource;
  std::uint32_t number;  ///< number of the NIC or link, counted over the cluster
  Picoseconds busy = 0;
};

/// Adds `busy` to the load of the resource; ignores 0.
void add_load(std::vector<ResourceLoad>& loads, simnic::Resource resource, std::uint32_t number,
              Picoseconds busy);

/// Charges of one request, from the start of its post to the end of the poll that takes its
/// completion (of a SEND, at the receiver); or of a call and its reply.
struct RequestCharges {
  /// Charges by stage, in the order of visits. The last of a stage may be its wait: behind other
  /// bytes of the same request, at an atomic slot, or for order on its queue pair.
  std::vector<StationCharge> charges;
  Picoseconds total = 0;
  std::vector<ResourceLoad> loads;
  std::uint32_t requester_nic = 0;
  std::uint32_t responder_nic = 0;
  std::vector<std::string> request_route;  ///< names of SimGrid's links
  std::vector<std::string> response_route;
};

/// Runs the command's one-sided operation or SEND once between node 0 and the last node, and takes
/// the charges of all stations from the model. `also`, unless null, observes the run. Throws
/// ConfigurationError for requests that the NIC cannot take, and std::logic_error unless the
/// charges sum up to the simulated time, to the picosecond.
RequestCharges charge_request(const ExplainCommand& command, simnic::Observer* also = nullptr,
                              simnic::LoadedPlatform* platform = nullptr);

}  // namespace verbena::experiments
