// RPC messages as UD datagrams.
#include "rdma/rpc/transport/datagram_transport.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cerrno>
#include <utility>

#include "rdma/base/errors.h"
#include "rdma/device/work_request_id.h"

namespace verbena::rdma {
namespace {

std::size_t message_bytes(const WorkerContext& context) {
  return std::min<std::size_t>(context.options.rpc.max_message_bytes,
                               128U << context.verbs.port.mtu);
}

}  // namespace

DatagramTransport::DatagramTransport(const WorkerContext& context)
    : RpcTransport(context, {.lossless = false,
                             .most_bytes = message_bytes(context),
                             .trailer_bytes = 0,
                             .refill_at = context.options.rpc.receive_batch}),
      ring_(context.memory, verbs_.receive_depth, options_.rpc.receive_batch),
      queue_(options_.rpc.send_queue_depth, options_.rpc.signal_interval),
      sending_(std::bit_ceil(options_.rpc.send_queue_depth), kNoBuffer),
      routes_(cluster_.link_numbers(thread_.node())) {}

DatagramTransport::~DatagramTransport() {
  for (const Route& route : routes_) AddressHandle(verbs_.table, route.address);
}

void DatagramTransport::fail(const char* call, int error) const {
  throw_verbs_error(verbs_.table, call, verbs_.context(), qp_.get(), error < 0 ? errno : error);
}

void DatagramTransport::start() {
  qp_ = verbs_.create_datagram(options_, inline_bytes_);
  tag_ = static_cast<std::uint16_t>(qp_->qp_num);
  local_key_ = verbs_.memory_registration->lkey;
  if (const int error = ring_.start(qp_.get(), local_key_); error != 0) {
    fail("ibv_post_recv", error);
  }
}

PeerTable::MessageAddress DatagramTransport::address() const {
  const WorkerLinks links = cluster_.links(thread_.node(), thread_.id());
  return {.qp_number = qp_->qp_num,
          .tag = tag_,
          .notify_window = static_cast<std::uint16_t>(options_.notify_window(links))};
}

std::uint32_t DatagramTransport::open(std::uint16_t link) {
  const auto place = static_cast<std::uint16_t>(link % peers_->peers.size());
  const NodeId peer = peers_->peers[place];
  const auto peer_worker =
      static_cast<WorkerId>(cluster_.peer_worker(thread_.node(), thread_.id(), peer, link));
  const PeerTable::MessageAddress& address = peers_->messages(thread_.id(), link);
  const PeerTable::PortAddress& port = peers_->port(place, cluster_.nic_of(peer, peer_worker));
  assert(routes_[link].address == nullptr);
  routes_[link] = {verbs_.address_handle(port).release(), address.qp_number};
  const std::uint16_t link_there = cluster_.link_number(peer, thread_.node(), thread_.id());
  return MessageHeader::envelope_of(link_there, address.tag);
}

void DatagramTransport::prepare(std::size_t index, const Outgoing& outgoing) {
  const Buffer& buffer = pool_[outgoing.buffer];
  const Route& route = routes_[outgoing.link];
  const bool inlined = buffer.bytes <= inline_bytes_;
  const bool signaled = queue_.signal_due();
  const std::uint32_t number = queue_.post(signaled);
  sending_[number & (sending_.size() - 1)] = inlined ? kNoBuffer : outgoing.buffer;
  elements_[index] = {reinterpret_cast<std::uint64_t>(buffer.address), buffer.bytes, local_key_};
  ibv_send_wr& request = requests_[index];
  request.wr_id =
      WorkRequestId{static_cast<std::uint16_t>(number), kMessageChannel, kNoOwner, 0, false}
          .encode();
  request.next = &request + 1;
  request.sg_list = &elements_[index];
  request.num_sge = 1;
  request.opcode = IBV_WR_SEND;
  request.send_flags =
      (signaled ? unsigned{IBV_SEND_SIGNALED} : 0U) | (inlined ? unsigned{IBV_SEND_INLINE} : 0U);
  request.wr.ud.ah = route.address;
  request.wr.ud.remote_qpn = route.queue_pair;
  request.wr.ud.remote_qkey = kQueueKey;
}

void DatagramTransport::send(std::span<const Outgoing> messages) {
  assert(!messages.empty() && messages.size() <= room());
  if (requests_.size() < messages.size()) {
    requests_.resize(std::bit_ceil(messages.size()));
    elements_.resize(requests_.size());
  }
  for (std::size_t i = 0; i < messages.size(); ++i) prepare(i, messages[i]);
  requests_[messages.size() - 1].next = nullptr;
  ibv_send_wr* bad = nullptr;
  const int error = ibv_post_send(qp_.get(), requests_.data(), &bad);
  if (error != 0) fail("ibv_post_send", error);
  ++counters.datagram_post_calls;
  counters.datagrams += messages.size();
  for (const Outgoing& outgoing : messages) {
    if (pool_[outgoing.buffer].bytes <= inline_bytes_) unreference(outgoing.buffer);
  }
}

void DatagramTransport::sent(const ibv_wc& completion) {
  if (completion.status != IBV_WC_SUCCESS) {
    throw VerbsError(describe_completion(verbs_.table, qp_.get(), "all nodes", completion.status,
                                         completion.vendor_err));
  }
  const std::uint32_t before = queue_.completed();
  queue_.complete(WorkRequestId::decode(completion.wr_id).number);
  for (std::uint32_t number = before; number != queue_.completed(); ++number) {
    const BufferId buffer = std::exchange(sending_[number & (sending_.size() - 1)], kNoBuffer);
    if (buffer != kNoBuffer) unreference(buffer);
  }
}

std::span<const Arrival> DatagramTransport::poll() {
  ring_.empty(consumed_);
  const int count = ibv_poll_cq(verbs_.receive_cq.get(), static_cast<int>(options_.poll_batch),
                                completions_.data());
  if (count == 0) return {};
  if (count < 0) throw_verbs_error(verbs_.table, "ibv_poll_cq", verbs_.context(), nullptr, EIO);
  for (int i = 0; i < count; ++i) {
    const ibv_wc& completion = completions_[static_cast<std::size_t>(i)];
    if (completion.status != IBV_WC_SUCCESS) {
      throw VerbsError("receive: " + describe_completion(verbs_.table, qp_.get(), "all nodes",
                                                         completion.status, completion.vendor_err));
    }
    constexpr std::uint32_t kLeast = kGrhBytes + sizeof(MessageHeader);
    const auto* header =
        reinterpret_cast<const MessageHeader*>(ring_.content(completion.wr_id) + kGrhBytes);
    const bool for_this =
        completion.byte_len >= kLeast && header->tag() == tag_ && header->link() < routes_.size();
    arrivals_[static_cast<std::size_t>(i)] =
        for_this ? Arrival{header, completion.byte_len - kLeast, header->link()}
                 : Arrival{nullptr, 0, Arrival::kForeign};
  }
  counters.datagrams_received += static_cast<std::uint64_t>(count);
  return {arrivals_.data(), static_cast<std::size_t>(count)};
}

void DatagramTransport::refill() {
  consumed_ = 0;
  if (const int error = ring_.refill(); error != 0) fail("ibv_post_recv", error);
}

}  // namespace verbena::rdma
