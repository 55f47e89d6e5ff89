// Remote procedure calls, executed exactly once, and notifications that need no reply: sessions,
// retransmission, acknowledgement and batched sending.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rdma/device/doorbell.h"
#include "rdma/device/peer_table.h"
#include "rdma/device/worker_context.h"
#include "rdma/device/worker_counters.h"
#include "rdma/memory/buffer_pool.h"
#include "rdma/rpc/rpc_calls.h"
#include "rdma/rpc/rpc_handler.h"
#include "rdma/rpc/rpc_notifications.h"
#include "rdma/rpc/rpc_sender.h"
#include "rdma/rpc/rpc_sessions.h"
#include "rdma/rpc/rpc_state.h"
#include "rdma/rpc/transport/rpc_message.h"
#include "rdma/rpc/transport/rpc_transport.h"

namespace verbena::rdma {

class ChainPath;
class RpcBatch;

/// The RPCs of one worker with its peers, the workers that it has links with (ClusterLinks): those
/// of the same number on the other nodes, where all nodes are alike (DrTM+H paper, section 3.1).
/// Its transport may lose, duplicate and reorder messages, yet calls take effect exactly once:
/// requests are repeated until answered, and a request that was executed before is answered from
/// the reply kept in its slot. Where the transport is lossless, messages are sent once and nothing
/// is kept; timers only tell when patience with a peer ends. Worker-local.
///
/// Exactly once: a caller's slot carries one call at a time and numbers its calls. The callee
/// executes only a number above the slot's last, and keeps the reply until the next number shows
/// that it has arrived. The receiver's window of executed numbers lets each notification be
/// executed once.
class Rpc {
 public:
  explicit Rpc(const WorkerContext& context);

  void connected(const PeerTable& peers) {
    sessions_.connected(peers);
    rpc_.transport->connected(peers);
  }

  /// Throws std::logic_error when there is no connection to `peer` and it is another node.
  void check_peer(NodeId peer) const { sessions_.check_peer(peer); }

  /// Installs the handler of `method`, before run(). Every node must serve the same methods. An
  /// exception of the handler ends the run. Malformed, for a request that no peer sends, and a
  /// method without handler end it as a PeerError that names the peer and the method.
  void serve(RpcMethod method, RpcHandler handler) {
    if (method >= handlers_.size()) handlers_.resize(std::size_t{method} + 1);
    handlers_[method] = std::move(handler);
  }

  /// Sends a request and does not wait for its execution (section 3.2, passive ACK for two-sided
  /// primitives). It is executed exactly once, in any order, and acknowledged by whatever message
  /// comes back. Suspends the fiber while the window to the peer is full. `request` is free on
  /// return. To the own node: runs the handler directly. Throws std::logic_error when there is no
  /// connection to another node.
  void notify(NodeId peer, RpcMethod method, std::span<const std::byte> request,
              Doorbell doorbell = Doorbell::kBatched);

  /// The largest request or reply, in bytes; the same on all nodes that have the same MTU.
  std::size_t max_payload() const { return rpc_.transport->most_bytes() - sizeof(MessageHeader); }

  // --- for RpcBatch ---
  void post(RpcBatch& batch, Doorbell doorbell);
  RpcCalls& calls() { return calls_; }
  WorkerThread& thread() const { return rpc_.thread; }
  const PeerHealth& health() const { return rpc_.health; }

  // --- for RpcReply ---
  BufferId take_reply_buffer(std::size_t payload_bytes) const;
  void give_back(BufferId buffer) const;
  std::span<std::byte> payload(BufferId buffer) const;

  // --- for the event loop ---
  /// Handles received messages. Returns true when there were some.
  bool poll();
  /// Sends the retransmissions and acknowledgements that are due.
  void tick(Nanoseconds now);
  /// Posts the messages that wait to be sent, under one doorbell.
  void flush();
  Nanoseconds next_deadline() const {
    return aside_.empty() ? rpc_.timers.next_deadline() : rpc_.now;
  }
  /// True if no call is unanswered, no notification unacknowledged and nothing waits to be sent.
  bool idle() const { return calls_.idle() && notifications_.idle() && sender_.empty(); }
  /// Ends calls and notifications to peers that have been declared dead.
  void drop_dead();

  /// Way of the worker's chains to its peers' NICs; null: they are calls.
  ChainPath* chain_path() const { return chain_path_; }
  void carry_chains_by(ChainPath* path) { chain_path_ = path; }

  /// Transport; the layer handles its queue pairs and completions.
  RpcTransport& transport() const { return *rpc_.transport; }

  WorkerCounters counters() const;

 private:
  /// A message that will not come again, and waits for memory for its reply.
  struct Aside {
    std::uint16_t link;
    MessageHeader header;
    std::vector<std::byte> payload;
  };

  void run_handler(const RpcCaller& caller, RpcMethod method, std::span<const std::byte> request,
                   RpcReply& reply);
  void call_local(RpcBatch& batch, std::size_t index);
  void drop_unreachable();

  // rpc_receive.cc
  void receive(const Arrival& arrival);
  void execute(RpcSession& session, const MessageHeader& header,
               std::span<const std::byte> payload);
  void lack_memory(const RpcSession& session, const MessageHeader& header,
                   std::span<const std::byte> payload);
  void execute_set_aside();
  void receive_request(RpcSession& session, const MessageHeader& header,
                       std::span<const std::byte> payload);
  void receive_notification(RpcSession& session, const MessageHeader& header,
                            std::span<const std::byte> payload);

  RpcState rpc_;
  RpcSessions sessions_;
  RpcSender sender_;
  RpcCalls calls_;
  RpcNotifications notifications_;

  std::uint32_t notify_window_;  // of each sender
  std::vector<Aside> aside_;
  std::vector<RpcHandler> handlers_;  // by method
  ChainPath* chain_path_ = nullptr;
};

}  // namespace verbena::rdma
