// Remote procedure calls, executed exactly once, and notifications that need no reply: sessions,
// retransmission, acknowledgement and batched sending.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "rdma/device/doorbell.h"
#include "rdma/device/endpoint_options.h"
#include "rdma/device/peer_table.h"
#include "rdma/device/worker_context.h"
#include "rdma/device/worker_counters.h"
#include "rdma/fibers/fiber_scheduler.h"
#include "rdma/memory/buffer_pool.h"
#include "rdma/rpc/rpc_handler.h"
#include "rdma/rpc/rpc_message.h"
#include "rdma/rpc/rpc_session.h"
#include "rdma/rpc/rpc_transport.h"
#include "rdma/rpc/timer_lists.h"

namespace verbena::rdma {

class RpcBatch;

/// The RPCs of one worker, whose peers are the workers with which it has links (ClusterLinks):
/// those of the same number on the other nodes, where all nodes are alike (DrTM+H paper,
/// section 3.1). Its transport may lose, duplicate and reorder messages; effects are exactly once
/// nevertheless: requests are repeated until answered, a request that was executed before is
/// answered from the reply kept in its slot. Worker-local.
/// Where the transport is lossless, messages are sent once and nothing is kept; timers only tell
/// when patience with a peer ends.
///
/// Exactly once: a caller's slot carries one call at a time and numbers its calls; the callee
/// executes only a number above the slot's last and keeps the reply until the next number arrives,
/// which shows that the reply has. A notification's number is executed once by the receiver's
/// window of executed numbers.
class Rpc {
 public:
  explicit Rpc(const WorkerContext& context);

  void connected(const PeerTable& peers) {
    peers_ = &peers;
    transport_->connected(peers);
  }

  /// Throws std::logic_error when there is no connection to `peer` and it is another node.
  void check_peer(NodeId peer) const {
    if (peer != thread_.node()) peers_->connected_place(peer);
  }

  /// Installs the handler of `method`, before run(). Every node must serve the same methods. What
  /// it throws ends the run; Malformed, of a request that no peer sends, as a PeerError that names
  /// the peer and the method, as does a method that nobody serves.
  void serve(RpcMethod method, RpcHandler handler) { handlers_[method] = std::move(handler); }

  /// Sends a request whose execution the caller does not wait for (section 3.2, passive ACK for
  /// two-sided primitives): executed exactly once, in any order, acknowledged by whatever message
  /// comes back. Suspends the fiber while the window to the peer is full. `request` is free on
  /// return. To the own node: runs the handler directly. Throws std::logic_error when there is no
  /// connection to another node.
  void notify(NodeId peer, RpcMethod method, std::span<const std::byte> request,
              Doorbell doorbell = Doorbell::kBatched);

  /// The largest request or reply, in bytes; the same on all nodes that have the same MTU.
  std::size_t max_payload() const { return transport_->most_bytes() - sizeof(MessageHeader); }

  // --- for RpcBatch ---
  void post(RpcBatch& batch, Doorbell doorbell);
  std::uint16_t add_owner(RpcBatch& batch);
  void remove_owner(std::uint16_t owner);
  WorkerThread& thread() { return thread_; }
  const PeerHealth& health() const { return health_; }

  // --- for RpcReply ---
  BufferId take_reply_buffer(std::size_t payload_bytes);
  void give_back(BufferId buffer);
  std::span<std::byte> payload(BufferId buffer);

  // --- for the event loop ---
  /// Takes what has been received. True when there was something.
  bool poll();
  /// Retransmits and acknowledges what is due.
  void tick(Nanoseconds now);
  /// Posts what waits to be sent, under one doorbell.
  void flush();
  Nanoseconds next_deadline() const { return aside_.empty() ? timers_.next_deadline() : now_; }
  /// Whether no call is unanswered, no notification unacknowledged and nothing waits to be sent.
  bool idle() const { return open_calls_ == 0 && open_notifications_ == 0 && outbox_.empty(); }
  /// Settles what concerns peers that have been declared dead.
  void drop_dead();

  /// Whose queue pairs and completions the layer looks after.
  RpcTransport& transport() { return *transport_; }

  WorkerCounters counters() const;

 private:
  struct Call {
    std::uint16_t link;   // of its session
    std::uint16_t owner;  // number of its batch
    std::uint16_t slot;
    std::uint16_t attempts;
    std::uint32_t index;  // in its batch
    std::uint32_t sequence;
    BufferId buffer;
    TimerId timer;
  };
  /// A message that has arrived, for good, when there was no memory for a reply.
  struct Aside {
    std::uint16_t link;
    MessageHeader header;
    std::vector<std::byte> payload;
  };

  /// Of that link, which exists.
  RpcSession& session(std::uint16_t link);
  void open_session(std::uint16_t link);
  /// Of the link by whose number a peer calls itself; null if there is none.
  RpcSession* session_of_sender(std::uint16_t link);
  void run_handler(const RpcCaller& caller, RpcMethod method, std::span<const std::byte> request,
                   RpcReply& reply);
  void wait_in(std::vector<FiberId>& waiters);
  void wake_all(std::vector<FiberId>& waiters);
  void wake_first(std::vector<FiberId>& waiters);

  // rpc_send.cc
  std::uintptr_t address_of(BufferId buffer);
  void write_header(const RpcSession& session, BufferId buffer, MessageKind kind, RpcMethod method,
                    std::uint16_t slot, std::uint32_t sequence);
  BufferId take_buffer(std::span<const std::byte> payload);
  BufferId send_new(const RpcSession& session, BufferId buffer, Doorbell doorbell);
  void send(const RpcSession& session, BufferId buffer, Doorbell doorbell);
  void settle(BufferId buffer) {
    if (buffer < kNotKept) transport_->release(buffer);
  }
  void write_acks(RpcSession& session, MessageHeader& header);
  void post_outgoing(std::size_t limit);
  BufferId take_ack_buffer(const RpcSession& session);
  void queue_due_acks();

  // rpc.cc
  void call_local(RpcBatch& batch, std::size_t index);
  void call_remote(RpcBatch& batch, std::size_t index, Doorbell doorbell);
  std::uint32_t open_call(RpcSession& session, RpcBatch& batch, std::size_t index, BufferId buffer);
  void close_call(std::uint32_t number, std::span<const std::byte> reply, bool answered);

  // rpc_retry.cc
  std::size_t retry_list(std::uint32_t attempts) const;
  Nanoseconds retry_delay(std::uint32_t attempts) const;
  void retry_call(std::uint32_t number);
  void retry_notifications(RpcSession& session);
  void drop_notifications(RpcSession& session);
  template <typename Condition>
  void drop_calls(Condition&& to_be_dropped);
  void drop_unreachable();
  [[noreturn]] void throw_missing(NodeId peer, const char* what) const;

  // rpc_receive.cc
  void receive(const Arrival& arrival);
  void execute(RpcSession& session, const MessageHeader& header,
               std::span<const std::byte> payload);
  void lack_memory(const RpcSession& session, const MessageHeader& header,
                   std::span<const std::byte> payload);
  void execute_set_aside();
  void receive_request(RpcSession& session, const MessageHeader& header,
                       std::span<const std::byte> payload);
  void receive_reply(RpcSession& session, const MessageHeader& header,
                     std::span<const std::byte> payload);
  void receive_notification(RpcSession& session, const MessageHeader& header,
                            std::span<const std::byte> payload);
  void receive_acks(RpcSession& session, const MessageHeader& header);
  void receive_ack_map(RpcSession& session, std::span<const std::byte> payload);
  bool acknowledge(RpcSession& session, std::uint32_t number);
  void acknowledged(RpcSession& session);
  void acknowledge_later(RpcSession& session);
  void request_ack(RpcSession& session);

  WorkerThread& thread_;
  const PeerHealth& health_;
  const RpcOptions& options_;
  const ClusterLinks& links_;
  std::unique_ptr<RpcTransport> transport_;
  const PeerTable* peers_ = nullptr;
  WorkerCounters counters_;

  std::uint32_t notify_window_;  // of each sender
  std::vector<Outgoing> outbox_;
  std::vector<std::uint16_t> ack_now_;  // links
  std::vector<Aside> aside_;

  std::array<RpcHandler, 256> handlers_;
  std::vector<std::unique_ptr<RpcSession>> sessions_;  // [link]
  std::vector<RpcBatch*> owners_;                      // [0] is unused
  std::vector<std::uint16_t> free_owners_;
  std::vector<Call> calls_;
  std::vector<std::uint32_t> free_calls_;
  std::uint32_t open_calls_ = 0;
  std::uint32_t open_notifications_ = 0;

  TimerLists timers_;
  Nanoseconds now_ = 0;                  // at the beginning of this turn
  std::vector<FiberId> memory_waiters_;  // for a buffer
};

}  // namespace verbena::rdma
