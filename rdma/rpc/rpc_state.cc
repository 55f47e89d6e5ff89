// Repetitions, and fibers that wait.
#include "rdma/rpc/rpc_state.h"

#include <algorithm>
#include <string>

#include "rdma/base/errors.h"

namespace verbena::rdma {

RpcState::RpcState(const WorkerContext& context)
    : thread(context.thread),
      health(context.health),
      options(context.options.rpc),
      transport(RpcTransport::create(context)),
      timers(options.retries + 2) {}

std::uintptr_t RpcState::address_of(BufferId buffer) const {
  return reinterpret_cast<std::uintptr_t>((*transport)[buffer].address);
}

std::size_t RpcState::retry_list(std::uint32_t attempts) const {
  return std::min(attempts, options.retries);
}

Nanoseconds RpcState::retry_delay(std::uint32_t attempts) const {
  Nanoseconds delay = options.timeout;
  for (std::uint32_t i = 0; i < attempts && delay < options.max_timeout; ++i) delay *= 2;
  return std::min(delay, options.max_timeout);
}

void RpcState::arm_retry(TimerId timer, std::uint32_t attempts) {
  timers.arm(timer, retry_list(attempts), now + retry_delay(attempts));
}

void RpcState::throw_missing(NodeId peer, const char* what) const {
  throw PeerMissing(health.describe(peer) + " " + what + " (asked by worker " +
                    std::to_string(thread.id()) + " of node " + std::to_string(thread.node()) +
                    ")");
}

void RpcState::wait_in(std::vector<FiberId>& waiters) {
  waiters.push_back(thread.current_fiber());
  thread.suspend();
}

void RpcState::wake_all(std::vector<FiberId>& waiters) {
  for (const FiberId fiber : waiters) thread.make_ready(fiber);
  waiters.clear();
}

}  // namespace verbena::rdma
