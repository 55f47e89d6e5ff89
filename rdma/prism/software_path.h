// One-sided requests as calls, from the side of who asks.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "rdma/base/types.h"
#include "rdma/device/peer_table.h"
#include "rdma/one_sided/connections.h"
#include "rdma/one_sided/core_path.h"
#include "rdma/prism/passive_lane.h"
#include "rdma/rpc/rpc.h"

namespace verbena::rdma {

/// Takes the one-sided requests of a worker to its peers' RequestServers (PRISM paper,
/// section 4.1). Those of one post to one server are a call, or several one after the other where
/// they or their results are too long for a message. Worker-local.
///
/// Order is that of queue pairs. With one of them to a peer (EndpointOptions::qps_per_peer) what is
/// posted passively is carried out before what the worker posts to that peer later, and so is what
/// the same batch has posted before; with more, only what is posted together has an order.
class SoftwarePath final : public CorePath {
 public:
  /// Both outlive it. Throws ConfigurationError when messages are too short for a cache line.
  SoftwarePath(Rpc& rpc, const Connections& connections, bool ordered);

  std::unique_ptr<CoreRequests> open() override;
  void check_passive() override;

  Rpc& rpc() { return rpc_; }
  const PeerTable& peers() const { return connections_.peers(); }
  NodeId server(std::uint16_t place) const { return peers().peers[place]; }
  bool ordered() const { return ordered_; }
  PassiveLane& lane(std::uint16_t place);
  /// Passive messages to the peer of that place that what is sent now has to come behind.
  std::uint32_t behind(std::uint16_t place);

 private:
  Rpc& rpc_;
  const Connections& connections_;
  bool ordered_;
  std::vector<std::unique_ptr<PassiveLane>> lanes_;  // [place]; null: nothing was sent by it
};

}  // namespace verbena::rdma
