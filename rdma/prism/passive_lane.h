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

/// Messages that no fiber waits for, one at a time. Datagrams may overtake each other, so whatever
/// is to be carried out behind these says how many there are (RequestMessageHeader::behind), and is
/// sent again when it came too early and these have been answered. Worker-local.
class PassiveLane {
 public:
  PassiveLane(Rpc& rpc, NodeId server) : rpc_(rpc), server_(server), call_(rpc) {}

  /// How many have been sent.
  std::uint32_t sent() const { return sent_; }

  /// Sends one when the one before it has been answered, for which it suspends the fiber. Throws
  /// PeerMissing when the server did not answer an earlier one, or is dead.
  void send(std::span<const std::byte> message, Doorbell doorbell);

  /// Suspends the fiber until all that have been sent are answered. Throws as send() does.
  void settle();

  /// Called when no call of the worker is in flight: throws PeerMissing when the last one was not
  /// answered, unless the server is dead.
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
