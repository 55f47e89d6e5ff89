// The requester's side of a NIC: from the doorbell to the port.
#include <cstring>

#include "rdma/base/cache_line.h"
#include "simnic/nic/cluster.h"
#include "simnic/nic/memory.h"

namespace verbena::simnic {
namespace {

constexpr std::int64_t kLine = kCacheLineBytes;

}  // namespace

void Cluster::doorbell_arrives(Request& first) {
  QueuePair& qp = *first.queue_pair;
  if (silent(*qp.nic)) return;
  qp.visible += first.announced;
  qp.nic->outstanding += first.announced;
  issue_ready(qp);
}

void Cluster::issue_ready(QueuePair& qp) {
  while (qp.visible > 0 && !silent(*qp.nic) && !qp.waiting && qp.state == IBV_QPS_RTS) {
    Request& request = requests_[qp.unissued];
    if (request.fenced && qp.reads_in_flight > 0) return;
    const bool limited = request.traits.counts_as_read && qp.max_reads > 0;
    if (limited && qp.reads_in_flight >= qp.max_reads) return;
    issue(qp, request);
  }
}

void Cluster::issue(QueuePair& qp, Request& request) {
  Nic& nic = *qp.nic;
  qp.unissued = request.next;
  --qp.visible;
  request.psn = qp.send_psn;
  qp.send_psn = (qp.send_psn + 1) & kPsnMask;
  if (request.traits.counts_as_read) {
    if (qp.max_reads == 0) return fail_request(request, IBV_WC_LOC_QP_OP_ERR);
    ++qp.reads_in_flight;
    request.counted = true;
  }
  if (observation_.on()) [[unlikely]]
    observation_.begin(Stage::kIssue, request, now());
  const Machine& machine = nic.machine;
  const NicProfile& p = machine.nic;
  const Machine::Costs& costs = machine.costs[request.operation];
  const Picoseconds far = request.far ? machine.cpu.far_socket : 0;
  Picoseconds wait = 0;
  Picoseconds latency = p.requester_latency;
  Picoseconds service =
      costs.requester + processing_time(p, static_cast<std::int64_t>(request.bytes));
  if (request.fetch != 0) {
    latency += dma_read(Station::kWqeFetch, nic, kLine * request.fetch, wait) + far;
    if (observation_.on()) [[unlikely]]
      observation_.delay(Station::kFarSocket, nic, far);
  }
  // A request that a BlueFlame write brings starts at once only when the queue pair is idle.
  if (request.blueflame && qp.oldest != request.number) {
    latency += p.busy_queue_latency;
    if (observation_.on()) [[unlikely]] {
      observation_.delay(Station::kBusyQueue, nic, p.busy_queue_latency);
    }
  }
  latency += queue_pair_state(nic, qp, service, wait);
  Server& unit = nic.server_of(qp, nic.units);
  wait = std::max(wait, unit.enter(now(), service));
  if (observation_.on()) [[unlikely]] {
    observation_.unit(nic, unit, service, p.requester_latency);
  }
  std::int64_t wire_payload = 0;
  if (!request.inlined && !local_pieces_valid(qp, request, request.traits.returns_data)) {
    return fail_request(request, IBV_WC_LOC_PROT_ERR);
  }
  if (request.traits.carries_payload) {
    wire_payload = request.bytes;
    if (!request.inlined && request.bytes > 0) {
      if (request.payload == nullptr) {
        requests_.make_payload(request);
      }
      gather(request, request.payload);
      latency += dma_read(Station::kPayloadFetch, nic, request.bytes, wait) + far;
      if (observation_.on()) [[unlikely]]
        observation_.delay(Station::kFarSocket, nic, far);
    }
  }
  const std::int64_t header = p.packet_header + (request.datagram ? p.deth : 0);
  Picoseconds until_port = wait;
  const Picoseconds transit =
      transmit(nic, *request.to, header, costs.request_headers, wire_payload, wait, &until_port);
  const Picoseconds sent = now() + until_port + latency;
  const Picoseconds arrival = transit == kNeverPs ? kNeverPs : now() + wait + latency + transit;
  if (qp.qp_type != IBV_QPT_RC) return issue_unreliable(request, wait, sent, arrival);
  if (arrival == kNeverPs || loses_on_the_way(nic, *request.to)) return request_lost(request);
  qp.last_sent = std::max(qp.last_sent, arrival);
  if (observation_.on()) [[unlikely]]
    observation_.end(wait, arrival, qp.last_sent);
  schedule(qp.last_sent, EventKind::kRequestArrives, request);
}

void Cluster::issue_unreliable(Request& request, Picoseconds wait, Picoseconds sent,
                               Picoseconds arrival) {
  QueuePair& qp = *request.queue_pair;
  const Machine& machine = qp.nic->machine;
  Request& message = requests_.duplicate(request);
  request.payload = nullptr;
  request.payload_bytes = 0;
  if (arrival == kNeverPs) {
    requests_.release(message);
  } else if (request.datagram) {
    // They leave in order; those to other destinations do not wait for queues on the way of this
    // one.
    const Picoseconds left = sent + transfer_time(request.bytes, machine.nic.port_rate);
    qp.last_sent = std::max(qp.last_sent, left);
    const Picoseconds in_order = arrival + (qp.last_sent - left);
    if (observation_.on()) [[unlikely]]
      observation_.end(wait, arrival, in_order);
    send_datagram(message, in_order);
  } else {
    qp.last_sent = std::max(qp.last_sent, arrival);
    if (observation_.on()) [[unlikely]]
      observation_.end(wait, arrival, qp.last_sent);
    schedule(qp.last_sent, EventKind::kRequestArrives, message);
  }
  if (!request.signaled) return answered(qp, request);
  if (observation_.on()) [[unlikely]]
    observation_.begin(Stage::kRespond, request, sent);
  qp.nic->server_of(qp, qp.nic->units).occupy(now(), machine.nic.completion_time);
  Picoseconds queue = 0;
  const Picoseconds far = request.far ? machine.cpu.far_socket : 0;
  const Picoseconds latency =
      dma_write(Station::kCompletion, *qp.nic, machine.nic.cqe_bytes, queue) + far;
  const Picoseconds ready = sent + queue + latency;
  qp.last_completion = std::max(qp.last_completion, ready);
  if (observation_.on()) [[unlikely]] {
    observation_.delay(Station::kFarSocket, *qp.nic, far);
    observation_.end(queue, ready, qp.last_completion);
  }
  schedule(qp.last_completion, EventKind::kCompletes, request);
}

void Cluster::send_datagram(Request& packet, Picoseconds arrival) {
  Nic& nic = *packet.from;
  if (nic.random.chance(fabric_.ud_duplicate)) {
    nic.count(Counter::kUdDuplicates);
    Request& twin = requests_.duplicate(packet);
    twin.payload = requests_.new_payload(packet.payload_bytes);
    if (packet.payload_bytes != 0) std::memcpy(twin.payload, packet.payload, packet.payload_bytes);
    const Picoseconds delay = scaled(fabric_.ud_reorder_delay, nic.random.below(1024), 10);
    schedule(arrival + delay, EventKind::kRequestArrives, twin);
  }
  if (nic.random.chance(fabric_.ud_loss)) {
    nic.count(Counter::kUdLosses);
    return requests_.release(packet);
  }
  if (nic.random.chance(fabric_.ud_reorder)) {
    nic.count(Counter::kUdReordered);
    arrival += scaled(fabric_.ud_reorder_delay, nic.random.below(1024), 10);
  }
  schedule(arrival, EventKind::kRequestArrives, packet);
}

}  // namespace verbena::simnic
