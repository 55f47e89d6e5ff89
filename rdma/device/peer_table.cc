// A node's knowledge of its peers after bring-up.
#include "rdma/device/peer_table.h"

#include <stdexcept>
#include <string>

namespace verbena::rdma {

PeerTable::PeerTable(const ClusterLinks& connections, NodeId node, std::uint32_t region_count,
                     bool written)
    : nics(connections.most_nics()),
      regions(region_count),
      links(connections.link_numbers(node)),
      peers(connections.peers(node)),
      places(connections.nodes(), ClusterLinks::kNone),
      region_addresses(peers.size() * regions),
      control_regions(peers.size()),
      ports(peers.size() * nics),
      message_addresses(std::size_t{connections.workers(node)} * links),
      message_rings(written ? message_addresses.size() : 0),
      remote_keys(connections.workers(node) * peers.size() * regions) {
  for (std::size_t place = 0; place < peers.size(); ++place) {
    places[peers[place]] = static_cast<std::uint16_t>(place);
  }
}

void PeerTable::throw_unconnected(NodeId node) const {
  throw std::logic_error(node < places.size()
                             ? "there is no connection to node " + std::to_string(node)
                             : "there is no node " + std::to_string(node));
}

}  // namespace verbena::rdma
