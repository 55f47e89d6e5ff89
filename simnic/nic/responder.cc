// The responder's side of a NIC: from a message's arrival to its effect and the response.
#include <algorithm>
#include <cstring>
#include <utility>

#include "simnic/nic/cluster.h"
#include "simnic/nic/memory.h"

namespace verbena::simnic {
namespace {

constexpr std::uint32_t kGrhBytes = 40;
/// Most requests of one queue pair in flight; two PSNs of a connection are no farther apart.
constexpr std::uint32_t kMostInFlight = 1 << 20;

bool receives(const QueuePair& qp) {
  return qp.state == IBV_QPS_RTR || qp.state == IBV_QPS_RTS || qp.state == IBV_QPS_SQD ||
         qp.state == IBV_QPS_SQE;
}

void write_grh(const Request& packet, std::byte* grh) {
  std::memset(grh, 0, kGrhBytes);
  if (!packet.global) return;
  const auto payload = static_cast<std::uint16_t>(packet.bytes);
  grh[0] = std::byte{0x60};
  grh[4] = static_cast<std::byte>(payload >> 8);
  grh[5] = static_cast<std::byte>(payload);
  grh[6] = std::byte{0x1b};
  grh[7] = std::byte{64};
  const ibv_gid from = packet.from->gid(0);
  const ibv_gid to = packet.to->gid(0);
  std::memcpy(grh + 8, from.raw, 16);
  std::memcpy(grh + 24, to.raw, 16);
}

}  // namespace

QueuePair* Cluster::responder_of(Request& request) {
  if (request.to->off) return nullptr;
  QueuePair* peer = request.peer;
  if (peer == nullptr || peer->qp_num != request.peer_qp || peer->nic != request.to) {
    peer = request.to->find_queue_pair(request.peer_qp);
    request.peer = peer;
    if (request.queue_pair != nullptr) request.queue_pair->peer = peer;
    if (peer == nullptr) return nullptr;
  }
  if (!receives(*peer)) return nullptr;
  if (peer->qp_type == IBV_QPT_UD) return peer;
  return peer->peer_nic == request.from && peer->peer_qp == request.source_qp ? peer : nullptr;
}

ibv_wc_status Cluster::check_remote(const Request& request, const QueuePair& peer,
                                    const Region*& region) const {
  if (request.traits.effect == Effect::kNone) return IBV_WC_SUCCESS;
  const Operation& operation = kOperations[request.operation];
  const int needed = operation.access;
  if ((peer.access & needed) == 0) return IBV_WC_REM_INV_REQ_ERR;
  if (request.traits.counts_as_read && peer.max_peer_reads == 0) return IBV_WC_REM_INV_REQ_ERR;
  if ((request.remote_address & (operation.alignment - 1U)) != 0) return IBV_WC_REM_INV_REQ_ERR;
  if (request.bytes == 0) return IBV_WC_SUCCESS;
  region = peer.nic->find_region(request.remote_key);
  if (region == nullptr || !same_domain(*region, peer) || (region->access & needed) == 0 ||
      !region->covers(request.remote_address, request.bytes)) {
    return IBV_WC_REM_ACCESS_ERR;
  }
  return IBV_WC_SUCCESS;
}

Picoseconds Cluster::effect_time(Request& request, QueuePair& peer, const Region* region) {
  Nic& nic = *peer.nic;
  if (observation_.on()) [[unlikely]]
    observation_.begin(Stage::kExecute, request, now());
  Picoseconds wait = 0;
  const NicProfile& p = nic.machine.nic;
  Picoseconds service = nic.machine.costs[request.operation].responder +
                        processing_time(p, static_cast<std::int64_t>(request.bytes));
  Picoseconds latency = p.responder_latency + queue_pair_state(nic, peer, service, wait);
  if (region != nullptr) {
    latency += translation(nic, *region, request.remote_address, request.bytes, service, wait);
  }
  Server& server = nic.server_of(peer, request.traits.by_receivers ? nic.receivers : nic.units);
  wait = std::max(wait, server.enter(now(), service));
  if (observation_.on()) [[unlikely]] {
    observation_.unit(nic, server, service, p.responder_latency);
  }
  if (request.traits.returns_data) {
    // Half of a DMA read brings the request to memory, the other half the data back.
    const Picoseconds half = nic.machine.cpu.dma_read_latency / 2;
    latency += dma_read(Station::kMemoryRead, nic, request.bytes, wait) - half;
    if (observation_.on()) [[unlikely]]
      observation_.delay(Station::kMemoryRead, nic, -half);
  } else {
    latency += dma_write(Station::kMemoryWrite, nic, request.bytes, wait);
  }
  if (request.traits.takes_receive) {
    fetch_receive_request(nic, wait);
    dma_write(Station::kReceiveCompletion, nic, p.cqe_bytes, wait);
    latency += p.receive_latency;
    if (observation_.on()) [[unlikely]]
      observation_.delay(Station::kReceiveCompletion, nic, p.receive_latency);
  }
  const Picoseconds ready = now() + wait + latency;
  Picoseconds time = std::max(ready, peer.last_effect);
  // The next request on the queue pair takes effect after all lines of this one, even when they
  // take none of the time.
  const Picoseconds span = chaos() ? std::max(fabric_.chaos_jitter, Picoseconds(1)) : 0;
  if (request.traits.takes_atomic_slot) {
    if (nic.atomic_slots.empty()) {
      nic.atomic_slots.resize(static_cast<std::size_t>(p.atomic_slots));
    }
    const std::uint64_t offset = region->offset_of(request.remote_address);
    const Picoseconds hold = std::max(p.atomic_hold, span);
    Server& slot = nic.atomic_slots[offset % nic.atomic_slots.size()];
    time += slot.occupy(time, hold);
    // Also behind those of its own queue pair that wait for the slot.
    slot.add_wait(time - ready);
    if (observation_.on()) [[unlikely]]
      observation_.slot(nic, hold);
    if (p.atomic_blocks != 0) {
      for (std::int64_t i = 0; i < p.processing_units; ++i) {
        nic.units[static_cast<std::size_t>(i)].occupy(now(), p.atomic_hold);
      }
    }
    Picoseconds unwaited = 0;
    dma_write(Station::kAtomicSlot, nic, request.bytes, unwaited);
  }
  if (observation_.on()) [[unlikely]]
    observation_.end(wait, ready, time);
  peer.last_effect = time + span;
  return time;
}

// Requests of one queue pair stay in order; behind one that is lost none is taken.
bool Cluster::strays(Request& request) {
  if (!chaos() || request.queue_pair == nullptr || request.stray) return false;
  request.stray = true;
  SplitMix& random = request.from->random;
  constexpr std::uint32_t kLostOf = 8;
  if (random.below(kLostOf) == 0) return true;
  QueuePair& qp = *request.queue_pair;
  constexpr unsigned kFractionBits = 10;
  const Picoseconds later = scaled(crash_late_, random.below(1U << kFractionBits), kFractionBits);
  qp.last_sent = std::max(qp.last_sent, now() + later);
  schedule(qp.last_sent, EventKind::kRequestArrives, request);
  return true;
}

void Cluster::request_arrives(Request& request) {
  if (request.from->off && strays(request)) return;
  if (request.queue_pair == nullptr) return message_arrives(request);
  QueuePair* peer = responder_of(request);
  if (peer == nullptr || peer->qp_type != IBV_QPT_RC) return request_lost(request);
  if (request.executed) {
    // The response had been lost: reads are done again, the others only answered again.
    if (request.traits.effect != Effect::kRead) return respond(request);
  } else if (request.psn != peer->expected_psn) {
    return arrives_out_of_order(request, *peer);
  }
  const Region* region = nullptr;
  const ibv_wc_status status = check_remote(request, *peer, region);
  if (status != IBV_WC_SUCCESS) {
    // Refused when its turn has come: what arrived before still takes effect.
    request.status = static_cast<std::uint8_t>(status);
    peer->last_effect =
        std::max(peer->last_effect, now() + peer->nic->machine.nic.responder_latency);
    return schedule(peer->last_effect, EventKind::kMemoryEffect, request);
  }
  if (!request.executed) {
    if (request.traits.takes_receive) {
      if (!receive_queue(*peer).ready()) return refuse_not_ready(request, *peer);
      promise_receive(request, *peer);
    }
    peer->expected_psn = (peer->expected_psn + 1) & kPsnMask;
    peer->gap_reported = false;
    request.accepted = true;
  }
  schedule(effect_time(request, *peer, region), EventKind::kMemoryEffect, request);
}

// The requester sends it again before it has taken effect: it is as if it had never arrived, and
// what comes after it has to wait for it again.
void Cluster::take_back(Request& request) {
  request.accepted = false;
  QueuePair* peer = responder_of(request);
  if (peer == nullptr) return;
  const std::uint32_t since = (peer->expected_psn - request.psn) & kPsnMask;
  const std::uint32_t ahead = (request.psn - peer->expected_psn) & kPsnMask;
  if (since > kMostInFlight && ahead > kMostInFlight) return;  // connected anew
  if (since <= kMostInFlight) peer->expected_psn = request.psn;
  if (!request.traits.takes_receive) return;
  ReceiveQueue& queue = receive_queue(*peer);
  if (queue.promised > 0) --queue.promised;
  request.promised_by = nullptr;
}

void Cluster::promise_receive(Request& request, QueuePair& peer) {
  ++receive_queue(peer).promised;
  request.promised_by = static_cast<SharedReceiveQueue*>(peer.srq);
}

void Cluster::peer_vanished(Request& request) {
  SharedReceiveQueue* srq =
      request.traits.takes_receive ? std::exchange(request.promised_by, nullptr) : nullptr;
  if (srq != nullptr && std::find(shared_receive_queues_.begin(), shared_receive_queues_.end(),
                                  srq) != shared_receive_queues_.end()) {
    --srq->queue.promised;
  }
  if (request.queue_pair != nullptr) return request_lost(request);
  requests_.release(request);
}

void Cluster::message_arrives(Request& message) {
  QueuePair* peer = responder_of(message);
  const Region* region = nullptr;
  const ibv_qp_type type = message.datagram ? IBV_QPT_UD : IBV_QPT_UC;
  const bool accepted = peer != nullptr && peer->qp_type == type &&
                        (!message.datagram || message.qkey == peer->qkey) &&
                        check_remote(message, *peer, region) == IBV_WC_SUCCESS &&
                        (!message.traits.takes_receive || receive_queue(*peer).ready());
  if (!accepted) {
    message.to->count(message.datagram ? Counter::kUdDrops : Counter::kUcDrops);
    return requests_.release(message);
  }
  if (message.traits.takes_receive) promise_receive(message, *peer);
  schedule(effect_time(message, *peer, region), EventKind::kMemoryEffect, message);
}

void Cluster::refuse(Request& request, QueuePair& peer, ibv_wc_status status) {
  peer.nic->count(Counter::kNaks);
  request.status = static_cast<std::uint8_t>(status);
  const Picoseconds known = send_negative_acknowledgement(*peer.nic, request);
  QueuePair& qp = *request.queue_pair;
  if (known == kNeverPs) {
    request_lost(request);
  } else {
    qp.last_completion = std::max(qp.last_completion, known);
    schedule(qp.last_completion, EventKind::kFails, request);
  }
  // The responder's queue pair cannot go on after what it refused (IBTA, class C errors).
  fail_queue_pair(peer);
}

void Cluster::memory_effect(Request& request) {
  QueuePair* peer = responder_of(request);
  const bool refused = peer != nullptr && request.status != IBV_WC_SUCCESS;
  if (refused) return refuse(request, *peer, static_cast<ibv_wc_status>(request.status));
  const bool vanished =
      peer == nullptr || (request.traits.takes_receive && receive_queue(*peer).promised == 0);
  if (vanished) return peer_vanished(request);
  const bool accesses = request.traits.effect != Effect::kNone && request.bytes != 0;
  if (!accesses) return finish_effect(request, *peer);
  Region* region = peer->nic->find_region(request.remote_key);
  if (region == nullptr || !region->covers(request.remote_address, request.bytes)) {
    if (request.queue_pair != nullptr) return refuse(request, *peer, IBV_WC_REM_ACCESS_ERR);
    return requests_.release(request);
  }
  if (chaos()) [[unlikely]] {
    if (split_effect(request)) return;
    note_access(region_memory(*region, request.remote_address));
  }
  access_remote(request, *region);
  finish_effect(request, *peer);
}

void Cluster::access_remote(Request& request, Region& region) {
  if (request.traits.effect == Effect::kRead) {
    if (request.payload == nullptr) {
      requests_.make_payload(request);
    }
    copy_from_region(region, request.remote_address, request.bytes, request.payload);
  } else if (request.traits.effect == Effect::kWrite) {
    copy_to_region(region, request.remote_address, request.bytes, request.payload);
    if (region.watcher != nullptr) wake_watcher(request, region);
  } else {
    std::byte* word = region_memory(region, request.remote_address);
    std::uint64_t found;
    std::memcpy(&found, word, 8);
    if (const auto next = next_word(request, found)) std::memcpy(word, &*next, 8);
    request.found = found;
  }
}

void Cluster::wake_watcher(const Request& request, const Region& region) {
  if (observation_.on()) [[unlikely]] {
    observation_.data(
        request, reinterpret_cast<std::uintptr_t>(region_memory(region, request.remote_address)));
  }
  region.watcher->woken();
}

ibv_wc_status Cluster::deliver(Request& request, QueuePair& peer) {
  ReceiveQueue& queue = receive_queue(peer);
  const ReceiveRequest receive = queue.ring[queue.head];
  --queue.promised;
  request.promised_by = nullptr;
  const bool datagram = peer.qp_type == IBV_QPT_UD;
  Scattered result = Scattered::kDone;
  if (datagram) {
    std::byte grh[kGrhBytes];
    write_grh(request, grh);
    result = scatter(peer, receive, grh, kGrhBytes, 0);
  }
  const bool for_receive = request.traits.effect == Effect::kNone;
  if (for_receive && result == Scattered::kDone) {
    const std::uint32_t before = datagram ? kGrhBytes : 0;
    result = scatter(peer, receive, request.payload, request.bytes, before);
    if (observation_.on()) [[unlikely]]
      observation_.data(request, receive.address + before);
  }
  pop(queue);
  Completion completion{};
  completion.wr_id = receive.wr_id;
  completion.queue_pair = &peer;
  completion.byte_count = request.bytes + (datagram ? kGrhBytes : 0);
  completion.immediate = request.immediate;
  completion.source_qp = request.source_qp;
  completion.source_lid = request.from->lid();
  completion.status =
      static_cast<std::uint8_t>(result == Scattered::kDone      ? IBV_WC_SUCCESS
                                : result == Scattered::kTooLong ? IBV_WC_LOC_LEN_ERR
                                                                : IBV_WC_LOC_PROT_ERR);
  completion.opcode = kOperations[request.operation].received_as;
  completion.flags =
      static_cast<std::uint8_t>((request.traits.has_immediate ? IBV_WC_WITH_IMM : 0) |
                                (datagram && request.global ? IBV_WC_GRH : 0));
  completion.receive = true;
  if (Completion* place = new_completion(peer.receives(), peer)) *place = completion;
  if (result == Scattered::kDone) return IBV_WC_SUCCESS;
  return result == Scattered::kTooLong ? IBV_WC_REM_INV_REQ_ERR : IBV_WC_REM_OP_ERR;
}

void Cluster::finish_effect(Request& request, QueuePair& peer) {
  const bool first_time = !request.executed;
  request.executed = true;
  if (request.traits.takes_receive && first_time) {
    const ibv_wc_status status = deliver(request, peer);
    if (status != IBV_WC_SUCCESS) {
      if (request.queue_pair != nullptr) return refuse(request, peer, status);
      fail_queue_pair(peer);
      return requests_.release(request);
    }
  }
  if (request.queue_pair == nullptr) return requests_.release(request);
  respond(request);
}

void Cluster::respond(Request& request) {
  QueuePair& qp = *request.queue_pair;
  const bool data = request.traits.returns_data;
  Nic& nic = *request.from;
  if (nic.off) return;
  const NicProfile& p = nic.machine.nic;
  const NicProfile& sender = request.to->machine.nic;
  Picoseconds wait = 0;
  const Picoseconds half = data ? request.to->machine.cpu.dma_read_latency / 2 : 0;
  Picoseconds latency = p.response_latency + half;
  if (observation_.on()) [[unlikely]] {
    observation_.begin(Stage::kRespond, request, now());
    observation_.delay(Station::kUnits, nic, p.response_latency);
    observation_.delay(Station::kMemoryRead, *request.to, half);
  }
  const Picoseconds transit =
      transmit(*request.to, nic, sender.packet_header,
               request.to->machine.costs[request.operation].response_headers,
               request.traits.returns_payload ? request.bytes : 0, wait);
  if (transit == kNeverPs || loses_on_the_way(*request.to, nic)) return request_lost(request);
  // Nobody waits for the acknowledgement of an unsignaled request: it only takes its place on the
  // wire.
  if (!data && !request.signaled) return answered(qp, request);
  // A short result comes in the completion, where every request has one (mlx5, sq_sig_all).
  request.in_completion =
      data && qp.signal_all && request.bytes > 0 && request.bytes <= p.scatter_to_cqe;
  const bool written = data && !request.in_completion;
  Picoseconds stall = 0;
  Picoseconds fetches = queue_pair_state(nic, qp, stall, wait);
  fetches += request_state(nic, stall, wait);
  latency += transit + fetches;
  const Picoseconds service =
      stall + (request.signaled ? p.completion_time : 0) + (written ? p.result_write_time : 0);
  if (service != 0) {
    // Responses come before the requests that wait for the unit, but for what they have to fetch.
    Server& unit = nic.units[qp.unit];
    if (fetches != 0) {
      wait = std::max(wait, unit.enter(now(), service));
    } else {
      unit.occupy(now(), service);
    }
    if (observation_.on()) [[unlikely]]
      observation_.unit(nic, nic.units[qp.unit], service, 0);
  }
  if (request.far) {
    latency += nic.machine.cpu.far_socket;
    if (observation_.on()) [[unlikely]]
      observation_.delay(Station::kFarSocket, nic, nic.machine.cpu.far_socket);
  }
  // The completion's write follows the data's without waiting for it.
  if (written) latency += dma_write(Station::kResultWrite, nic, request.bytes, wait);
  if (request.signaled) {
    const Station station = written ? Station::kCompletionBeside : Station::kCompletion;
    const Picoseconds cqe = dma_write(station, nic, p.cqe_bytes, wait);
    if (!written) latency += cqe;
  }
  const Picoseconds ready = now() + wait + latency;
  qp.last_completion = std::max(qp.last_completion, ready);
  if (observation_.on()) [[unlikely]]
    observation_.end(wait, ready, qp.last_completion);
  schedule(qp.last_completion, EventKind::kCompletes, request);
}

}  // namespace verbena::simnic
