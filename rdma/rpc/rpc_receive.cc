// Messages that arrive: requests, replies, notifications and acknowledgements.
#include <utility>

#include "rdma/rpc/rpc.h"

namespace verbena::rdma {

bool Rpc::poll() {
  if (!aside_.empty()) execute_set_aside();
  const std::span<const Arrival> arrivals = rpc_.transport->poll();
  for (const Arrival& arrival : arrivals) {
    receive(arrival);
    rpc_.transport->dealt_with();
  }
  return !arrivals.empty();
}

void Rpc::receive(const Arrival& arrival) {
  rpc_.thread.core().note(Notice::kMessage, reinterpret_cast<std::uintptr_t>(arrival.header));
  rpc_.thread.core().spend(Work::kRpcDispatch);
  RpcSession* sender = sessions_.of_sender(arrival.link);
  if (sender == nullptr || rpc_.health.is_dead(sender->peer)) {
    ++rpc_.counters.foreign;
    return;
  }
  const MessageHeader& header = *arrival.header;
  const std::span<const std::byte> payload(reinterpret_cast<const std::byte*>(&header + 1),
                                           arrival.payload_bytes);
  notifications_.receive_acks(*sender, header);
  execute(*sender, header, payload);
}

void Rpc::execute(RpcSession& session, const MessageHeader& header,
                  std::span<const std::byte> payload) {
  switch (header.kind) {
    case MessageKind::kRequest:
      receive_request(session, header, payload);
      break;
    case MessageKind::kReply:
      calls_.receive(session, header, payload);
      break;
    case MessageKind::kNotification:
      receive_notification(session, header, payload);
      break;
    case MessageKind::kAck:
      notifications_.receive_ack_map(session, payload);
      break;
    default:
      ++rpc_.counters.foreign;
      break;
  }
}

void Rpc::receive_request(RpcSession& session, const MessageHeader& header,
                          std::span<const std::byte> payload) {
  if (header.slot >= rpc_.options.slots_per_peer) {
    ++rpc_.counters.foreign;
    return;
  }
  if (header.slot >= session.callee_slots.size()) {
    session.callee_slots.grow(header.slot + 1U, {.sequence = rpc_.options.first_number});
  }
  RpcSession::CalleeSlot& slot = session.callee_slots[header.slot];
  const auto ahead = static_cast<std::int32_t>(header.sequence - slot.sequence);
  if (ahead <= 0) {
    ++rpc_.counters.duplicates;
    // Its reply may have been lost. An older call's has arrived, or its caller has given up.
    if (ahead < 0) {
      rpc_.thread.core().reach("rpc: request comes after a later one of its slot");
    } else if (slot.reply < kNotKept && !(*rpc_.transport)[slot.reply].queued &&
               (*rpc_.transport)[slot.reply].references < UINT8_MAX) {
      rpc_.thread.core().reach("rpc: reply repeated");
      rpc_.thread.core().note(Notice::kComposed, rpc_.address_of(slot.reply));
      sender_.send(session, slot.reply, Doorbell::kBatched);
    }
    return;
  }
  if (!rpc_.transport->can_reserve()) return lack_memory(session, header, payload);
  slot.sequence = header.sequence;
  if (slot.reply != kNoBuffer) sender_.settle(std::exchange(slot.reply, kNoBuffer));
  RpcReply reply(*this);
  run_handler({session.peer, session.peer_worker}, header.method, payload, reply);
  // Found to be dead meanwhile, it may have been served no more, and gets nothing that says so.
  if (rpc_.health.is_dead(session.peer)) return;
  const BufferId buffer = reply.take_buffer();
  sender_.write_header(session, buffer, MessageKind::kReply, header.method, header.slot,
                       header.sequence);
  slot.reply = sender_.send_new(session, buffer,
                                rpc_.options.batch_replies ? Doorbell::kBatched : Doorbell::kEach);
}

// There is none for a reply now. What may be lost comes again.
void Rpc::lack_memory(const RpcSession& session, const MessageHeader& header,
                      std::span<const std::byte> payload) {
  ++rpc_.counters.shortages;
  if (!rpc_.transport->lossless()) return;
  aside_.push_back({session.link, header, {payload.begin(), payload.end()}});
}

void Rpc::execute_set_aside() {
  const std::vector<Aside> messages = std::exchange(aside_, {});
  for (const Aside& message : messages) {
    RpcSession& session = sessions_.opened(message.link);
    if (!rpc_.health.is_dead(session.peer)) execute(session, message.header, message.payload);
  }
}

void Rpc::receive_notification(RpcSession& session, const MessageHeader& header,
                               std::span<const std::byte> payload) {
  SessionNotifications& state = session.need_notifications(rpc_.options.first_number);
  const std::uint32_t ahead = header.sequence - state.received_base;
  if (static_cast<std::int32_t>(ahead) < 0 ||
      (ahead < kMostUnacknowledged && state.received[ahead])) {
    ++rpc_.counters.duplicates;
    rpc_.thread.core().reach("rpc: notification received twice");
    sender_.acknowledge_now(session);  // the acknowledgement seems to have been lost
    return;
  }
  if (ahead >= kMostUnacknowledged) {
    ++rpc_.counters.foreign;
    return;
  }
  // The handler may want to reply, in vain.
  if (!rpc_.transport->can_reserve()) return lack_memory(session, header, payload);
  if (ahead > 0) rpc_.thread.core().reach("rpc: notification overtakes an earlier one");
  state.received.set(ahead);
  for (; state.received[0]; state.received >>= 1) ++state.received_base;
  ++state.unacknowledged;
  if (state.unacknowledged >= (notify_window_ + 1) / 2) {
    rpc_.thread.core().reach("rpc: half of a window to be acknowledged");
    sender_.acknowledge_now(session);
  } else {
    sender_.acknowledge_later(session);
  }
  RpcReply reply(*this);
  run_handler({session.peer, session.peer_worker}, header.method, payload, reply);
}

}  // namespace verbena::rdma
