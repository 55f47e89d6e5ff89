// The network of a cluster in SimGrid: hosts, links and the routes between them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rdma/base/time.h"
#include "simnic/nic/cluster.h"

namespace simgrid::s4u {
class Host;
class Link;
}  // namespace simgrid::s4u

namespace verbena::simnic {

/// Conversions to and from SimGrid's times, which are seconds.
double to_seconds(Picoseconds time);
Picoseconds from_seconds(double seconds);

/// The network of a cluster.
struct Platform {
  std::vector<simgrid::s4u::Host*> hosts;  ///< [node]: host of its cores
  std::vector<simgrid::s4u::Host*> ports;  ///< [NIC]: host by which it is attached to the network
  /// Time that a route takes in a switch between two of its links, besides their latencies.
  Picoseconds between_links = 0;
  /// Hosts at all places of a dragonfly, and the numbers by which places are counted.
  std::vector<simgrid::s4u::Host*> places;
  std::uint32_t places_of_router = 0;
  std::uint32_t routers_of_chassis = 0;
  std::uint32_t chassis_of_group = 0;
};

/// Builds the network that the cluster's options name, in the existing engine, which has loaded any
/// platform file. Throws ConfigurationError.
Platform build_platform(const Cluster& cluster);

/// A route of SimGrid's: its links, and its time besides their serialization.
struct Way {
  std::vector<simgrid::s4u::Link*> links;
  Picoseconds latency = 0;
  double link_seconds = 0;  ///< part of the latency in SimGrid's links; of any size
};

/// Returns the way from NIC `from` to NIC `to`, which are at different ports. Throws
/// ConfigurationError when there is none.
Way find_way(const Platform& platform, std::uint32_t from, std::uint32_t to);

/// Returns the first `nodes` hosts of the engine's platform by name, or all if these are fewer.
std::vector<simgrid::s4u::Host*> first_hosts(std::uint32_t nodes);

/// Returns why a link in its present state cannot be simulated: its kind, bandwidth or latency, and
/// what is allowed; empty when it can.
std::string link_error(const simgrid::s4u::Link& link);

/// Returns why a route of a platform file that takes `seconds` cannot be simulated, and what is
/// allowed; empty when it can.
std::string route_error(const simgrid::s4u::Host& from, const simgrid::s4u::Host& to,
                        double seconds);

/// Throws ConfigurationError, in one line, unless SimGrid can make a platform of the XML file
/// `path`, with at least `nodes` hosts and routes between these. Tries in a process of its own,
/// since SimGrid ends the process for some errors. Must be called before there is an engine.
void check_platform_file(const std::string& path, std::uint32_t nodes);

}  // namespace verbena::simnic
