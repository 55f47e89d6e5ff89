// State that the parts of one worker's RPCs share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "rdma/base/time.h"
#include "rdma/base/types.h"
#include "rdma/device/endpoint_options.h"
#include "rdma/device/worker_context.h"
#include "rdma/device/worker_counters.h"
#include "rdma/fibers/fiber_scheduler.h"
#include "rdma/memory/buffer_pool.h"
#include "rdma/rpc/timer_lists.h"
#include "rdma/rpc/transport/rpc_transport.h"

namespace verbena::rdma {

/// Sends of one message that may be in flight at a time.
inline constexpr std::uint8_t kMaxReferences = 100;

/// The thread, the transport, timers, counters, and fibers that wait. Worker-local.
struct RpcState {
  explicit RpcState(const WorkerContext& context);

  /// Address of a buffer in registered memory, as notices name it.
  std::uintptr_t address_of(BufferId buffer) const;

  /// Number of the list of timers for the repetition after `attempts`.
  std::size_t retry_list(std::uint32_t attempts) const;
  /// Time until the repetition after `attempts`: twice that of the one before.
  Nanoseconds retry_delay(std::uint32_t attempts) const;
  /// Arms a timer for the repetition after `attempts`.
  void arm_retry(TimerId timer, std::uint32_t attempts);

  /// Throws PeerMissing, which says what `peer` did or did not do.
  [[noreturn]] void throw_missing(NodeId peer, const char* what) const;

  /// Suspends the current fiber until it is woken as one of `waiters`.
  void wait_in(std::vector<FiberId>& waiters);
  void wake_all(std::vector<FiberId>& waiters);

  WorkerThread& thread;
  const PeerHealth& health;
  const RpcOptions& options;
  std::unique_ptr<RpcTransport> transport;
  WorkerCounters counters;
  TimerLists timers;
  Nanoseconds now = 0;                  ///< at the beginning of this turn
  std::vector<FiberId> memory_waiters;  ///< for a buffer
};

}  // namespace verbena::rdma
