// The requester's side of a NIC: from the doorbell to the port.
#include "simnic/nic/requester.h"

#include <algorithm>
#include <cstring>

#include "rdma/base/cache_line.h"
#include "simnic/nic/memory.h"
#include "simnic/nic/packets_of_message.h"

namespace verbena::simnic {
namespace {

constexpr std::int64_t kLine = kCacheLineBytes;

/// Bytes of data of an operation of PRISM, in the longer direction.
std::uint32_t chain_bytes(const Message& message) {
  return std::max(message.chain.carried, message.chain.returned);
}

/// True if the data of `request`, which brings some, lies in host memory.
bool fetches_payload(const Request& request) {
  return request.message.of_chain() ? work_of(request).source.length != 0 : !request.inlined;
}

/// True if `request` may use its local memory.
bool local_memory_valid(const QueuePair& qp, const Request& request) {
  if (request.message.of_chain()) return chain_memory_valid(qp, request);
  return request.inlined || local_pieces_valid(qp, request, request.message.traits.returns_data);
}

}  // namespace

void Requester::doorbell_arrives(Request& first) {
  QueuePair& qp = *first.queue_pair;
  if (silent(*qp.nic)) return;
  qp.visible += first.announced;
  const std::uint32_t announced = first.announced;
  issue_ready(qp);
  if (qp.visible == 0 || qp.qp_type != IBV_QPT_RC) return;
  // The last ones announced, or all of them, wait.
  const bool all_wait = qp.visible >= announced;
  keep_waiting(all_wait ? first : requests_[qp.unissued], all_wait ? announced : qp.visible);
}

void Requester::keep_waiting(Request& first, std::uint32_t count) {
  RequestCache& cache = first.message.from->request_cache;
  Request* request = &first;
  while (true) {
    request->waited = true;
    request->kept_as = cache.bring_in();
    if (--count == 0) return;
    request = &requests_[request->next];
  }
}

void Requester::issue_ready(QueuePair& qp) {
  while (qp.visible > 0 && !silent(*qp.nic) && !qp.waiting && qp.state == IBV_QPS_RTS) {
    Request& request = requests_[qp.unissued];
    if (request.fenced && qp.reads_in_flight > 0) return;
    const bool limited = request.message.traits.counts_as_read && qp.attributes->max_reads > 0;
    if (limited && qp.reads_in_flight >= qp.attributes->max_reads) return;
    issue(qp, request);
  }
}

void Requester::take_number(QueuePair& qp, Request& request) {
  qp.unissued = request.next;
  --qp.visible;
  request.message.psn = qp.send_psn;
  qp.send_psn = (qp.send_psn + 1) & kPsnMask;
}

void Requester::issue(QueuePair& qp, Request& request) {
  Nic& nic = *qp.nic;
  Message& message = request.message;
  take_number(qp, request);
  if (message.traits.counts_as_read) {
    if (qp.attributes->max_reads == 0)
      return completions_.fail_request(request, IBV_WC_LOC_QP_OP_ERR);
    ++qp.reads_in_flight;
    request.counted = true;
  }
  if (observed_) [[unlikely]]
    observation_.begin(Stage::kIssue, request, now());
  const Machine& machine = nic.machine;
  const NicProfile& p = machine.nic;
  const Machine::Costs& costs = machine.costs[message.operation];
  const Picoseconds far = request.far ? machine.cpu.far_socket : 0;
  Picoseconds wait = 0;
  Picoseconds latency = p.requester_latency;
  const std::uint32_t data = message.of_chain() ? chain_bytes(message) : message.bytes;
  Picoseconds service =
      costs.requester + Stations::processing_time(p, static_cast<std::int64_t>(data));
  if (request.fetch != 0) {
    latency += stations_.dma_read(Station::kWqeFetch, nic, kLine * request.fetch, wait) + far;
    request.fetch = 0;
    if (observed_) [[unlikely]]
      observation_.delay(Station::kFarSocket, nic, far);
  }
  latency += states(qp, request, service, wait);
  Server& unit = nic.server_of(qp, nic.units);
  wait = std::max(wait, unit.enter(now(), service));
  nic.qp_cache.serve(qp.qp_num, now() + wait + latency);
  if (observed_) [[unlikely]] {
    observation_.unit(nic, unit, service, p.requester_latency);
  }
  if (!local_memory_valid(qp, request)) {
    return completions_.fail_request(request, IBV_WC_LOC_PROT_ERR);
  }
  const std::uint32_t carried = message.carried_bytes();
  Picoseconds spread = 0;
  if (carried != 0) latency += stations_.spread_by_unit(nic, carried, spread);
  if (carried != 0 && fetches_payload(request)) {
    latency += stations_.stream_read(Station::kPayloadFetch, nic,
                                     {.bytes = carried, .mtu = p.path_mtu}, wait, spread) +
               far;
    if (observed_) [[unlikely]]
      observation_.delay(Station::kFarSocket, nic, far);
  }
  const Ways::Sent sent =
      ways_.send(nic, *message.to,
                 {.header = p.packet_header + (message.datagram ? p.deth : 0),
                  .extra = message.of_chain() ? message.chain.header : costs.request_headers,
                  .payload = carried},
                 wait, spread);
  message.spread_ns = static_cast<std::uint32_t>(to_nanoseconds(spread).count());
  const Picoseconds arrival =
      sent.transit == kNeverPs ? kNeverPs : now() + wait + latency + sent.transit;
  if (qp.qp_type == IBV_QPT_RC) return issue_reliable(request, sent, wait, arrival);
  issue_unreliable(request, sent, wait, latency, arrival);
}

Picoseconds Requester::states(QueuePair& qp, Request& request, Picoseconds& service,
                              Picoseconds& wait) {
  Nic& nic = *qp.nic;
  Picoseconds latency = 0;
  // A request that a BlueFlame write brings starts at once only when the queue pair is idle.
  if (request.blueflame && (qp.oldest != request.number || now() < qp.last_completion)) {
    latency = nic.machine.nic.busy_queue_latency;
    if (observed_) [[unlikely]]
      observation_.delay(Station::kBusyQueue, nic, latency);
  }
  if (nic.qp_cache.waits(qp.qp_num, now())) {
    nic.count(Counter::kQpCacheHits);
  } else {
    latency += stations_.queue_pair_state(nic, qp, service, wait);
  }
  if (request.waited && !nic.request_cache.has(request.kept_as)) {
    latency += stations_.request_state(nic, request, service, wait);
    request.waited = false;  // it comes in anew
  }
  return latency;
}

Packet& Requester::packet_of(const Request& request, const Ways::Sent& sent) {
  QueuePair& qp = *request.queue_pair;
  Packet& packet = packets_.make(request.message);
  packet.peer = qp.peer;
  packet.queue_pair = &qp;
  packet.request = request.number;
  packet.transmission = request.generation;
  packet.reliable = qp.qp_type == IBV_QPT_RC;
  packet.wire_bytes = sent.wire_bytes;
  packet.own_links = sent.own_links & 3;
  if (request.message.of_chain()) {
    packets_.make_payload(packet);
    gather_chain(request, packet.payload);
    return packet;
  }
  if (!request.message.traits.carries_payload || request.message.bytes == 0) return packet;
  packets_.make_payload(packet);
  if (request.inlined) {
    std::memcpy(packet.payload, request.payload, request.message.bytes);
  } else {
    gather(request, packet.payload);
  }
  return packet;
}

void Requester::issue_reliable(Request& request, const Ways::Sent& sent, Picoseconds wait,
                               Picoseconds arrival) {
  QueuePair& qp = *request.queue_pair;
  Nic& nic = *qp.nic;
  if (!request.waited) request.kept_as = nic.request_cache.bring_in();
  request.waited = false;
  if (arrival == kNeverPs || loses_on_the_way(nic, *request.message.to)) {
    return request_lost(request);
  }
  qp.last_sent = std::max(qp.last_sent, arrival);
  if (observed_) [[unlikely]]
    observation_.end(wait, arrival, qp.last_sent);
  schedule(qp.last_sent, EventKind::kRequestArrives, packet_of(request, sent));
}

void Requester::issue_unreliable(Request& request, const Ways::Sent& sent, Picoseconds wait,
                                 Picoseconds latency, Picoseconds arrival) {
  QueuePair& qp = *request.queue_pair;
  Nic& nic = *qp.nic;
  const Machine& machine = nic.machine;
  const Picoseconds left = now() + sent.until_port + latency;
  if (arrival != kNeverPs) {
    Packet& packet = packet_of(request, sent);
    if (request.message.datagram) {
      // They leave in order; those to other destinations do not wait for queues on the way of this
      // one.
      const Picoseconds end = left + transfer_time(request.message.bytes, machine.nic.port_rate);
      qp.last_sent = std::max(qp.last_sent, end);
      const Picoseconds in_order = arrival + (qp.last_sent - end);
      if (observed_) [[unlikely]]
        observation_.end(wait, arrival, in_order);
      send_datagram(packet, in_order);
    } else {
      qp.last_sent = std::max(qp.last_sent, arrival);
      if (observed_) [[unlikely]]
        observation_.end(wait, arrival, qp.last_sent);
      schedule(qp.last_sent, EventKind::kRequestArrives, packet);
    }
  }
  if (request.signaled) {
    if (observed_) [[unlikely]]
      observation_.begin(Stage::kRespond, request, left);
    nic.server_of(qp, nic.units).occupy(now(), machine.nic.completion_time);
    Picoseconds queue = 0;
    const Picoseconds far = request.far ? machine.cpu.far_socket : 0;
    const Picoseconds write =
        stations_.dma_write(Station::kCompletion, nic, machine.nic.cqe_bytes, queue) + far;
    const Picoseconds ready = left + queue + write;
    qp.last_completion = std::max(qp.last_completion, ready);
    if (observed_) [[unlikely]] {
      observation_.delay(Station::kFarSocket, nic, far);
      observation_.end(queue, ready, qp.last_completion);
    }
  }
  completions_.finish_oldest(qp, false);
}

void Requester::send_datagram(Packet& packet, Picoseconds arrival) {
  Nic& nic = *packet.message.from;
  if (nic.random.chance(fabric_.ud_duplicate)) {
    nic.count(Counter::kUdDuplicates);
    const Picoseconds delay = scaled(fabric_.ud_reorder_delay, nic.random.below(1024), 10);
    schedule(arrival + delay, EventKind::kRequestArrives, packets_.duplicate(packet));
  }
  if (nic.random.chance(fabric_.ud_loss)) {
    nic.count(Counter::kUdLosses);
    return packets_.release(packet);
  }
  if (nic.random.chance(fabric_.ud_reorder)) {
    nic.count(Counter::kUdReordered);
    arrival += scaled(fabric_.ud_reorder_delay, nic.random.below(1024), 10);
  }
  schedule(arrival, EventKind::kRequestArrives, packet);
}

}  // namespace verbena::simnic
