// Sending of RPC messages: headers, acknowledgements, and common doorbells.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "rdma/device/doorbell.h"
#include "rdma/memory/buffer_pool.h"
#include "rdma/rpc/rpc_handler.h"
#include "rdma/rpc/rpc_sessions.h"
#include "rdma/rpc/rpc_state.h"
#include "rdma/rpc/transport/rpc_message.h"
#include "rdma/rpc/transport/rpc_transport.h"

namespace verbena::rdma {

/// Messages of one worker that wait to be sent. Each also acknowledges its peer's notifications;
/// where none goes to a peer, an acknowledgement goes on its own. Worker-local.
class RpcSender {
 public:
  /// Both must outlive it.
  RpcSender(RpcState& rpc, RpcSessions& sessions);

  /// Takes a buffer with `payload` behind room for a header; kNoBuffer if there is none now.
  BufferId take_buffer(std::span<const std::byte> payload) const;

  void write_header(const RpcSession& session, BufferId buffer, MessageKind kind, RpcMethod method,
                    std::uint16_t slot, std::uint32_t sequence);

  /// Sends a message for the first time. Returns the buffer to keep until the message is settled.
  BufferId send_new(const RpcSession& session, BufferId buffer, Doorbell doorbell);

  /// Sends a message, perhaps again.
  void send(const RpcSession& session, BufferId buffer, Doorbell doorbell);

  /// Gives back the buffer that send_new returned.
  void settle(BufferId buffer) const {
    if (buffer < kNotKept) rpc_.transport->release(buffer);
  }

  /// Acknowledges what has come from the peer, notifications, at the next flush.
  void acknowledge_now(RpcSession& session);
  /// Acknowledges it after the delay of acknowledgements, if no message does before.
  void acknowledge_later(RpcSession& session);

  /// Posts at most `limit` waiting messages, under one doorbell.
  void post_outgoing(std::size_t limit);

  /// Posts all waiting messages, acknowledgements too.
  void flush();

  bool empty() const { return outbox_.empty(); }

 private:
  void write_acks(RpcSession& session, MessageHeader& header);
  BufferId take_ack_buffer(const SessionNotifications& state) const;
  void queue_due_acks();

  RpcState& rpc_;
  RpcSessions& sessions_;
  std::vector<Outgoing> outbox_;
  std::vector<std::uint16_t> ack_now_;  // links
};

}  // namespace verbena::rdma
