// The network as the model sees it: the route between two NICs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rdma/base/cache_line.h"
#include "rdma/base/time.h"
#include "rdma/seam/fabric_use.h"
#include "simnic/engine/server.h"
#include "simnic/profile/byte_time.h"

namespace verbena::simnic {

/// One direction of a network link, shared by all routes over it.
struct alignas(kCacheLineBytes) Link {
  Server server;
  ByteTime rate = 0;  ///< time per byte; 0: as fast as needed
  bool up = true;
  bool shared = true;  ///< false: each message has the whole rate, and waits for no other
};

/// The way from one NIC to another.
struct Route {
  Picoseconds latency = 0;
  std::vector<std::uint32_t> links;  ///< places in `Topology::links`
  /// True if the last link, if there is one, leads to this NIC alone, and so limits all that the
  /// NIC receives.
  bool own_cable = false;
};

class Topology {
 public:
  virtual ~Topology() = default;

  /// Returns the route from NIC `from` to NIC `to`, numbered over the cluster. Called once per
  /// pair; by any thread once all links of an `apart` topology are known.
  virtual Route route(std::uint32_t from, std::uint32_t to) = 0;

  /// True if each NIC has a cable to and from a centre that all messages pass: so two NICs have no
  /// link in common.
  bool apart = false;
  Picoseconds least_latency = 0;  ///< of all routes between two NICs, where these are `apart`
  std::vector<Link> links;
  std::vector<std::string> link_names;    ///< of `links`
  std::vector<rdma::LinkOutage> outages;  ///< of `links`, by their begin
};

}  // namespace verbena::simnic
