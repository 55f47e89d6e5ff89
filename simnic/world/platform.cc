// SimGrid's zones for the built-in networks, and platforms of the user's.
#include "simnic/world/platform.h"

#include <cmath>
#include <simgrid/s4u.hpp>
#include <utility>

#include "rdma/base/errors.h"
#include "simnic/wire/topology_spec.h"
#include "simnic/world/loaded_platform.h"
#include "simnic/world/numbered_names.h"

namespace verbena::simnic {
namespace {

namespace s4u = simgrid::s4u;
using simgrid::kernel::routing::NetPoint;
using Numbers = std::vector<unsigned int>;

constexpr auto kSplitDuplex = s4u::Link::SharingPolicy::SPLITDUPLEX;
constexpr std::uint64_t kMostAligned = 65'536;
constexpr double kFlops = 1e9;  ///< of a host: nothing is computed on SimGrid's

/// Builds one network. Links have the latency of a cable.
class Builder {
 public:
  explicit Builder(const Cluster& cluster)
      : cluster_(cluster),
        bandwidth_(cluster.fabric().link_bytes_per_second),
        latency_(to_seconds(cluster.fabric().link_latency)) {
    platform_.between_links = cluster.fabric().switch_latency;
  }

  Platform build(const TopologySpec& spec) {
    switch (spec.kind) {
      case TopologySpec::Kind::kStar:
        star();
        break;
      case TopologySpec::Kind::kFatTree:
        fat_tree(spec);
        break;
      case TopologySpec::Kind::kDragonfly:
        dragonfly(spec);
        break;
      case TopologySpec::Kind::kTorus:
        torus(spec);
        break;
    }
    return std::move(platform_);
  }

 private:
  static std::string name_of(const Nic& nic) {
    const std::string name = "node-" + std::to_string(nic.node);
    return nic.index == 0 ? name : name + ".sim" + std::to_string(nic.index);
  }

  /// The host at which `nic` is attached. A node's cores stand on that of its first NIC.
  NetPoint* attach(s4u::NetZone& zone, const Nic& nic) {
    s4u::Host* host = zone.create_host(name_of(nic), kFlops)->seal();
    platform_.ports.push_back(host);
    if (nic.index == 0) platform_.hosts.push_back(host);
    return host->get_netpoint();
  }

  /// The same, with a cable of its own to the centre of a star.
  void attach_by_cable(s4u::NetZone& star, const Nic& nic) {
    NetPoint* point = attach(star, nic);
    const auto* cable = star.create_split_duplex_link("cable-" + name_of(nic), bandwidth_)
                            ->set_latency(latency_)
                            ->seal();
    star.add_route(point, nullptr, nullptr, nullptr, {{cable, s4u::LinkInRoute::Direction::UP}},
                   true);
  }

  /// Makes what stands at place `id` of a network of NICs: places after those of NICs are empty.
  s4u::ClusterCallbacks nic_places() {
    return s4u::ClusterCallbacks([this](s4u::NetZone* zone, const std::vector<unsigned long>&,
                                        unsigned long id) {
      if (id < cluster_.nics().size()) {
        NetPoint* point = attach(*zone, *cluster_.nics()[id]);
        platform_.places.push_back(platform_.ports.back());
        return std::pair<NetPoint*, NetPoint*>{point, nullptr};
      }
      platform_.places.push_back(zone->create_host("empty-" + std::to_string(id), kFlops)->seal());
      return std::pair<NetPoint*, NetPoint*>{platform_.places.back()->get_netpoint(), nullptr};
    });
  }

  void star() {
    s4u::NetZone* zone = s4u::create_star_zone("cluster");
    for (const Nic* nic : cluster_.nics()) attach_by_cable(*zone, *nic);
    zone->seal();
  }

  void fat_tree(const TopologySpec& spec) {
    const auto nics = cluster_.options().nics_per_node;
    Numbers down(spec.down.begin(), spec.down.end());
    down[0] *= nics;
    const Numbers up(spec.up.begin(), spec.up.end());
    const Numbers parallel(spec.parallel.begin(), spec.parallel.end());
    s4u::NetZone* world = s4u::create_empty_zone("world");
    align_leaves(world, spec, nics);
    s4u::create_fatTree_zone(
        "cluster", world,
        s4u::FatTreeParams(static_cast<unsigned>(down.size()), down, up, parallel), nic_places(),
        bandwidth_, latency_, kSplitDuplex)
        ->seal();
    world->seal();
  }

  /// SimGrid numbers the leaves of a process's fat trees on from tree to tree, and routes by these
  /// numbers. So that a tree has the same routes however many there were before, its numbers begin
  /// at a multiple of the ways up it has: we count along, and fill up with leaves of another tree.
  static void align_leaves(const s4u::NetZone* world, const TopologySpec& spec,
                           std::uint32_t nics) {
    static std::uint64_t leaves_so_far = 0;
    std::uint64_t ways = 1;
    for (std::size_t i = 0; i < spec.up.size(); ++i) ways *= spec.up[i] * spec.parallel[i];
    if (ways > kMostAligned) ways = 1;
    const auto missing = static_cast<unsigned>((ways - leaves_so_far % ways) % ways);
    leaves_so_far += missing + spec.capacity() * nics;
    if (missing == 0) return;
    const auto nothing = [](s4u::NetZone* zone, const std::vector<unsigned long>&,
                            unsigned long id) {
      return std::pair<NetPoint*, NetPoint*>{zone->create_router("unused-" + std::to_string(id)),
                                             nullptr};
    };
    s4u::create_fatTree_zone("unused", world, s4u::FatTreeParams(1, {missing}, {1}, {1}),
                             s4u::ClusterCallbacks(nothing), 1, 0, kSplitDuplex)
        ->seal();
  }

  void dragonfly(const TopologySpec& spec) {
    const auto pair = [](const TopologySpec::AllToAll& level) {
      return std::pair<unsigned int, unsigned int>{level.count, level.links};
    };
    const s4u::DragonflyParams parameters(pair(spec.groups), pair(spec.chassis), pair(spec.routers),
                                          spec.nodes_per_router * cluster_.options().nics_per_node);
    platform_.places_of_router = parameters.nodes;
    platform_.routers_of_chassis = spec.routers.count;
    platform_.chassis_of_group = spec.chassis.count;
    s4u::create_dragonfly_zone("cluster", nullptr, parameters, nic_places(), bandwidth_, latency_,
                               kSplitDuplex)
        ->seal();
  }

  /// An element of the torus is a router. The NICs of a node have a cable each to the node's.
  void torus(const TopologySpec& spec) {
    const std::vector<unsigned long> dimensions(spec.dimensions.begin(), spec.dimensions.end());
    const auto router = [this](const s4u::NetZone* zone, const std::vector<unsigned long>&,
                               unsigned long id) {
      s4u::NetZone* place = s4u::create_star_zone("place-" + std::to_string(id));
      place->set_parent(zone);
      NetPoint* gateway = place->create_router("router-" + std::to_string(id));
      place->add_route(gateway, nullptr, nullptr, nullptr, std::vector<s4u::LinkInRoute>(), true);
      const auto nics = cluster_.options().nics_per_node;
      for (std::uint32_t i = 0; id < cluster_.options().nodes && i < nics; ++i) {
        attach_by_cable(*place, *cluster_.nics()[id * nics + i]);
      }
      place->seal();
      return std::pair<NetPoint*, NetPoint*>{place->get_netpoint(), gateway};
    };
    s4u::create_torus_zone("torus", nullptr, dimensions, s4u::ClusterCallbacks(router), bandwidth_,
                           latency_, kSplitDuplex)
        ->seal();
  }

  const Cluster& cluster_;
  double bandwidth_;
  double latency_;
  Platform platform_;
};

/// Nodes are the first hosts by name; a node's NICs share its host's links.
Platform take_hosts(const Cluster& cluster) {
  const LoadedPlatform* loaded = cluster.options().loaded_platform;
  const auto hosts = loaded != nullptr ? loaded->hosts() : first_hosts(cluster.options().nodes);
  Platform platform;
  for (const Nic* nic : cluster.nics()) {
    platform.ports.push_back(hosts[nic->node]);
    if (nic->index == 0) platform.hosts.push_back(hosts[nic->node]);
  }
  return platform;
}

using Links = std::vector<s4u::Link*>;

Links route_between(const s4u::Host* from, const s4u::Host* to, double& latency) {
  Links links;
  from->route_to(to, links, &latency);
  if (links.empty()) {
    throw ConfigurationError("the platform has no route from " + from->get_name() + " to " +
                             to->get_name());
  }
  return links;
}

/// Within a group, SimGrid 3.32 takes every chassis that a route crosses for the group's first: it
/// leaves out links between chassis, or adds some. The way goes along the chassis to the target's
/// router number, then to the target's chassis.
Links dragonfly_way(const Platform& platform, std::uint32_t from, std::uint32_t to) {
  struct Place {
    std::uint32_t router, chassis, group;
  };
  const auto place_of = [&](std::uint32_t number) {
    const std::uint32_t router = number / platform.places_of_router;
    const std::uint32_t chassis = router / platform.routers_of_chassis;
    return Place{router % platform.routers_of_chassis, chassis % platform.chassis_of_group,
                 chassis / platform.chassis_of_group};
  };
  double latency = 0;
  const s4u::Host* source = platform.places[from];
  const s4u::Host* target = platform.places[to];
  const Place start = place_of(from);
  const Place end = place_of(to);
  Links way = route_between(source, target, latency);
  if (start.group != end.group || start.router == end.router || start.chassis == 0) return way;
  // The first link is the source's own, the second the one along its chassis.
  s4u::Link* const last = way.back();
  way.resize(2);
  if (start.chassis == end.chassis) {
    way.push_back(last);
    return way;
  }
  const std::uint32_t turn =
      ((start.group * platform.chassis_of_group + start.chassis) * platform.routers_of_chassis +
       end.router) *
      platform.places_of_router;
  const Links rest = route_between(platform.places[turn], target, latency);
  way.insert(way.end(), rest.begin() + 1, rest.end());
  return way;
}

}  // namespace

std::vector<s4u::Host*> first_hosts(std::uint32_t nodes) {
  std::vector<s4u::Host*> hosts = s4u::Engine::get_instance()->get_all_hosts();
  keep_first_numbered(hosts, nodes,
                      [](const s4u::Host* host) -> const std::string& { return host->get_name(); });
  return hosts;
}

double to_seconds(Picoseconds time) { return static_cast<double>(time.count()) * 1e-12; }
Picoseconds from_seconds(double seconds) { return Picoseconds(std::llround(seconds * 1e12)); }

Platform build_platform(const Cluster& cluster) {
  const SimOptions& options = cluster.options();
  if (!options.platform.empty()) return take_hosts(cluster);
  return Builder(cluster).build(
      parse_topology(options.topology, options.nodes, options.nics_per_node));
}

Way find_way(const Platform& platform, std::uint32_t from, std::uint32_t to) {
  Way way;
  double latency = 0;
  if (platform.places_of_router != 0) {
    way.links = dragonfly_way(platform, from, to);
    for (const s4u::Link* link : way.links) latency += link->get_latency();
  } else {
    way.links = route_between(platform.ports[from], platform.ports[to], latency);
  }
  way.link_seconds = latency;
  way.latency = from_seconds(latency) + (way.links.size() - 1) * platform.between_links;
  return way;
}

}  // namespace verbena::simnic
