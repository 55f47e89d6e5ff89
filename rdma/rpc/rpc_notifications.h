// Notifications that were sent and are not acknowledged yet.
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

/// The windows of notifications of one worker, one to each peer: repeated until acknowledged.
/// Worker-local.
class RpcNotifications {
 public:
  /// Both must outlive it.
  RpcNotifications(RpcState& rpc, RpcSender& sender) : rpc_(rpc), sender_(sender) {}

  /// Sends one. Suspends the fiber while the window is full; to a peer that is dead, it does
  /// nothing.
  void send(RpcSession& session, RpcMethod method, std::span<const std::byte> request,
            Doorbell doorbell);

  /// Repeats those that are not acknowledged. Throws PeerMissing at the end of patience.
  void repeat(RpcSession& session);

  /// Forgets those to a peer that is dead.
  void drop(RpcSession& session);

  /// Takes acknowledgements from the header of a message.
  void receive_acks(RpcSession& session, const MessageHeader& header);
  /// Takes those of a message that brings nothing else.
  void receive_ack_map(RpcSession& session, std::span<const std::byte> payload);

  /// True if all are acknowledged.
  bool idle() const { return open_ == 0; }

 private:
  bool acknowledge(RpcSession& session, std::uint32_t number);
  void acknowledged(RpcSession& session);

  RpcState& rpc_;
  RpcSender& sender_;
  std::uint32_t open_ = 0;
};

}  // namespace verbena::rdma
