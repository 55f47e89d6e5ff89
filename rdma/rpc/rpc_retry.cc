// What happens when an answer does not come: retransmission with back-off, and the end of patience.
#include <algorithm>
#include <string>

#include "rdma/base/errors.h"
#include "rdma/rpc/rpc.h"
#include "rdma/rpc/rpc_timers.h"

namespace verbena::rdma {
namespace {

/// Notifications repeated at a time; the acknowledgement of one shows which of the others are
/// missing.
constexpr std::uint32_t kResendAtOnce = 16;
/// Sends of one message that may be in flight at a time.
constexpr std::uint8_t kMaxReferences = 100;

}  // namespace

std::size_t Rpc::retry_list(std::uint32_t attempts) const {
  return std::min(attempts, options_.retries);
}

Nanoseconds Rpc::retry_delay(std::uint32_t attempts) const {
  Nanoseconds delay = options_.timeout;
  for (std::uint32_t i = 0; i < attempts && delay < options_.max_timeout; ++i) delay *= 2;
  return std::min(delay, options_.max_timeout);
}

void Rpc::throw_missing(NodeId peer, const char* what) const {
  throw PeerMissing(health_.describe(peer) + " " + what + " (asked by worker " +
                    std::to_string(thread_.id()) + " of node " + std::to_string(thread_.node()) +
                    ")");
}

void Rpc::tick(Nanoseconds now) {
  now_ = now;
  if (transport_->has_unreachable()) drop_unreachable();
  for (TimerId timer = timers_.take_due(now); timer != kNoTimer; timer = timers_.take_due(now)) {
    const std::uint32_t target = timers_.target(timer);
    const std::uint32_t number = timer_number(target);
    switch (timer_kind(target)) {
      case TimerKind::kCall:
        retry_call(number);
        break;
      case TimerKind::kResend:
        retry_notifications(*sessions_[number]);
        break;
      case TimerKind::kAck:
        request_ack(*sessions_[number]);
        break;
    }
  }
}

void Rpc::retry_call(std::uint32_t number) {
  Call& call = calls_[number];
  const RpcSession& session = *sessions_[call.link];
  if (call.attempts == options_.retries || health_.is_dead(session.peer)) {
    close_call(number, {}, false);
    return;
  }
  ++call.attempts;
  timers_.arm(call.timer, retry_list(call.attempts), now_ + retry_delay(call.attempts));
  if (transport_->lossless()) return;
  const Buffer& buffer = (*transport_)[call.buffer];
  if (buffer.queued || buffer.references > kMaxReferences) return;
  ++counters_.retransmissions;
  thread_.core().reach("rpc: request repeated");
  thread_.core().note(Notice::kRepeated, address_of(call.buffer));
  send(session, call.buffer, Doorbell::kBatched);
}

void Rpc::retry_notifications(RpcSession& session) {
  if (session.sent_base == session.sent_next) return;
  if (session.attempts == options_.retries) {
    if (!health_.is_dead(session.peer)) {
      throw_missing(session.peer, "acknowledged no notification for too long");
    }
    drop_notifications(session);
    return;
  }
  ++session.attempts;
  timers_.arm(session.resend_timer, retry_list(session.attempts),
              now_ + retry_delay(session.attempts));
  if (transport_->lossless()) return;
  std::uint32_t repeated = 0;
  for (std::uint32_t n = session.sent_base; n != session.sent_next && repeated < kResendAtOnce;
       ++n) {
    const BufferId buffer = session.window[n % session.window.size()];
    if (buffer == kNoBuffer || (*transport_)[buffer].queued ||
        (*transport_)[buffer].references > kMaxReferences) {
      continue;
    }
    ++repeated;
    ++counters_.retransmissions;
    thread_.core().reach("rpc: notification repeated");
    thread_.core().note(Notice::kRepeated, address_of(buffer));
    send(session, buffer, Doorbell::kBatched);
  }
}

void Rpc::drop_notifications(RpcSession& session) {
  for (; session.sent_base != session.sent_next; ++session.sent_base) {
    BufferId& buffer = session.window[session.sent_base % session.window.size()];
    if (buffer == kNoBuffer) continue;
    settle(std::exchange(buffer, kNoBuffer));
    --open_notifications_;
  }
  if (session.resend_timer != kNoTimer) timers_.disarm(session.resend_timer);
  wake_all(session.window_waiters);
}

template <typename Condition>
void Rpc::drop_calls(Condition&& to_be_dropped) {
  for (std::uint32_t number = 0; number < calls_.size(); ++number) {
    const Call& call = calls_[number];
    const RpcSession& session = *sessions_[call.link];
    const auto& slots = session.caller_slots;
    const bool open = call.slot < slots.size() && slots[call.slot].call == number;
    if (open && to_be_dropped(session)) close_call(number, {}, false);
  }
}

// Calls fail now, as they would when patience ends; until then a peer whose notifications are not
// acknowledged may be declared dead.
void Rpc::drop_unreachable() {
  for (const std::uint16_t link : transport_->take_unreachable()) {
    RpcSession& failed = session(link);
    failed.unreachable = true;
    drop_calls([&failed](const RpcSession& session) { return &session == &failed; });
    wake_all(failed.slot_waiters);
  }
}

void Rpc::drop_dead() {
  drop_calls([this](const RpcSession& session) { return health_.is_dead(session.peer); });
  for (const auto& session : sessions_) {
    if (session != nullptr && health_.is_dead(session->peer)) {
      drop_notifications(*session);
      wake_all(session->slot_waiters);
    }
  }
  wake_all(memory_waiters_);
}

}  // namespace verbena::rdma
