// Posting, and acknowledgements.
#include "rdma/rpc/rpc_sender.h"

#include <algorithm>
#include <bitset>
#include <cstring>
#include <utility>

#include "rdma/base/cache_line.h"
#include "rdma/rpc/rpc_timers.h"

namespace verbena::rdma {
namespace {

/// As many as a header has room for.
constexpr std::bitset<kMostUnacknowledged> kAckBits{UINT16_MAX};

}  // namespace

// How many messages leave in one turn is a matter of timing, so the first time may be late: room
// for as many as leave at once, and for an acknowledgement to each peer.
RpcSender::RpcSender(RpcState& rpc, RpcSessions& sessions) : rpc_(rpc), sessions_(sessions) {
  outbox_.reserve(rpc.options.send_queue_depth);
  ack_now_.reserve(sessions.all().size());
}

BufferId RpcSender::take_buffer(std::span<const std::byte> payload) const {
  const BufferId id = rpc_.transport->reserve(sizeof(MessageHeader) + payload.size());
  if (id != kNoBuffer && !payload.empty()) {
    rpc_.thread.core().spend(Work::kCopyLine, cache_lines(payload.size()));
    std::memcpy((*rpc_.transport)[id].address + sizeof(MessageHeader), payload.data(),
                payload.size());
  }
  return id;
}

void RpcSender::write_header(const RpcSession& session, BufferId buffer, MessageKind kind,
                             RpcMethod method, std::uint16_t slot, std::uint32_t sequence) {
  rpc_.transport->header(buffer) = {
      kind, method, static_cast<std::uint8_t>(slot), 0, session.envelope, sequence, 0, 0};
  rpc_.thread.core().spend(Work::kRpcBuild);
  rpc_.thread.core().note(Notice::kComposed, rpc_.address_of(buffer));
}

void RpcSender::write_acks(RpcSession& session, MessageHeader& header) {
  if (session.notifications == nullptr) {
    header.set_ack_base(rpc_.options.first_number);
    header.ack_bits = 0;
    return;
  }
  SessionNotifications& state = *session.notifications;
  header.set_ack_base(state.received_base);
  header.ack_bits = static_cast<std::uint16_t>((state.received >> 1 & kAckBits).to_ulong());
  state.ack_now = false;
  state.unacknowledged = 0;
  if (state.ack_timer != kNoTimer) rpc_.timers.disarm(state.ack_timer);
}

BufferId RpcSender::send_new(const RpcSession& session, BufferId buffer, Doorbell doorbell) {
  const bool once = rpc_.transport->lossless();
  if (once) (*rpc_.transport)[buffer].released = true;
  send(session, buffer, doorbell);
  return once ? kNotKept : buffer;
}

void RpcSender::send(const RpcSession& session, BufferId buffer, Doorbell doorbell) {
  Buffer& state = (*rpc_.transport)[buffer];
  ++state.references;
  state.queued = true;
  outbox_.push_back({buffer, session.link});
  if (doorbell == Doorbell::kEach && outbox_.size() == 1) post_outgoing(1);
}

void RpcSender::post_outgoing(std::size_t limit) {
  const std::size_t most = std::min(limit, rpc_.transport->room());
  std::size_t taken = 0;
  std::size_t chained = 0;  // these go to the front
  for (; taken < outbox_.size() && chained < most; ++taken) {
    const Outgoing outgoing = outbox_[taken];
    Buffer& buffer = (*rpc_.transport)[outgoing.buffer];
    MessageHeader& header = rpc_.transport->header(outgoing.buffer);
    buffer.queued = false;
    if (buffer.released && header.kind != MessageKind::kAck && !rpc_.transport->lossless()) {
      rpc_.thread.core().reach("rpc: message settled while it waits to be sent again");
      rpc_.transport->unreference(outgoing.buffer);
      continue;
    }
    // An earlier send of the same message may still be read by the NIC; its acknowledgements then
    // stay as they were.
    if (buffer.references == 1) {
      write_acks(sessions_.opened(outgoing.link), header);
    } else {
      rpc_.thread.core().reach("rpc: message sent again while the NIC may read it");
    }
    outbox_[chained++] = outgoing;
  }
  if (chained > 0) rpc_.transport->send(std::span(outbox_).first(chained));
  if (taken == outbox_.size()) {
    outbox_.clear();
  } else {
    if (most < limit) rpc_.thread.core().reach("rpc: messages wait for room in the send queue");
    outbox_.erase(outbox_.begin(), outbox_.begin() + static_cast<std::ptrdiff_t>(taken));
  }
}

BufferId RpcSender::take_ack_buffer(const SessionNotifications& state) const {
  if (state.received.none()) return take_buffer({});
  constexpr std::bitset<kMostUnacknowledged> kWord{UINT32_MAX};
  AckMap map{state.received_base, {}};
  for (std::size_t i = 0; i < std::size(map.words); ++i) {
    map.words[i] = static_cast<std::uint32_t>((state.received >> 32 * i & kWord).to_ulong());
  }
  return take_buffer(std::as_bytes(std::span(&map, 1)));
}

void RpcSender::queue_due_acks() {
  for (const std::uint16_t link : ack_now_) {
    RpcSession& session = sessions_.opened(link);
    if (!session.notifications->ack_now) {
      rpc_.thread.core().reach("rpc: another message carries the acknowledgement that is due");
      continue;
    }
    session.notifications->ack_now = false;
    const BufferId buffer = take_ack_buffer(*session.notifications);
    if (buffer == kNoBuffer) {
      // Where messages may be lost, the sender asks again; elsewhere it is told later.
      if (rpc_.transport->lossless()) acknowledge_later(session);
      continue;
    }
    write_header(session, buffer, MessageKind::kAck, 0, 0, 0);
    ++rpc_.counters.explicit_acks;
    rpc_.thread.core().reach("rpc: acknowledgement sent on its own");
    send(session, buffer, Doorbell::kBatched);
    (*rpc_.transport)[buffer].released = true;  // nothing answers an acknowledgement
  }
  ack_now_.clear();
}

void RpcSender::acknowledge_now(RpcSession& session) {
  if (std::exchange(session.notifications->ack_now, true)) return;
  ack_now_.push_back(session.link);
}

void RpcSender::acknowledge_later(RpcSession& session) {
  TimerId& timer = session.notifications->ack_timer;
  if (timer == kNoTimer) {
    timer = rpc_.timers.create(timer_target(TimerKind::kAck, session.link));
  }
  if (!rpc_.timers.armed(timer)) {
    rpc_.timers.arm(timer, rpc_.options.retries + 1, rpc_.now + rpc_.options.ack_delay);
  }
}

void RpcSender::flush() {
  if (!outbox_.empty()) post_outgoing(SIZE_MAX);
  if (ack_now_.empty()) return;
  queue_due_acks();
  post_outgoing(SIZE_MAX);
}

}  // namespace verbena::rdma
