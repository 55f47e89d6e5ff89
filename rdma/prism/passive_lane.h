// Passive requests of one worker to one server, where cores carry requests out.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "rdma/base/types.h"
#include "rdma/device/doorbell.h"
#include "rdma/fibers/worker_thread.h"
#include "rdma/rpc/rpc.h"
#include "rdma/rpc/rpc_batch.h"

namespace verbena::rdma {

/// Sends messages that no fiber waits for, one at a time. Datagrams may overtake each other. So a
/// message to be carried out behind these tells their number (RequestMessageHeader::behind); if it
/// came too early, it is sent again once they have been answered. Worker-local.
class PassiveLane {
 public:
  PassiveLane(Rpc& rpc, NodeId server) : rpc_(rpc), server_(server), call_(rpc) {}

  /// Number of messages sent.
  std::uint32_t sent() const { return sent_; }

  /// Sends a message once the one before it has been answered; suspends the fiber until then.
  /// Throws PeerMissing when the server did not answer an earlier one, or is dead.
  void send(std::span<const std::byte> message, Doorbell doorbell);

  /// Suspends the fiber until all messages sent are answered. Throws as send() does.
  void settle();

  /// Throws PeerMissing when the last message was not answered, unless the server is dead. Called
  /// when no call of the worker is in flight.
  void check();

 private:
  void hold();
  void release();
  void await_last();
  template <typename Action>
  void holding(Action&& action);

  Rpc& rpc_;
  NodeId server_;
  RpcBatch call_;
  std::uint32_t sent_ = 0;
  bool held_ = false;
  std::vector<FiberId> waiters_;  // for the lane, the first to come first
  std::string failure_;           // of a message that was not answered
};

}  // namespace verbena::rdma
