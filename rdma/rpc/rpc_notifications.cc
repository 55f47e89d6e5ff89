// Windows, repetition, acknowledgements.
#include "rdma/rpc/rpc_notifications.h"

#include <bit>
#include <cassert>
#include <cstring>
#include <utility>

#include "rdma/rpc/rpc_timers.h"

namespace verbena::rdma {
namespace {

/// Notifications repeated at a time; the acknowledgement of one shows which of the others are
/// missing.
constexpr std::uint32_t kResendAtOnce = 16;

}  // namespace

void RpcNotifications::send(RpcSession& session, RpcMethod method,
                            std::span<const std::byte> request, Doorbell doorbell) {
  SessionNotifications& state = session.need_notifications(rpc_.options.first_number);
  BufferId buffer = kNoBuffer;
  for (;;) {
    if (rpc_.health.is_dead(session.peer)) return;
    const bool room = state.sent_next - state.sent_base < session.notify_window;
    if (room) buffer = sender_.take_buffer(request);
    if (buffer != kNoBuffer) break;
    if (!room) rpc_.thread.core().reach("rpc: window of notifications to a peer full");
    rpc_.wait_in(room ? rpc_.memory_waiters : state.window_waiters);
  }
  if (state.window.empty()) {
    state.window.assign(std::bit_ceil(std::uint32_t{session.notify_window}), kNoBuffer);
    state.resend_timer = rpc_.timers.create(timer_target(TimerKind::kResend, session.link));
  }
  const std::uint32_t sequence = state.sent_next++;
  sender_.write_header(session, buffer, MessageKind::kNotification, method, 0, sequence);
  if (!rpc_.timers.armed(state.resend_timer)) {
    state.attempts = 0;
    rpc_.arm_retry(state.resend_timer, 0);
  }
  ++open_;
  ++rpc_.counters.notifications;
  state.window[sequence % state.window.size()] = sender_.send_new(session, buffer, doorbell);
}

void RpcNotifications::repeat(RpcSession& session) {
  SessionNotifications& state = *session.notifications;
  if (state.sent_base == state.sent_next) return;
  if (state.attempts == rpc_.options.retries) {
    if (!rpc_.health.is_dead(session.peer)) {
      rpc_.throw_missing(session.peer, "acknowledged no notification for too long");
    }
    drop(session);
    return;
  }
  ++state.attempts;
  rpc_.arm_retry(state.resend_timer, state.attempts);
  if (rpc_.transport->lossless()) return;
  std::uint32_t repeated = 0;
  for (std::uint32_t n = state.sent_base; n != state.sent_next && repeated < kResendAtOnce; ++n) {
    const BufferId buffer = state.window[n % state.window.size()];
    if (buffer == kNoBuffer || (*rpc_.transport)[buffer].queued ||
        (*rpc_.transport)[buffer].references > kMaxReferences) {
      continue;
    }
    ++repeated;
    ++rpc_.counters.retransmissions;
    rpc_.thread.core().reach("rpc: notification repeated");
    rpc_.thread.core().note(Notice::kRepeated, rpc_.address_of(buffer));
    sender_.send(session, buffer, Doorbell::kBatched);
  }
}

void RpcNotifications::drop(RpcSession& session) {
  if (session.notifications == nullptr) return;
  SessionNotifications& state = *session.notifications;
  for (; state.sent_base != state.sent_next; ++state.sent_base) {
    BufferId& buffer = state.window[state.sent_base % state.window.size()];
    if (buffer == kNoBuffer) continue;
    sender_.settle(std::exchange(buffer, kNoBuffer));
    --open_;
  }
  if (state.resend_timer != kNoTimer) rpc_.timers.disarm(state.resend_timer);
  rpc_.wake_all(state.window_waiters);
}

void RpcNotifications::receive_acks(RpcSession& session, const MessageHeader& header) {
  if (session.notifications == nullptr) return;
  SessionNotifications& state = *session.notifications;
  if (state.sent_base == state.sent_next) return;
  const std::int32_t ahead = header.acks_ahead_of(state.sent_base);
  if (ahead < 0) return rpc_.thread.core().reach("rpc: acknowledgement overtaken by a later one");
  const auto advance = static_cast<std::uint32_t>(ahead);
  const std::uint32_t open = state.sent_next - state.sent_base;
  if (advance > open) {
    ++rpc_.counters.foreign;
    return;
  }
  bool progress = false;
  for (std::uint32_t i = 0; i < advance; ++i) {
    progress = acknowledge(state, state.sent_base++) || progress;
  }
  for (std::uint32_t bits = header.ack_bits; bits != 0; bits &= bits - 1) {
    const std::uint32_t bit = static_cast<std::uint32_t>(std::countr_zero(bits)) + 1;
    if (bit >= open - advance) continue;
    rpc_.thread.core().reach("rpc: notification acknowledged before an earlier one");
    progress = acknowledge(state, state.sent_base + bit) || progress;
  }
  if (progress) acknowledged(state);
}

void RpcNotifications::receive_ack_map(RpcSession& session, std::span<const std::byte> payload) {
  if (payload.empty()) return;
  AckMap map;
  if (payload.size() != sizeof map) {
    ++rpc_.counters.foreign;
    return;
  }
  rpc_.thread.core().reach("rpc: acknowledgements come as a map");
  if (session.notifications == nullptr) return;
  SessionNotifications& state = *session.notifications;
  std::memcpy(&map, payload.data(), sizeof map);
  bool progress = false;
  for (std::uint32_t i = 0; i < kMostUnacknowledged; ++i) {
    const std::uint32_t number = map.base + i;
    const bool open = number - state.sent_base < state.sent_next - state.sent_base;
    if (open && (map.words[i / 32] >> i % 32 & 1) != 0) {
      progress = acknowledge(state, number) || progress;
    }
  }
  if (progress) acknowledged(state);
}

bool RpcNotifications::acknowledge(SessionNotifications& state, std::uint32_t number) {
  BufferId& buffer = state.window[number % state.window.size()];
  if (buffer == kNoBuffer) return false;
  sender_.settle(std::exchange(buffer, kNoBuffer));
  assert(open_ > 0);
  --open_;
  return true;
}

void RpcNotifications::acknowledged(SessionNotifications& state) {
  state.attempts = 0;
  if (state.sent_base == state.sent_next) {
    rpc_.timers.disarm(state.resend_timer);
  } else {
    rpc_.arm_retry(state.resend_timer, 0);
  }
  rpc_.wake_all(state.window_waiters);
}

}  // namespace verbena::rdma
