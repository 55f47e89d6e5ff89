// Notifications that were sent and are not yet acknowledged.
#pragma once

#include <cstdint>
#include <span>

#include "rdma/device/doorbell.h"
#include "rdma/rpc/rpc_handler.h"
#include "rdma/rpc/rpc_sender.h"
#include "rdma/rpc/rpc_session.h"
#include "rdma/rpc/rpc_state.h"
#include "rdma/rpc/transport/rpc_message.h"

namespace verbena::rdma {

/// The notifications of one worker, in one window per peer: repeated until acknowledged.
/// Worker-local.
class RpcNotifications {
 public:
  /// Both must outlive it.
  RpcNotifications(RpcState& rpc, RpcSender& sender) : rpc_(rpc), sender_(sender) {}

  /// Sends a notification. Suspends the fiber while the window is full. Does nothing for a dead
  /// peer.
  void send(RpcSession& session, RpcMethod method, std::span<const std::byte> request,
            Doorbell doorbell);

  /// Repeats unacknowledged notifications. Throws PeerMissing after the last repetition.
  void repeat(RpcSession& session);

  /// Forgets the notifications to a dead peer.
  void drop(RpcSession& session);

  /// Takes acknowledgements from the header of a message.
  void receive_acks(RpcSession& session, const MessageHeader& header);
  /// Takes acknowledgements from a message that brings nothing else.
  void receive_ack_map(RpcSession& session, std::span<const std::byte> payload);

  /// True if all are acknowledged.
  bool idle() const { return open_ == 0; }

 private:
  bool acknowledge(SessionNotifications& state, std::uint32_t number);
  void acknowledged(SessionNotifications& state);

  RpcState& rpc_;
  RpcSender& sender_;
  std::uint32_t open_ = 0;
};

}  // namespace verbena::rdma
