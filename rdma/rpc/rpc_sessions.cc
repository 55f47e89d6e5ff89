// Opening sessions.
#include "rdma/rpc/rpc_sessions.h"

namespace verbena::rdma {

RpcSessions::RpcSessions(RpcState& rpc, const ClusterLinks& links)
    : rpc_(rpc), links_(links), sessions_(links.link_numbers(rpc.thread.node())) {}

void RpcSessions::check_peer(NodeId peer) const {
  if (peer != rpc_.thread.node()) peers_->connected_place(peer);
}

RpcSession& RpcSessions::to(NodeId peer) { return of_link(peers_->connected_place(peer)); }

RpcSession& RpcSessions::of_link(std::uint16_t link) {
  if (sessions_[link] == nullptr) open(link);
  return *sessions_[link];
}

void RpcSessions::open(std::uint16_t link) {
  const auto place = static_cast<std::uint16_t>(link % peers_->peers.size());
  const NodeId peer = peers_->peers[place];
  const auto peer_worker =
      static_cast<WorkerId>(links_.peer_worker(rpc_.thread.node(), rpc_.thread.id(), peer, link));
  const std::uint32_t first = rpc_.options.first_number;
  sessions_[link] = &opened_.emplace_back(
      RpcSession{.peer = peer,
                 .peer_worker = peer_worker,
                 .link = link,
                 .notify_window = peers_->messages(rpc_.thread.id(), link).notify_window,
                 .envelope = rpc_.transport->open(link),
                 .caller_slots = SlotList<RpcSession::CallerSlot>({.sequence = first}),
                 .callee_slots = SlotList<RpcSession::CalleeSlot>({.sequence = first}),
                 .notifications = nullptr});
}

RpcSession* RpcSessions::of_sender(std::uint16_t link) {
  if (link >= sessions_.size()) return nullptr;
  if (sessions_[link] == nullptr) {
    const NodeId peer = peers_->peers[link % peers_->peers.size()];
    const std::uint32_t peer_worker =
        links_.peer_worker(rpc_.thread.node(), rpc_.thread.id(), peer, link);
    if (peer_worker >= links_.workers(peer)) return nullptr;
    open(link);
  }
  return sessions_[link];
}

}  // namespace verbena::rdma
