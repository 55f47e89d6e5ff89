// The responder's side of a NIC: from a message's arrival to its effect.
#include "simnic/nic/responder.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "simnic/nic/memory.h"
#include "simnic/nic/packets_of_message.h"

namespace verbena::simnic {
namespace {

constexpr std::uint32_t kGrhBytes = 40;
constexpr std::int64_t kWordBytes = 8;  ///< of an atomic
/// A packet sequence number up to so far behind the expected one is that of a request that was
/// accepted before (IBTA: half of them).
constexpr std::uint32_t kPsnsBehind = (kPsnMask + 1) / 2;

bool receives(const QueuePair& qp) {
  return qp.state == IBV_QPS_RTR || qp.state == IBV_QPS_RTS || qp.state == IBV_QPS_SQD ||
         qp.state == IBV_QPS_SQE;
}

void write_grh(const Message& message, std::byte* grh) {
  std::memset(grh, 0, kGrhBytes);
  if (!message.global) return;
  const auto payload = static_cast<std::uint16_t>(message.bytes);
  grh[0] = std::byte{0x60};
  grh[4] = static_cast<std::byte>(payload >> 8);
  grh[5] = static_cast<std::byte>(payload);
  grh[6] = std::byte{0x1b};
  grh[7] = std::byte{64};
  const ibv_gid from = message.from->gid(0);
  const ibv_gid to = message.to->gid(0);
  std::memcpy(grh + 8, from.raw, 16);
  std::memcpy(grh + 24, to.raw, 16);
}

}  // namespace

QueuePair* Responder::responder_of(Packet& packet) {
  const Message& message = packet.message;
  if (message.to->off) return nullptr;
  QueuePair* peer = packet.peer;
  if (peer == nullptr || peer->qp_num != message.peer_qp || peer->nic != message.to) {
    peer = message.to->find_queue_pair(message.peer_qp);
    packet.peer = peer;
    packet.found_peer = true;
    if (peer == nullptr) return nullptr;
  }
  if (!receives(*peer)) return nullptr;
  if (peer->qp_type == IBV_QPT_UD) return peer;
  const bool connected =
      peer->peer_lid == message.from->lid() && peer->peer_qp == message.source_qp;
  return connected ? peer : nullptr;
}

ibv_wc_status Responder::check_remote(const Message& message, const QueuePair& peer,
                                      const Region*& region) const {
  if (message.traits.effect == Effect::kNone) return IBV_WC_SUCCESS;
  const Operation& operation = kOperations[message.operation];
  const int needed = operation.access;
  if ((peer.access & needed) == 0) return IBV_WC_REM_INV_REQ_ERR;
  if (message.traits.counts_as_read && peer.serves_reads == 0) return IBV_WC_REM_INV_REQ_ERR;
  if ((message.remote_address & (operation.alignment - 1U)) != 0) return IBV_WC_REM_INV_REQ_ERR;
  if (message.bytes == 0) return IBV_WC_SUCCESS;
  region = peer.nic->find_region(message.key);
  if (region == nullptr || !same_domain(*region, peer) || (region->access & needed) == 0 ||
      !region->covers(message.remote_address, message.bytes)) {
    return IBV_WC_REM_ACCESS_ERR;
  }
  return IBV_WC_SUCCESS;
}

Picoseconds Responder::effect_time(Packet& packet, QueuePair& peer, const Region* region,
                                   Picoseconds wait) {
  Nic& nic = *peer.nic;
  const Message& message = packet.message;
  const NicProfile& p = nic.machine.nic;
  Picoseconds service = nic.machine.costs[message.operation].responder +
                        Stations::processing_time(p, static_cast<std::int64_t>(message.bytes));
  Picoseconds latency = p.responder_latency + stations_.queue_pair_state(nic, peer, service, wait);
  if (region != nullptr) {
    latency +=
        stations_.translation(nic, *region, message.remote_address, message.bytes, service, wait);
  }
  Server& server = nic.server_of(peer, message.traits.by_receivers ? nic.receivers : nic.units);
  Picoseconds spread = to_picoseconds(Nanoseconds(message.spread_ns));
  wait = std::max(wait, server.enter(now() - spread, service));
  if (observed_) [[unlikely]] {
    observation_.unit(nic, server, service, p.responder_latency);
  }
  if (message.traits.returns_data) {
    // Half of a DMA read brings the request to memory, the other half the data back.
    const Picoseconds half = nic.machine.cpu.dma_read_latency / 2;
    latency += stations_.stream_read(Station::kMemoryRead, nic,
                                     {.bytes = message.bytes, .mtu = p.path_mtu}, wait, spread) -
               half;
    latency += stations_.spread_by_unit(nic, message.bytes, spread);
    packet.message.spread_ns = static_cast<std::uint32_t>(to_nanoseconds(spread).count());
    if (observed_) [[unlikely]]
      observation_.delay(Station::kMemoryRead, nic, -half);
  } else {
    latency += stations_.spread_by_unit(nic, message.bytes, spread);
    latency += stations_.stream_write(Station::kMemoryWrite, nic,
                                      {.bytes = message.bytes, .mtu = p.path_mtu}, wait, spread);
  }
  if (message.traits.takes_receive) {
    // Both stand behind the data, whose time counts already.
    Picoseconds beside = 0;
    stations_.fetch_receive_request(nic, beside);
    stations_.dma_write(Station::kReceiveCompletion, nic, p.cqe_bytes, beside);
    latency += p.receive_latency;
    if (observed_) [[unlikely]]
      observation_.delay(Station::kReceiveCompletion, nic, p.receive_latency);
  }
  const Picoseconds ready = now() + wait + latency;
  Picoseconds time = std::max(ready, peer.last_effect);
  // The next request on the queue pair takes effect after all lines of this one, even when they
  // take none of the time.
  const Picoseconds span = chaos_ ? std::max(fabric_.chaos_jitter, Picoseconds(1)) : 0;
  if (message.traits.takes_atomic_slot) {
    const std::uint64_t offset = region->offset_of(message.remote_address);
    time += slot_wait(nic, offset, {.time = time, .hold = std::max(p.atomic_hold, span)});
    // Also behind those of its own queue pair that wait for the slot.
    nic.atomic_slots[offset % nic.atomic_slots.size()].add_wait(time - ready);
  }
  if (observed_) [[unlikely]]
    observation_.end(wait, ready, time);
  peer.last_effect = time + span;
  return time;
}

Picoseconds Responder::slot_wait(Nic& nic, std::uint64_t offset, Turn turn) {
  const NicProfile& p = nic.machine.nic;
  if (nic.atomic_slots.empty()) nic.atomic_slots.resize(static_cast<std::size_t>(p.atomic_slots));
  Server& slot = nic.atomic_slots[offset % nic.atomic_slots.size()];
  const Picoseconds wait = slot.occupy(turn.time, turn.hold);
  if (observed_) [[unlikely]]
    observation_.slot(nic, turn.hold);
  if (p.atomic_blocks != 0) {
    for (std::int64_t i = 0; i < p.processing_units; ++i) {
      nic.units[static_cast<std::size_t>(i)].occupy(now(), p.atomic_hold);
    }
  }
  Picoseconds beside = 0;
  stations_.dma_write(Station::kAtomicSlot, nic, kWordBytes, beside);
  return wait;
}

// Requests of one queue pair stay in order; behind one that is lost none is taken.
bool Responder::strays(Packet& packet) {
  if (!chaos_ || !packet.reliable || packet.stray) return false;
  packet.stray = true;
  Nic& nic = *packet.message.to;
  constexpr std::uint32_t kLostOf = 8;
  if (nic.random.below(kLostOf) == 0) {
    packets_.release(packet);
    return true;
  }
  constexpr unsigned kFractionBits = 10;
  const Picoseconds later =
      scaled(crash_late_, nic.random.below(1U << kFractionBits), kFractionBits);
  Picoseconds& last = nic.last_strays[{packet.message.from->number, packet.message.source_qp}];
  last = std::max(last, now() + later);
  schedule(last, EventKind::kRequestArrives, packet);
  return true;
}

void Responder::request_arrives(Packet& packet) {
  const Message& message = packet.message;
  if (message.from->gone && strays(packet)) return;
  if (observed_) [[unlikely]]
    observation_.begin(Stage::kExecute, packet, now());
  const Picoseconds wait = ways_.arrive(*message.to, packet);
  if (!packet.reliable) return message_arrives(packet, wait);
  QueuePair* peer = responder_of(packet);
  if (peer == nullptr || peer->qp_type != IBV_QPT_RC) return answers_.lose(packet, nullptr);
  if (peer->chain_pending && ChainExecutor::holds(*peer, packet)) [[unlikely]] {
    if (observed_) [[unlikely]]
      observation_.end(wait, now() + wait, now() + wait);
    return chains_.hold(packet, *peer);
  }
  take(packet, *peer, wait);
}

void Responder::take(Packet& packet, QueuePair& peer, Picoseconds wait) {
  const Message& message = packet.message;
  if (message.psn != peer.expected_psn) {
    const std::uint32_t behind = (peer.expected_psn - message.psn) & kPsnMask;
    if (behind > kPsnsBehind) return ahead_of_others(packet, peer, wait);
    packet.repeated = true;
  }
  if (message.of_chain()) [[unlikely]]
    return take_chain(packet, peer, wait);
  if (packet.repeated && message.traits.effect != Effect::kRead) {
    return in_turn(packet, peer, wait);
  }
  const Region* region = nullptr;
  const ibv_wc_status status = check_remote(message, peer, region);
  if (status != IBV_WC_SUCCESS) {
    packet.status = static_cast<std::uint8_t>(status);
    return refuse_in_turn(packet, peer, Answer::kRefused, wait);
  }
  if (!packet.repeated) {
    if (message.traits.takes_receive) {
      if (!QueuePairs::receives_of(peer).ready()) {
        packet.rnr_timer = peer.attributes->rnr_timer;
        return refuse_in_turn(packet, peer, Answer::kNotReady, wait);
      }
      promise_receive(packet, peer);
    }
    accept(peer);
  }
  schedule(effect_time(packet, peer, region, wait), EventKind::kMemoryEffect, packet);
}

void Responder::take_chain(Packet& packet, QueuePair& peer, Picoseconds wait) {
  if (!peer.attributes->carries_chains || peer.serves_reads == 0) {
    packet.status = static_cast<std::uint8_t>(IBV_WC_REM_INV_REQ_ERR);
    return refuse_in_turn(packet, peer, Answer::kRefused, wait);
  }
  if (packet.repeated) return in_turn(packet, peer, wait);
  accept(peer);
  chains_.arrives(packet, peer, wait);
}

void Responder::chain_step(Packet& packet) {
  QueuePair* const peer = responder_of(packet);
  chains_.step(packet, peer);
  if (peer != nullptr && peer->chain_pending) take_held(*peer);
}

void Responder::take_held(QueuePair& peer) {
  for (Packet* const packet : chains_.take_held(peer)) {
    if (peer.chain_pending && ChainExecutor::holds(peer, *packet)) {
      chains_.hold(*packet, peer);
    } else {
      if (observed_) [[unlikely]]
        observation_.begin(Stage::kExecute, *packet, now());
      take(*packet, peer, 0);
    }
  }
}

// Behind a request that was lost or refused, whose retry brings this one again. The first of them
// is answered with a negative acknowledgement (PSN sequence error), which ends the wait for that.
void Responder::ahead_of_others(Packet& packet, QueuePair& peer, Picoseconds wait) {
  if (peer.gap_reported) return answers_.lose(packet, nullptr);
  packet.message.psn = peer.expected_psn;
  refuse_in_turn(packet, peer, Answer::kSequenceError, wait);
}

void Responder::refuse_in_turn(Packet& packet, QueuePair& peer, Answer answer, Picoseconds wait) {
  packet.answer = answer;
  peer.gap_reported = true;  // what follows is not answered, whether or not this arrives
  in_turn(packet, peer, wait);
}

void Responder::in_turn(Packet& packet, QueuePair& peer, Picoseconds wait) {
  const Picoseconds ready = now() + wait + peer.nic->machine.nic.responder_latency;
  peer.last_effect = std::max(peer.last_effect, ready);
  schedule(peer.last_effect, EventKind::kMemoryEffect, packet);
}

void Responder::promise_receive(Packet& packet, QueuePair& peer) {
  ++QueuePairs::receives_of(peer).promised;
  packet.promised_by = static_cast<SharedReceiveQueue*>(peer.srq);
}

void Responder::peer_vanished(Packet& packet) {
  SharedReceiveQueue* srq = packet.message.traits.takes_receive ? packet.promised_by : nullptr;
  if (srq != nullptr && queue_pairs_.has(srq)) {
    --srq->queue.promised;
  }
  if (packet.reliable) return answers_.lose(packet, nullptr);
  packets_.release(packet);
}

void Responder::message_arrives(Packet& packet, Picoseconds wait) {
  const Message& message = packet.message;
  QueuePair* peer = responder_of(packet);
  const Region* region = nullptr;
  const ibv_qp_type type = message.datagram ? IBV_QPT_UD : IBV_QPT_UC;
  const bool accepted = peer != nullptr && peer->qp_type == type &&
                        (!message.datagram || message.key == peer->attributes->qkey) &&
                        check_remote(message, *peer, region) == IBV_WC_SUCCESS &&
                        (!message.traits.takes_receive || QueuePairs::receives_of(*peer).ready());
  if (!accepted) {
    message.to->count(message.datagram ? Counter::kUdDrops : Counter::kUcDrops);
    return packets_.release(packet);
  }
  if (message.traits.takes_receive) promise_receive(packet, *peer);
  schedule(effect_time(packet, *peer, region, wait), EventKind::kMemoryEffect, packet);
}

void Responder::memory_effect(Packet& packet) {
  const Message& message = packet.message;
  QueuePair* peer = responder_of(packet);
  if (peer == nullptr) return peer_vanished(packet);
  if (packet.answer != Answer::kNone) [[unlikely]]
    return answers_.send_negative_acknowledgement(packet, *peer);
  if (packet.repeated && message.traits.effect != Effect::kRead)
    return answers_.answer_again(packet, *peer);
  if (message.traits.takes_receive && QueuePairs::receives_of(*peer).promised == 0) {
    return peer_vanished(packet);
  }
  const bool accesses = message.traits.effect != Effect::kNone && message.bytes != 0;
  if (!accesses) return finish_effect(packet, *peer);
  Region* region = peer->nic->find_region(message.key);
  if (region == nullptr || !region->covers(message.remote_address, message.bytes)) {
    give_back_receive(packet, *peer);
    if (packet.reliable) return answers_.refuse(packet, *peer, IBV_WC_REM_ACCESS_ERR);
    return packets_.release(packet);
  }
  if (chaos_) [[unlikely]] {
    if (split_effect(packet)) return;
    note_access(region_memory(*region, message.remote_address));
  }
  access_remote(packet, *region);
  finish_effect(packet, *peer);
}

void Responder::access_remote(Packet& packet, Region& region) {
  const Message& message = packet.message;
  if (message.traits.effect == Effect::kRead) {
    packets_.make_payload(packet);
    copy_from_region(region, message.remote_address, message.bytes, packet.payload);
  } else if (message.traits.effect == Effect::kWrite) {
    copy_to_region(region, message.remote_address, message.bytes, packet.payload);
    if (region.watcher != nullptr) wake_watcher(packet, region);
  } else {
    std::byte* word = region_memory(region, message.remote_address);
    std::uint64_t found;
    std::memcpy(&found, word, 8);
    if (const auto next = next_word(message, found)) std::memcpy(word, &*next, 8);
    packet.found = found;
  }
}

void Responder::wake_watcher(const Packet& packet, const Region& region) {
  if (observed_) [[unlikely]] {
    observation_.data(packet, reinterpret_cast<std::uintptr_t>(
                                  region_memory(region, packet.message.remote_address)));
  }
  region.watcher->woken();
}

ibv_wc_status Responder::deliver(Packet& packet, QueuePair& peer) {
  const Message& message = packet.message;
  ReceiveQueue& queue = QueuePairs::receives_of(peer);
  const ReceiveRequest receive = queue.ring[queue.head];
  --queue.promised;
  const bool datagram = peer.qp_type == IBV_QPT_UD;
  Scattered result = Scattered::kDone;
  if (datagram) {
    std::byte grh[kGrhBytes];
    write_grh(message, grh);
    result = scatter(peer, receive, grh, kGrhBytes, 0);
  }
  const bool for_receive = message.traits.effect == Effect::kNone;
  if (for_receive && result == Scattered::kDone) {
    const std::uint32_t before = datagram ? kGrhBytes : 0;
    result = scatter(peer, receive, packet.payload, message.bytes, before);
    if (observed_) [[unlikely]]
      observation_.data(packet, place_received(peer, receive, before));
  }
  completions_.pop(queue);
  if (Completion* completion = completions_.add(peer.receives(), peer, now())) {
    completion->wr_id = receive.wr_id;
    completion->queue_pair = &peer;
    completion->byte_count = message.bytes + (datagram ? kGrhBytes : 0);
    completion->immediate = message.traits.has_immediate ? message.immediate : 0;
    completion->source_qp = message.source_qp;
    completion->sent = 0;
    completion->source_lid = message.from->lid();
    completion->status =
        static_cast<std::uint8_t>(result == Scattered::kDone      ? IBV_WC_SUCCESS
                                  : result == Scattered::kTooLong ? IBV_WC_LOC_LEN_ERR
                                                                  : IBV_WC_LOC_PROT_ERR);
    completion->opcode = kOperations[message.operation].received_as;
    completion->flags =
        static_cast<std::uint8_t>((message.traits.has_immediate ? IBV_WC_WITH_IMM : 0) |
                                  (datagram && message.global ? IBV_WC_GRH : 0));
    completion->receive = true;
    completion->holds_data = false;
    completion->outcome = 0;
  }
  if (result == Scattered::kDone) return IBV_WC_SUCCESS;
  return result == Scattered::kTooLong ? IBV_WC_REM_INV_REQ_ERR : IBV_WC_REM_OP_ERR;
}

void Responder::give_back_receive(const Packet& packet, QueuePair& peer) {
  if (packet.message.traits.takes_receive) --QueuePairs::receives_of(peer).promised;
}

void Responder::finish_effect(Packet& packet, QueuePair& peer) {
  if (packet.message.traits.takes_receive) {
    const ibv_wc_status status = deliver(packet, peer);
    if (status != IBV_WC_SUCCESS) {
      if (packet.reliable) return answers_.refuse(packet, peer, status);
      completions_.fail(peer);
      return packets_.release(packet);
    }
  }
  if (!packet.reliable) return packets_.release(packet);
  answers_.respond(packet, peer);
}

}  // namespace verbena::simnic
