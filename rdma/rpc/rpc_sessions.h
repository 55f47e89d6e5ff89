// The sessions of one worker, by its links.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "rdma/base/types.h"
#include "rdma/device/cluster_links.h"
#include "rdma/device/peer_table.h"
#include "rdma/rpc/rpc_session.h"
#include "rdma/rpc/rpc_state.h"

namespace verbena::rdma {

/// Opens a session when the first message goes to or comes from its peer. Worker-local.
class RpcSessions {
 public:
  /// Both must outlive it.
  RpcSessions(RpcState& rpc, const ClusterLinks& links);

  void connected(const PeerTable& peers) { peers_ = &peers; }

  /// Throws std::logic_error when there is no connection to `peer` and it is another node.
  void check_peer(NodeId peer) const;

  /// Returns the session with the worker of `peer` that is called. Throws as check_peer.
  RpcSession& to(NodeId peer);

  /// Returns the session of a link, which must exist.
  RpcSession& of_link(std::uint16_t link);

  /// Returns the session of the link that a peer's message names; null if there is none.
  RpcSession* of_sender(std::uint16_t link);

  /// Returns a session that is open.
  RpcSession& opened(std::uint16_t link) { return *sessions_[link]; }
  const RpcSession& opened(std::uint16_t link) const { return *sessions_[link]; }

  /// All sessions, [link]; null where none is open.
  const std::vector<RpcSession*>& all() const { return sessions_; }

 private:
  void open(std::uint16_t link);

  RpcState& rpc_;
  const ClusterLinks& links_;
  const PeerTable* peers_ = nullptr;
  std::vector<RpcSession*> sessions_;  // [link]
  std::deque<RpcSession> opened_;
};

}  // namespace verbena::rdma
