// The network of a cluster in SimGrid: hosts, links and the routes between them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "simnic/cluster.h"
#include "simnic/event_queue.h"

namespace simgrid::s4u {
class Host;
class Link;
}  // namespace simgrid::s4u

namespace verbena::simnic {

/// SimGrid's times are seconds.
double to_seconds(Picoseconds time);
Picoseconds from_seconds(double seconds);

/// The network of a cluster.
struct Platform {
  std::vector<simgrid::s4u::Host*> hosts;  ///< by node: where its cores are
  std::vector<simgrid::s4u::Host*> ports;  ///< by NIC: where it is attached to the network
  /// Time that a route takes between two of its links besides their latencies: a switch stands
  /// there.
  Picoseconds between_links = 0;
  /// The hosts at all places of a dragonfly, and how places are numbered.
  std::vector<simgrid::s4u::Host*> places;
  std::uint32_t places_of_router = 0;
  std::uint32_t routers_of_chassis = 0;
  std::uint32_t chassis_of_group = 0;
};

/// Builds the network that the cluster's options name, in the engine that exists; a platform file
/// has been loaded there. Throws ConfigurationError.
Platform build_platform(const Cluster& cluster);

/// A route of SimGrid's: the links on the way, and the time besides their serialization.
struct Way {
  std::vector<simgrid::s4u::Link*> links;
  Picoseconds latency = 0;
  double link_seconds = 0;  ///< of the latency, what SimGrid's links take; of any size
};

/// The way from NIC `from` to NIC `to`, which are not at the same port. Throws ConfigurationError
/// when there is none.
Way find_way(const Platform& platform, std::uint32_t from, std::uint32_t to);

/// The first `nodes` hosts of the engine's platform by name, or all if these are fewer.
std::vector<simgrid::s4u::Host*> first_hosts(std::uint32_t nodes);

/// Says why a link as it is now cannot be simulated: its kind, bandwidth or latency, and what is
/// allowed; empty when it can.
std::string link_error(const simgrid::s4u::Link& link);

/// Says why a route of a platform file that takes `seconds` cannot be simulated, and what is
/// allowed; empty when it can.
std::string route_error(const simgrid::s4u::Host& from, const simgrid::s4u::Host& to,
                        double seconds);

/// Throws ConfigurationError, in one line, unless SimGrid can make a platform of the XML file
/// `path`, with at least `nodes` hosts and routes between these. SimGrid ends the process for some
/// errors, so a process of its own tries. Must be called before there is an engine.
void check_platform_file(const std::string& path, std::uint32_t nodes);

}  // namespace verbena::simnic
