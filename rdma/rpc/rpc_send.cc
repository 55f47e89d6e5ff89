// How RPC messages leave: headers, acknowledgements, and what leaves together.
#include <algorithm>
#include <cstring>

#include "rdma/base/cache_line.h"
#include "rdma/rpc/rpc.h"

namespace verbena::rdma {
namespace {

/// As many as a header has room for.
constexpr std::bitset<kMostUnacknowledged> kAckBits{UINT16_MAX};

}  // namespace

BufferId Rpc::take_buffer(std::span<const std::byte> payload) {
  const BufferId id = transport_->reserve(sizeof(MessageHeader) + payload.size());
  if (id != kNoBuffer && !payload.empty()) {
    thread_.core().spend(Work::kCopyLine, cache_lines(payload.size()));
    std::memcpy((*transport_)[id].address + sizeof(MessageHeader), payload.data(), payload.size());
  }
  return id;
}

void Rpc::write_header(const RpcSession& session, BufferId buffer, MessageKind kind,
                       RpcMethod method, std::uint16_t slot, std::uint32_t sequence) {
  transport_->header(buffer) = {
      kind, method, static_cast<std::uint8_t>(slot), 0, session.envelope, sequence, 0, 0};
  thread_.core().spend(Work::kRpcBuild);
  thread_.core().note(Notice::kComposed, address_of(buffer));
}

std::uintptr_t Rpc::address_of(BufferId buffer) {
  return reinterpret_cast<std::uintptr_t>((*transport_)[buffer].address);
}

void Rpc::write_acks(RpcSession& session, MessageHeader& header) {
  header.set_ack_base(session.received_base);
  header.ack_bits = static_cast<std::uint16_t>((session.received >> 1 & kAckBits).to_ulong());
  session.ack_now = false;
  session.unacknowledged = 0;
  if (session.ack_timer != kNoTimer) timers_.disarm(session.ack_timer);
}

// Sends a message for the first time. Returns what to keep of it until it is settled.
BufferId Rpc::send_new(const RpcSession& session, BufferId buffer, Doorbell doorbell) {
  const bool once = transport_->lossless();
  if (once) (*transport_)[buffer].released = true;
  send(session, buffer, doorbell);
  return once ? kNotKept : buffer;
}

void Rpc::send(const RpcSession& session, BufferId buffer, Doorbell doorbell) {
  Buffer& state = (*transport_)[buffer];
  ++state.references;
  state.queued = true;
  outbox_.push_back({buffer, session.link});
  if (doorbell == Doorbell::kEach && outbox_.size() == 1) post_outgoing(1);
}

void Rpc::post_outgoing(std::size_t limit) {
  const std::size_t most = std::min(limit, transport_->room());
  std::size_t taken = 0;
  std::size_t chained = 0;  // these go to the front
  for (; taken < outbox_.size() && chained < most; ++taken) {
    const Outgoing outgoing = outbox_[taken];
    Buffer& buffer = (*transport_)[outgoing.buffer];
    MessageHeader& header = transport_->header(outgoing.buffer);
    buffer.queued = false;
    if (buffer.released && header.kind != MessageKind::kAck && !transport_->lossless()) {
      thread_.core().reach("rpc: message settled while it waits to be sent again");
      transport_->unreference(outgoing.buffer);
      continue;
    }
    // An earlier send of the same message may still be read by the NIC; its acknowledgements then
    // stay as they were.
    if (buffer.references == 1) {
      write_acks(*sessions_[outgoing.link], header);
    } else {
      thread_.core().reach("rpc: message sent again while the NIC may read it");
    }
    outbox_[chained++] = outgoing;
  }
  if (chained > 0) transport_->send(std::span(outbox_).first(chained));
  if (taken == outbox_.size()) {
    outbox_.clear();
  } else {
    if (most < limit) thread_.core().reach("rpc: messages wait for room in the send queue");
    outbox_.erase(outbox_.begin(), outbox_.begin() + static_cast<std::ptrdiff_t>(taken));
  }
}

BufferId Rpc::take_ack_buffer(const RpcSession& session) {
  if (session.received.none()) return take_buffer({});
  constexpr std::bitset<kMostUnacknowledged> kWord{UINT32_MAX};
  AckMap map{session.received_base, {}};
  for (std::size_t i = 0; i < std::size(map.words); ++i) {
    map.words[i] = static_cast<std::uint32_t>((session.received >> 32 * i & kWord).to_ulong());
  }
  return take_buffer(std::as_bytes(std::span(&map, 1)));
}

void Rpc::queue_due_acks() {
  for (const std::uint16_t link : ack_now_) {
    RpcSession& session = *sessions_[link];
    if (!session.ack_now) {
      thread_.core().reach("rpc: another message carries the acknowledgement that is due");
      continue;
    }
    session.ack_now = false;
    const BufferId buffer = take_ack_buffer(session);
    if (buffer == kNoBuffer) {
      // Where messages may be lost, the sender asks again; elsewhere it is told later.
      if (transport_->lossless()) acknowledge_later(session);
      continue;
    }
    write_header(session, buffer, MessageKind::kAck, 0, 0, 0);
    ++counters_.explicit_acks;
    thread_.core().reach("rpc: acknowledgement sent on its own");
    send(session, buffer, Doorbell::kBatched);
    (*transport_)[buffer].released = true;  // nothing answers an acknowledgement
  }
  ack_now_.clear();
}

void Rpc::flush() {
  if (!outbox_.empty()) post_outgoing(SIZE_MAX);
  if (!ack_now_.empty()) {
    queue_due_acks();
    post_outgoing(SIZE_MAX);
  }
  if (!memory_waiters_.empty() && transport_->gave_back()) wake_all(memory_waiters_);
}

}  // namespace verbena::rdma
