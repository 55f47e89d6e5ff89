// Opening sessions.
#include "rdma/rpc/rpc_sessions.h"

#include <memory>
#include <utility>

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
  auto session = std::make_unique<RpcSession>();
  session->peer = peer;
  session->peer_worker = peer_worker;
  session->link = link;
  session->notify_window = peers_->messages(rpc_.thread.id(), link).notify_window;
  session->envelope = rpc_.transport->open(link);
  session->sent_base = session->sent_next = session->received_base = rpc_.options.first_number;
  sessions_[link] = std::move(session);
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
  return sessions_[link].get();
}

}  // namespace verbena::rdma
