// One-sided requests as calls, on the requester's side.
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

/// Sends the one-sided requests of a worker to its peers' RequestServers (PRISM paper, section
/// 4.1). Requests of one post to one server are one call, or several one after the other where they
/// or their results are too long for a message. Worker-local.
///
/// Keeps the order of queue pairs. With one queue pair to a peer (EndpointOptions::qps_per_peer),
/// passive requests, and what the same batch posted before, are carried out before what is posted
/// to that peer later. With more, only requests posted together have an order.
class SoftwarePath final : public CorePath {
 public:
  /// `rpc` and `connections` must outlive it. Throws ConfigurationError when messages are too short
  /// for a cache line.
  SoftwarePath(Rpc& rpc, const Connections& connections, bool ordered);

  std::unique_ptr<CoreRequests> open() override;
  void check_passive() override;

  Rpc& rpc() { return rpc_; }
  const PeerTable& peers() const { return connections_.peers(); }
  NodeId server(std::uint16_t place) const { return peers().peers[place]; }
  bool ordered() const { return ordered_; }
  PassiveLane& lane(std::uint16_t place);
  /// Number of passive messages to the peer at `place` that must be carried out before what is sent
  /// now.
  std::uint32_t behind(std::uint16_t place);

 private:
  Rpc& rpc_;
  const Connections& connections_;
  bool ordered_;
  std::vector<std::unique_ptr<PassiveLane>> lanes_;  // [place]; null: nothing was sent by it
};

}  // namespace verbena::rdma
