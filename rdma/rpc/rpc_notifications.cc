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
  BufferId buffer = kNoBuffer;
  for (;;) {
    if (rpc_.health.is_dead(session.peer)) return;
    const bool room = session.sent_next - session.sent_base < session.notify_window;
    if (room) buffer = sender_.take_buffer(request);
    if (buffer != kNoBuffer) break;
    if (!room) rpc_.thread.core().reach("rpc: window of notifications to a peer full");
    rpc_.wait_in(room ? rpc_.memory_waiters : session.window_waiters);
  }
  if (session.window.empty()) {
    session.window.assign(std::bit_ceil(std::uint32_t{session.notify_window}), kNoBuffer);
    session.resend_timer = rpc_.timers.create(timer_target(TimerKind::kResend, session.link));
  }
  const std::uint32_t sequence = session.sent_next++;
  sender_.write_header(session, buffer, MessageKind::kNotification, method, 0, sequence);
  if (!rpc_.timers.armed(session.resend_timer)) {
    session.attempts = 0;
    rpc_.arm_retry(session.resend_timer, 0);
  }
  ++open_;
  ++rpc_.counters.notifications;
  session.window[sequence % session.window.size()] = sender_.send_new(session, buffer, doorbell);
}

void RpcNotifications::repeat(RpcSession& session) {
  if (session.sent_base == session.sent_next) return;
  if (session.attempts == rpc_.options.retries) {
    if (!rpc_.health.is_dead(session.peer)) {
      rpc_.throw_missing(session.peer, "acknowledged no notification for too long");
    }
    drop(session);
    return;
  }
  ++session.attempts;
  rpc_.arm_retry(session.resend_timer, session.attempts);
  if (rpc_.transport->lossless()) return;
  std::uint32_t repeated = 0;
  for (std::uint32_t n = session.sent_base; n != session.sent_next && repeated < kResendAtOnce;
       ++n) {
    const BufferId buffer = session.window[n % session.window.size()];
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
  for (; session.sent_base != session.sent_next; ++session.sent_base) {
    BufferId& buffer = session.window[session.sent_base % session.window.size()];
    if (buffer == kNoBuffer) continue;
    sender_.settle(std::exchange(buffer, kNoBuffer));
    --open_;
  }
  if (session.resend_timer != kNoTimer) rpc_.timers.disarm(session.resend_timer);
  rpc_.wake_all(session.window_waiters);
}

void RpcNotifications::receive_acks(RpcSession& session, const MessageHeader& header) {
  if (session.sent_base == session.sent_next) return;
  const std::int32_t ahead = header.acks_ahead_of(session.sent_base);
  if (ahead < 0) return rpc_.thread.core().reach("rpc: acknowledgement overtaken by a later one");
  const auto advance = static_cast<std::uint32_t>(ahead);
  const std::uint32_t open = session.sent_next - session.sent_base;
  if (advance > open) {
    ++rpc_.counters.foreign;
    return;
  }
  bool progress = false;
  for (std::uint32_t i = 0; i < advance; ++i) {
    progress = acknowledge(session, session.sent_base++) || progress;
  }
  for (std::uint32_t bits = header.ack_bits; bits != 0; bits &= bits - 1) {
    const std::uint32_t bit = static_cast<std::uint32_t>(std::countr_zero(bits)) + 1;
    if (bit >= open - advance) continue;
    rpc_.thread.core().reach("rpc: notification acknowledged before an earlier one");
    progress = acknowledge(session, session.sent_base + bit) || progress;
  }
  if (progress) acknowledged(session);
}

void RpcNotifications::receive_ack_map(RpcSession& session, std::span<const std::byte> payload) {
  if (payload.empty()) return;
  AckMap map;
  if (payload.size() != sizeof map) {
    ++rpc_.counters.foreign;
    return;
  }
  rpc_.thread.core().reach("rpc: acknowledgements come as a map");
  std::memcpy(&map, payload.data(), sizeof map);
  bool progress = false;
  for (std::uint32_t i = 0; i < kMostUnacknowledged; ++i) {
    const std::uint32_t number = map.base + i;
    const bool open = number - session.sent_base < session.sent_next - session.sent_base;
    if (open && (map.words[i / 32] >> i % 32 & 1) != 0) {
      progress = acknowledge(session, number) || progress;
    }
  }
  if (progress) acknowledged(session);
}

bool RpcNotifications::acknowledge(RpcSession& session, std::uint32_t number) {
  BufferId& buffer = session.window[number % session.window.size()];
  if (buffer == kNoBuffer) return false;
  sender_.settle(std::exchange(buffer, kNoBuffer));
  assert(open_ > 0);
  --open_;
  return true;
}

void RpcNotifications::acknowledged(RpcSession& session) {
  session.attempts = 0;
  if (session.sent_base == session.sent_next) {
    rpc_.timers.disarm(session.resend_timer);
  } else {
    rpc_.arm_retry(session.resend_timer, 0);
  }
  rpc_.wake_all(session.window_waiters);
}

}  // namespace verbena::rdma
