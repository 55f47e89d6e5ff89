// What arrives: requests, replies, notifications and acknowledgements.
#include <bit>
#include <cassert>
#include <cstring>

#include "rdma/rpc/rpc.h"
#include "rdma/rpc/rpc_timers.h"

namespace verbena::rdma {
bool Rpc::poll() {
  if (!aside_.empty()) execute_set_aside();
  const std::span<const Arrival> arrivals = transport_->poll();
  for (const Arrival& arrival : arrivals) {
    receive(arrival);
    transport_->dealt_with();
  }
  return !arrivals.empty();
}

void Rpc::receive(const Arrival& arrival) {
  thread_.core().note(Notice::kMessage, reinterpret_cast<std::uintptr_t>(arrival.header));
  thread_.core().spend(Work::kRpcDispatch);
  RpcSession* sender = session_of_sender(arrival.link);
  if (sender == nullptr || health_.is_dead(sender->peer)) {
    ++counters_.foreign;
    return;
  }
  const MessageHeader& header = *arrival.header;
  const std::span<const std::byte> payload(reinterpret_cast<const std::byte*>(&header + 1),
                                           arrival.payload_bytes);
  receive_acks(*sender, header);
  execute(*sender, header, payload);
}

void Rpc::execute(RpcSession& session, const MessageHeader& header,
                  std::span<const std::byte> payload) {
  switch (header.kind) {
    case MessageKind::kRequest:
      receive_request(session, header, payload);
      break;
    case MessageKind::kReply:
      receive_reply(session, header, payload);
      break;
    case MessageKind::kNotification:
      receive_notification(session, header, payload);
      break;
    case MessageKind::kAck:
      receive_ack_map(session, payload);
      break;
    default:
      ++counters_.foreign;
      break;
  }
}

void Rpc::receive_request(RpcSession& session, const MessageHeader& header,
                          std::span<const std::byte> payload) {
  if (header.slot >= options_.slots_per_peer) {
    ++counters_.foreign;
    return;
  }
  if (header.slot >= session.callee_slots.size()) {
    session.callee_slots.resize(header.slot + 1U, {.sequence = options_.first_number});
  }
  RpcSession::CalleeSlot& slot = session.callee_slots[header.slot];
  const auto ahead = static_cast<std::int32_t>(header.sequence - slot.sequence);
  if (ahead <= 0) {
    ++counters_.duplicates;
    // Its reply may have been lost. An older call's has arrived, or its caller has given up.
    if (ahead < 0) {
      thread_.core().reach("rpc: request comes after a later one of its slot");
    } else if (slot.reply < kNotKept && !(*transport_)[slot.reply].queued &&
               (*transport_)[slot.reply].references < UINT8_MAX) {
      thread_.core().reach("rpc: reply repeated");
      thread_.core().note(Notice::kComposed, address_of(slot.reply));
      send(session, slot.reply, Doorbell::kBatched);
    }
    return;
  }
  if (!transport_->can_reserve()) return lack_memory(session, header, payload);
  slot.sequence = header.sequence;
  if (slot.reply != kNoBuffer) settle(std::exchange(slot.reply, kNoBuffer));
  RpcReply reply(*this);
  run_handler({session.peer, session.peer_worker}, header.method, payload, reply);
  // Found to be dead meanwhile, it may have been served no more, and gets nothing that says so.
  if (health_.is_dead(session.peer)) return;
  const BufferId buffer = reply.take_buffer();
  write_header(session, buffer, MessageKind::kReply, header.method, header.slot, header.sequence);
  slot.reply =
      send_new(session, buffer, options_.batch_replies ? Doorbell::kBatched : Doorbell::kEach);
}

// There is none for a reply now. What may be lost comes again.
void Rpc::lack_memory(const RpcSession& session, const MessageHeader& header,
                      std::span<const std::byte> payload) {
  ++counters_.shortages;
  if (!transport_->lossless()) return;
  aside_.push_back({session.link, header, {payload.begin(), payload.end()}});
}

void Rpc::execute_set_aside() {
  const std::vector<Aside> messages = std::exchange(aside_, {});
  for (const Aside& message : messages) {
    RpcSession& session = *sessions_[message.link];
    if (!health_.is_dead(session.peer)) execute(session, message.header, message.payload);
  }
}

void Rpc::receive_reply(RpcSession& session, const MessageHeader& header,
                        std::span<const std::byte> payload) {
  if (header.slot >= session.caller_slots.size()) {
    ++counters_.foreign;
    return;
  }
  const RpcSession::CallerSlot& slot = session.caller_slots[header.slot];
  if (slot.call == UINT32_MAX || slot.sequence != header.sequence) {
    ++counters_.duplicates;
    thread_.core().reach("rpc: reply comes too late");
    return;
  }
  close_call(slot.call, payload, true);
}

void Rpc::receive_notification(RpcSession& session, const MessageHeader& header,
                               std::span<const std::byte> payload) {
  const std::uint32_t ahead = header.sequence - session.received_base;
  if (static_cast<std::int32_t>(ahead) < 0 ||
      (ahead < kMostUnacknowledged && session.received[ahead])) {
    ++counters_.duplicates;
    thread_.core().reach("rpc: notification received twice");
    request_ack(session);  // the acknowledgement seems to have been lost
    return;
  }
  if (ahead >= kMostUnacknowledged) {
    ++counters_.foreign;
    return;
  }
  // The handler may want to reply, in vain.
  if (!transport_->can_reserve()) return lack_memory(session, header, payload);
  if (ahead > 0) thread_.core().reach("rpc: notification overtakes an earlier one");
  session.received.set(ahead);
  for (; session.received[0]; session.received >>= 1) ++session.received_base;
  ++session.unacknowledged;
  if (session.unacknowledged >= (notify_window_ + 1) / 2) {
    thread_.core().reach("rpc: half of a window to be acknowledged");
    request_ack(session);
  } else {
    acknowledge_later(session);
  }
  RpcReply reply(*this);
  run_handler({session.peer, session.peer_worker}, header.method, payload, reply);
}

void Rpc::acknowledge_later(RpcSession& session) {
  if (session.ack_timer == kNoTimer) {
    session.ack_timer = timers_.create(timer_target(TimerKind::kAck, session.link));
  }
  if (!timers_.armed(session.ack_timer)) {
    timers_.arm(session.ack_timer, options_.retries + 1, now_ + options_.ack_delay);
  }
}

void Rpc::request_ack(RpcSession& session) {
  if (session.ack_now) return;
  session.ack_now = true;
  ack_now_.push_back(session.link);
}

void Rpc::receive_acks(RpcSession& session, const MessageHeader& header) {
  if (session.sent_base == session.sent_next) return;
  const std::int32_t ahead = header.acks_ahead_of(session.sent_base);
  if (ahead < 0) return thread_.core().reach("rpc: acknowledgement overtaken by a later one");
  const auto advance = static_cast<std::uint32_t>(ahead);
  const std::uint32_t open = session.sent_next - session.sent_base;
  if (advance > open) {
    ++counters_.foreign;
    return;
  }
  bool progress = false;
  for (std::uint32_t i = 0; i < advance; ++i) {
    progress = acknowledge(session, session.sent_base++) || progress;
  }
  for (std::uint32_t bits = header.ack_bits; bits != 0; bits &= bits - 1) {
    const std::uint32_t bit = static_cast<std::uint32_t>(std::countr_zero(bits)) + 1;
    if (bit >= open - advance) continue;
    thread_.core().reach("rpc: notification acknowledged before an earlier one");
    progress = acknowledge(session, session.sent_base + bit) || progress;
  }
  if (progress) acknowledged(session);
}

void Rpc::receive_ack_map(RpcSession& session, std::span<const std::byte> payload) {
  if (payload.empty()) return;
  AckMap map;
  if (payload.size() != sizeof map) {
    ++counters_.foreign;
    return;
  }
  thread_.core().reach("rpc: acknowledgements come as a map");
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

bool Rpc::acknowledge(RpcSession& session, std::uint32_t number) {
  BufferId& buffer = session.window[number % session.window.size()];
  if (buffer == kNoBuffer) return false;
  settle(std::exchange(buffer, kNoBuffer));
  assert(open_notifications_ > 0);
  --open_notifications_;
  return true;
}

void Rpc::acknowledged(RpcSession& session) {
  session.attempts = 0;
  if (session.sent_base == session.sent_next) {
    timers_.disarm(session.resend_timer);
  } else {
    timers_.arm(session.resend_timer, retry_list(0), now_ + retry_delay(0));
  }
  wake_all(session.window_waiters);
}

}  // namespace verbena::rdma
