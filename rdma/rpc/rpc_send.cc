// How RPC messages leave: buffers, headers, chains of requests, and what completions free.
#include <cassert>
#include <cerrno>
#include <cstring>
#include <utility>

#include "rdma/base/cache_line.h"
#include "rdma/base/errors.h"
#include "rdma/device/work_request_id.h"
#include "rdma/rpc/rpc.h"

namespace verbena::rdma {
namespace {

/// As many as a header has room for.
constexpr std::bitset<kMostUnacknowledged> kAckBits{UINT16_MAX};

}  // namespace

MessageHeader& Rpc::header(BufferId buffer) {
  return *reinterpret_cast<MessageHeader*>(pool_[buffer].address);
}

BufferId Rpc::take_buffer(std::span<const std::byte> payload) {
  const BufferId id = pool_.take(sizeof(MessageHeader) + payload.size());
  if (id == kNoBuffer) return id;
  Buffer& buffer = pool_[id];
  buffer.bytes = static_cast<std::uint32_t>(sizeof(MessageHeader) + payload.size());
  if (!payload.empty()) {
    thread_.core().spend(Work::kCopyLine, cache_lines(payload.size()));
    std::memcpy(buffer.address + sizeof(MessageHeader), payload.data(), payload.size());
  }
  return id;
}

void Rpc::write_header(const RpcSession& session, BufferId buffer, MessageKind kind,
                       RpcMethod method, std::uint16_t slot, std::uint32_t sequence) {
  header(buffer) = {
      kind, method, static_cast<std::uint8_t>(slot), 0, session.link_there, session.tag, sequence,
      0,    0};
  thread_.core().spend(Work::kRpcBuild);
}

void Rpc::write_acks(RpcSession& session, MessageHeader& header) {
  header.set_ack_base(session.received_base);
  header.ack_bits = static_cast<std::uint16_t>((session.received >> 1 & kAckBits).to_ulong());
  session.ack_now = false;
  session.unacknowledged = 0;
  if (session.ack_timer != kNoTimer) timers_.disarm(session.ack_timer);
}

void Rpc::send(const RpcSession& session, BufferId buffer, Doorbell doorbell) {
  ++pool_[buffer].references;
  pool_[buffer].queued = true;
  outbox_.push_back({buffer, session.link});
  if (doorbell == Doorbell::kEach && outbox_.size() == 1) post_outgoing(1);
}

void Rpc::settle(BufferId buffer) {
  if (pool_[buffer].references > 0) {
    pool_[buffer].released = true;
    return;
  }
  pool_.give_back(buffer);
  wake_all(memory_waiters_);
}

void Rpc::unreference(BufferId id) {
  Buffer& buffer = pool_[id];
  assert(buffer.references > 0);
  --buffer.references;
  if (buffer.references == 0 && buffer.released) {
    buffer.released = false;
    settle(id);
  }
}

ibv_send_wr& Rpc::prepare(std::size_t index, const Outgoing& outgoing) {
  Buffer& buffer = pool_[outgoing.buffer];
  RpcSession& session = *sessions_[outgoing.link];
  // An earlier send of the same message may still be read by the NIC; its acknowledgements then
  // stay as they were.
  if (buffer.references == 1) write_acks(session, header(outgoing.buffer));
  const bool inlined = buffer.bytes <= verbs_.datagram_inline_bytes;
  const bool signaled = queue_.signal_due();
  const std::uint32_t number = queue_.post(signaled);
  sending_[number & (sending_.size() - 1)] = inlined ? kNoBuffer : outgoing.buffer;
  if (inlined) inlined_.push_back(outgoing.buffer);
  elements_[index] = {reinterpret_cast<std::uint64_t>(buffer.address), buffer.bytes, local_key_};
  ibv_send_wr& request = requests_[index];
  request.wr_id =
      WorkRequestId{static_cast<std::uint16_t>(number), kDatagramChannel, kNoOwner, 0, false}
          .encode();
  request.next = nullptr;
  request.sg_list = &elements_[index];
  request.num_sge = 1;
  request.opcode = IBV_WR_SEND;
  request.send_flags =
      (signaled ? unsigned{IBV_SEND_SIGNALED} : 0U) | (inlined ? unsigned{IBV_SEND_INLINE} : 0U);
  request.wr.ud.ah = session.address.get();
  request.wr.ud.remote_qpn = session.queue_pair;
  request.wr.ud.remote_qkey = kQueueKey;
  return request;
}

void Rpc::post_outgoing(std::size_t limit) {
  std::size_t taken = 0;
  std::size_t chained = 0;
  for (; taken < outbox_.size() && chained < limit && queue_.room() > 0; ++taken) {
    const Outgoing& outgoing = outbox_[taken];
    pool_[outgoing.buffer].queued = false;
    if (pool_[outgoing.buffer].released && header(outgoing.buffer).kind != MessageKind::kAck) {
      unreference(outgoing.buffer);  // settled while it waited to be sent again
      continue;
    }
    ibv_send_wr& request = prepare(chained, outgoing);
    if (chained > 0) requests_[chained - 1].next = &request;
    ++chained;
  }
  if (chained > 0) {
    ibv_send_wr* bad = nullptr;
    const int error = ibv_post_send(verbs_.datagram.get(), requests_.data(), &bad);
    if (error != 0) {
      throw_verbs_error(verbs_.table, "ibv_post_send", verbs_.context(), verbs_.datagram.get(),
                        error < 0 ? errno : error);
    }
    ++counters.datagram_post_calls;
    counters.datagrams += chained;
  }
  for (const BufferId buffer : inlined_) unreference(buffer);
  inlined_.clear();
  outbox_.erase(outbox_.begin(), outbox_.begin() + static_cast<std::ptrdiff_t>(taken));
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
    if (!session.ack_now) continue;  // something else has carried it
    session.ack_now = false;
    const BufferId buffer = take_ack_buffer(session);
    if (buffer == kNoBuffer) continue;  // the sender will ask again
    write_header(session, buffer, MessageKind::kAck, 0, 0, 0);
    ++counters.explicit_acks;
    send(session, buffer, Doorbell::kBatched);
    pool_[buffer].released = true;  // nothing answers an acknowledgement
  }
  ack_now_.clear();
}

void Rpc::flush() {
  if (!outbox_.empty()) post_outgoing(requests_.size());
  if (!ack_now_.empty()) {
    queue_due_acks();
    post_outgoing(requests_.size());
  }
}

void Rpc::sent(const ibv_wc& completion) {
  if (completion.status != IBV_WC_SUCCESS) {
    throw VerbsError(describe_completion(verbs_.table, verbs_.datagram.get(), "all nodes",
                                         completion.status, completion.vendor_err));
  }
  const std::uint32_t before = queue_.completed();
  queue_.complete(WorkRequestId::decode(completion.wr_id).number);
  for (std::uint32_t number = before; number != queue_.completed(); ++number) {
    const BufferId buffer = std::exchange(sending_[number & (sending_.size() - 1)], kNoBuffer);
    if (buffer != kNoBuffer) unreference(buffer);
  }
}

}  // namespace verbena::rdma
