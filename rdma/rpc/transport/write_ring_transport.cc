// RPC messages written into rings in the receivers' memory.
#include "rdma/rpc/transport/write_ring_transport.h"

#include <atomic>
#include <bit>
#include <cassert>
#include <cerrno>
#include <utility>

#include "rdma/base/errors.h"
#include "rdma/device/work_request_id.h"

namespace verbena::rdma {
namespace {

/// Beside each ring: the word that the other end writes, and the one from which this end does.
constexpr std::size_t kWordLines = 2;

std::size_t link_bytes(const RingShape& shape) {
  return shape.bytes() + kWordLines * kCacheLineBytes;
}

}  // namespace

std::size_t WriteRingTransport::ring_bytes(const RpcOptions& options, std::uint32_t link_numbers) {
  return link_numbers * link_bytes(RingShape(options));
}

WriteRingTransport::WriteRingTransport(const WorkerContext& context)
    : RpcTransport(context, {.lossless = true,
                             .most_bytes = context.options.rpc.max_message_bytes,
                             .trailer_bytes = sizeof RingShape::kEnd,
                             .refill_at = 0}),
      shape_(context.options.rpc),
      rings_(context.memory.rings()) {
  const std::vector<NodeId> peers = cluster_.peers(thread_.node());
  const std::uint32_t count = cluster_.link_numbers(thread_.node());
  links_.reserve(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto number = static_cast<std::uint16_t>(i);
    links_.emplace_back(shape_, ring(number), options_);
    const NodeId peer = peers[number % peers.size()];
    const std::uint32_t worker = cluster_.peer_worker(thread_.node(), thread_.id(), peer, number);
    if (peer != thread_.node() && worker < cluster_.workers(peer)) present_.push_back(number);
  }
}

std::byte* WriteRingTransport::ring(std::uint16_t number) const {
  return rings_.data() + number * link_bytes(shape_);
}

std::uint64_t* WriteRingTransport::word(std::uint16_t number, std::size_t line) const {
  return reinterpret_cast<std::uint64_t*>(ring(number) + shape_.bytes() + line * kCacheLineBytes);
}

void WriteRingTransport::start() {
  local_key_ = verbs_.memory_registration->lkey;
  if (present_.empty()) return;
  registration_ =
      register_memory(verbs_.table, verbs_.device->pd.get(), rings_.data(), rings_.size(),
                      IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE, "rings of messages");
  for (const std::uint16_t number : present_) {
    links_[number].qp = verbs_.create_connected(options_, false);
    links_[number].sending.assign(std::bit_ceil(options_.send_queue_depth), kNoBuffer);
  }
}

PeerTable::MessageAddress WriteRingTransport::address() const {
  return {.qp_number = 0,
          .tag = 0,
          .notify_window = static_cast<std::uint16_t>(options_.rpc.notify_window)};
}

PeerTable::MessageRings WriteRingTransport::rings() const {
  return {.begin = reinterpret_cast<std::uint64_t>(rings_.data()),
          .key = present_.empty() ? 0 : registration_->rkey};
}

void WriteRingTransport::connected(const PeerTable& peers) {
  for (const std::uint16_t number : present_) {
    const NodeId peer = peers.peers[number % peers.peers.size()];
    const PeerTable::MessageRings& rings = peers.rings(thread_.id(), number);
    const std::uint16_t there = cluster_.link_number(peer, thread_.node(), thread_.id());
    links_[number].remote_ring = rings.begin + there * link_bytes(shape_);
    links_[number].remote_key = static_cast<std::uint32_t>(rings.key);
  }
}

void WriteRingTransport::run_on(Core& core) {
  if (!present_.empty()) core.watch(*registration_.get());
}

std::uint32_t WriteRingTransport::open(std::uint16_t number) {
  assert(links_[number].qp);
  return 0;  // the length of each message takes its place
}

ibv_send_wr& WriteRingTransport::add_request(std::uint16_t number, const std::byte* from,
                                             std::size_t bytes, BufferId buffer, bool signaled) {
  assert(requests_.size() < requests_.capacity());
  Link& link = links_[number];
  const bool inlined = bytes <= verbs_.inline_bytes;
  signaled = signaled || options_.signal_all || link.queue.signal_due();
  const std::uint32_t place = link.queue.post(signaled);
  link.sending[place & (link.sending.size() - 1)] = inlined ? kNoBuffer : buffer;
  if (inlined && buffer != kNoBuffer) inlined_.push_back(buffer);
  WorkRequest& request = requests_.emplace_back();
  if (link.last == nullptr) {
    chains_.push_back({number, &request.wr});
  } else {
    link.last->next = &request.wr;
  }
  link.last = &request.wr;
  request.sge = {reinterpret_cast<std::uint64_t>(from), static_cast<std::uint32_t>(bytes),
                 local_key_};
  request.wr.wr_id =
      WorkRequestId{static_cast<std::uint16_t>(place), kMessageChannel, number, 0, false}.encode();
  request.wr.sg_list = &request.sge;
  request.wr.num_sge = 1;
  request.wr.opcode = IBV_WR_RDMA_WRITE;
  request.wr.send_flags =
      (signaled ? unsigned{IBV_SEND_SIGNALED} : 0U) | (inlined ? unsigned{IBV_SEND_INLINE} : 0U);
  request.wr.wr.rdma = {link.remote_ring, link.remote_key};
  return request.wr;
}

void WriteRingTransport::add_message(std::uint16_t number, BufferId id) {
  Buffer& buffer = pool_[id];
  assert(buffer.references == 1);
  header(id).envelope = buffer.bytes;
  buffer.address[buffer.bytes] = RingShape::kEnd;
  const std::uint32_t line = links_[number].writer.take(RingShape::lines_of(buffer.bytes));
  ibv_send_wr& request =
      add_request(number, buffer.address, buffer.bytes + sizeof RingShape::kEnd, id, false);
  request.wr.rdma.remote_addr += std::uint64_t{line} * kCacheLineBytes;
  ++counters.datagrams;
}

void WriteRingTransport::add_news(std::uint16_t number, bool signaled) {
  Link& link = links_[number];
  // An earlier WRITE of this word may still be under way; then it brings the later number, which is
  // as true.
  std::atomic_ref(*word(number, 1)).store(link.reader.cleared(), std::memory_order_relaxed);
  ibv_send_wr& request = add_request(number, reinterpret_cast<const std::byte*>(word(number, 1)),
                                     sizeof(std::uint64_t), kNoBuffer, signaled);
  request.wr.rdma.remote_addr += shape_.bytes();
  link.reader.told();
}

void WriteRingTransport::post() {
  for (const Chain& chain : chains_) {
    Link& link = links_[chain.link];
    ibv_send_wr* bad = nullptr;
    link.last = nullptr;
    const int error = ibv_post_send(link.qp.get(), chain.first, &bad);
    if (error != 0) {
      throw_verbs_error(verbs_.table, "ibv_post_send", verbs_.context(), link.qp.get(),
                        error < 0 ? errno : error);
    }
  }
  in_flight_ += requests_.size();
  counters.datagram_post_calls += chains_.size();
  chains_.clear();
  requests_.clear();
  for (const BufferId buffer : inlined_) unreference(buffer);
  inlined_.clear();
}

bool WriteRingTransport::can_take(std::uint16_t number, BufferId buffer) {
  Link& link = links_[number];
  const std::uint32_t lines = RingShape::lines_of(pool_[buffer].bytes);
  if (!link.writer.has_room(lines)) {
    try {
      link.writer.cleared(std::atomic_ref(*word(number, 0)).load(std::memory_order_acquire));
    } catch (const Malformed& wrong) {
      refuse(number, wrong);
    }
  }
  // The last slot of the send queue is for what makes room at the other end.
  return link.writer.has_room(lines) && link.queue.room() > 1;
}

void WriteRingTransport::attend(std::uint16_t number) {
  if (std::exchange(links_[number].attended, true)) return;
  attended_.push_back(number);
}

// Posts what waits on the link, as far as there is room. Whether something still does.
bool WriteRingTransport::serve(std::uint16_t number) {
  Link& link = links_[number];
  if (link.failed) return false;
  requests_.reserve(link.waiting.size() + 1);
  if (link.reader.must_tell() && link.queue.room() > 0) {
    thread_.core().reach("rpc: writer told of room in its ring");
    add_news(number, false);
  }
  std::size_t taken = 0;
  while (taken < link.waiting.size() && can_take(number, link.waiting[taken])) {
    add_message(number, link.waiting[taken++]);
  }
  link.waiting.erase(link.waiting.begin(),
                     link.waiting.begin() + static_cast<std::ptrdiff_t>(taken));
  post();
  return !link.waiting.empty() || link.reader.must_tell();
}

void WriteRingTransport::serve_attended() {
  std::erase_if(attended_, [this](std::uint16_t number) {
    links_[number].attended = serve(number);
    return !links_[number].attended;
  });
}

void WriteRingTransport::send(std::span<const Outgoing> messages) {
  requests_.reserve(messages.size());
  for (const Outgoing& outgoing : messages) {
    Link& link = links_[outgoing.link];
    if (link.failed) {
      unreference(outgoing.buffer);
    } else if (link.waiting.empty() && can_take(outgoing.link, outgoing.buffer)) {
      add_message(outgoing.link, outgoing.buffer);
    } else {
      thread_.core().reach("rpc: message waits for room in a peer's ring");
      link.waiting.push_back(outgoing.buffer);
      ++counters.ring_waits;
      attend(outgoing.link);
    }
  }
  post();
}

void WriteRingTransport::want_buffers() {
  requests_.reserve(present_.size());
  for (const std::uint16_t number : present_) {
    Link& link = links_[number];
    if (!link.failed && link.queue.tail_unsignaled() && link.queue.room() > 0) {
      add_news(number, true);
    }
  }
  post();
}

void WriteRingTransport::sent(const ibv_wc& completion) {
  const WorkRequestId id = WorkRequestId::decode(completion.wr_id);
  Link& link = links_[id.owner];
  if (completion.status != IBV_WC_SUCCESS) fail(id.owner, completion);
  const std::uint32_t before = link.queue.completed();
  link.queue.complete(id.number);
  in_flight_ -= link.queue.completed() - before;
  for (std::uint32_t number = before; number != link.queue.completed(); ++number) {
    const BufferId buffer =
        std::exchange(link.sending[number & (link.sending.size() - 1)], kNoBuffer);
    if (buffer != kNoBuffer) unreference(buffer);
  }
}

void WriteRingTransport::fail(std::uint16_t number, const ibv_wc& completion) {
  Link& link = links_[number];
  if (link.failed) return;
  if (completion.status != IBV_WC_RETRY_EXC_ERR && completion.status != IBV_WC_WR_FLUSH_ERR) {
    throw VerbsError(describe_completion(verbs_.table, link.qp.get(), "a peer", completion.status,
                                         completion.vendor_err));
  }
  link.failed = true;
  unreachable_.push_back(number);
  for (const BufferId buffer : link.waiting) unreference(buffer);
  link.waiting.clear();
}

void WriteRingTransport::refuse(std::uint16_t number, const Malformed& wrong) const {
  const std::vector<NodeId> peers = cluster_.peers(thread_.node());
  throw PeerError("ring of node " + std::to_string(peers[number % peers.size()]) + " at node " +
                  std::to_string(thread_.node()) + ": " + wrong.what());
}

std::span<const Arrival> WriteRingTransport::poll() {
  if (!attended_.empty()) serve_attended();
  arrivals_.clear();
  auto lines = static_cast<std::uint32_t>(present_.size());
  for (const std::uint16_t number : present_) {
    RingReader& reader = links_[number].reader;
    try {
      while (const MessageHeader* header = reader.next()) {
        const std::uint32_t bytes = header->envelope;
        arrivals_.push_back(
            {header, bytes - static_cast<std::uint32_t>(sizeof(MessageHeader)), number});
        lines += RingShape::lines_of(bytes);
      }
    } catch (const Malformed& wrong) {
      refuse(number, wrong);
    }
  }
  thread_.core().spend(Work::kPollLine, lines);
  counters.datagrams_received += arrivals_.size();
  refill_at_ = static_cast<std::uint32_t>(arrivals_.size());
  consumed_ = 0;
  return arrivals_;
}

void WriteRingTransport::refill() {
  std::uint32_t lines = 0;
  for (const std::uint16_t number : present_) {
    RingReader& reader = links_[number].reader;
    lines += reader.clear();
    if (reader.must_tell()) attend(number);
  }
  thread_.core().spend(Work::kCopyLine, lines);
  serve_attended();
}

}  // namespace verbena::rdma
