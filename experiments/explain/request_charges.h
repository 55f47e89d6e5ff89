// One request on an idle cluster, and where its time goes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "experiments/config/commands/explain.h"
#include "simnic/loaded_platform.h"
#include "simnic/observer.h"

namespace verbena::experiments {

/// Charge of a station to a request in one stage.
struct StationCharge {
  std::string stage;
  std::string station;  ///< or "wait"
  Picoseconds latency = 0;
  Picoseconds service = 0;  ///< of the resource that is busy longest with it
  bool operator==(const StationCharge&) const = default;
};

/// How long one resource is busy for a request.
struct ResourceLoad {
  simnic::Resource resource;
  std::uint32_t number;  ///< of the NIC, or of the link, over the cluster
  Picoseconds busy = 0;
};

/// Adds to what is known of the resource, unless `busy` is 0.
void add_load(std::vector<ResourceLoad>& loads, simnic::Resource resource, std::uint32_t number,
              Picoseconds busy);

/// The way of one request, from the begin of its post to the end of the poll that takes its
/// completion; of a SEND, at the receiver. Or of a call and its reply.
struct RequestCharges {
  /// By stage, then in the order in which they were met; the last of a stage may be its wait:
  /// behind other bytes of the same request, and behind what holds it up at an atomic slot or on
  /// its queue pair.
  std::vector<StationCharge> charges;
  Picoseconds total = 0;
  std::vector<ResourceLoad> loads;
  std::uint32_t requester_nic = 0;
  std::uint32_t responder_nic = 0;
  std::vector<std::string> request_route;  ///< names of SimGrid's links
  std::vector<std::string> response_route;
};

/// Runs the command's one-sided operation or SEND once between node 0 and the last node, and takes
/// from the model what every station charged it; `also`, unless null, is told all that happens.
/// Throws ConfigurationError for requests that the NIC cannot take, and std::logic_error unless the
/// charges sum up to the simulated time, to the picosecond.
RequestCharges charge_request(const ExplainCommand& command, simnic::Observer* also = nullptr,
                              simnic::LoadedPlatform* platform = nullptr);

}  // namespace verbena::experiments
