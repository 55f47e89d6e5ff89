// Answers of the responder: acknowledgements, data and NAKs, and what is lost of them.
#include "simnic/nic/answers.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <deque>

#include "simnic/nic/chain_context.h"

namespace verbena::simnic {
namespace {

/// The most results that a queue pair keeps: no more requests that have one are under way (8 bits
/// of ibv_qp_attr::max_rd_atomic).
constexpr std::size_t kMostKept = 256;

}  // namespace

void Answers::respond(Packet& packet, QueuePair& peer) {
  const Message& message = packet.message;
  Nic& requester = *message.from;
  if (requester.gone) return packets_.release(packet);
  Nic& nic = *message.to;
  const NicProfile& p = nic.machine.nic;
  // An operation of PRISM waits until its data has come back to the NIC, as others may depend on
  // it.
  const bool halved = message.traits.returns_data && !message.of_chain();
  const Picoseconds half = halved ? nic.machine.cpu.dma_read_latency / 2 : 0;
  const Picoseconds pass = requester.machine.nic.response_latency;
  if (observed_) [[unlikely]] {
    observation_.begin(Stage::kRespond, packet, now());
    observation_.delay(Station::kUnits, requester, pass);
    observation_.delay(Station::kMemoryRead, nic, half);
  }
  if (joins_acknowledgement(packet, peer)) {
    packet.answer = Answer::kDone;
    packet.own_links = kNoOwnLink;
    answer(packet, peer, now());
    if (observed_) [[unlikely]]
      observation_.end(0, now() + half + pass, peer.last_answer);
    return;
  }
  Picoseconds wait = 0;
  // An acknowledgement is one packet, whatever its request was.
  Picoseconds spread =
      message.traits.returns_payload ? to_picoseconds(Nanoseconds(message.spread_ns)) : 0;
  const Ways::Sent sent =
      ways_.send(nic, requester,
                 {.header = p.packet_header,
                  .extra = nic.machine.costs[message.operation].response_headers,
                  .payload = message.returned_bytes()},
                 wait, spread);
  const bool lost = sent.transit == kNeverPs || loses_on_the_way(nic, requester);
  const bool kept = message.traits.takes_atomic_slot || message.of_chain();
  if (kept && (lost || peer.keeps_results)) keep_result(packet, peer);
  if (lost) return lose(packet, &peer);
  packet.answer = Answer::kDone;
  packet.wire_bytes = sent.wire_bytes;
  packet.own_links = sent.own_links & 3;
  packet.message.spread_ns = static_cast<std::uint32_t>(to_nanoseconds(spread).count());
  // Nothing behind data is acknowledged before it. Acknowledgements go before requests that wait
  // for the port, but not before the packet on it.
  if (message.traits.returns_data) peer.ack_leaves = 0;
  if (!message.traits.returns_data && sent.until_port != 0) {
    peer.ack_leaves = now() + std::min(sent.until_port, nic.longest_packet);
  }
  const Picoseconds ready = now() + wait + half + pass + sent.transit;
  answer(packet, peer, ready);
  if (observed_) [[unlikely]]
    observation_.end(wait, ready, peer.last_answer);
}

bool Answers::joins_acknowledgement(const Packet& packet, const QueuePair& peer) const {
  if (packet.message.traits.returns_data || peer.nic->port.free_at() <= now()) return false;
  return peer.ack_leaves > now();
}

void Answers::answer_again(Packet& packet, QueuePair& peer) {
  if (packet.message.of_chain() && !restore_reply(packet, peer)) return lose(packet, &peer);
  if (packet.message.traits.takes_atomic_slot) {
    const std::optional<std::uint64_t> found = kept_result(peer, packet.message.psn);
    if (!found) return lose(packet, &peer);
    packet.found = *found;
  }
  respond(packet, peer);
}

void Answers::answer(Packet& packet, QueuePair& peer, Picoseconds time) {
  peer.last_answer = std::max(peer.last_answer, time);
  schedule(peer.last_answer, EventKind::kAnswerArrives, packet);
}

void Answers::refuse(Packet& packet, QueuePair& peer, ibv_wc_status status) {
  packet.answer = Answer::kRefused;
  packet.status = static_cast<std::uint8_t>(status);
  send_negative_acknowledgement(packet, peer);
}

void Answers::send_negative_acknowledgement(Packet& packet, QueuePair& peer) {
  Nic& nic = *packet.message.to;
  Nic& requester = *packet.message.from;
  const NicProfile& p = nic.machine.nic;
  const bool refused = packet.answer == Answer::kRefused;
  if (observed_) [[unlikely]]
    observation_.begin(Stage::kRespond, packet, now());
  nic.count(packet.answer == Answer::kNotReady ? Counter::kRnrNaks : Counter::kNaks);
  Picoseconds wait = 0;
  Picoseconds spread = 0;
  const Ways::Sent sent = ways_.send(
      nic, requester, {.header = p.packet_header, .extra = p.aeth, .payload = 0}, wait, spread);
  if (sent.transit == kNeverPs || loses_on_the_way(nic, requester)) {
    lose(packet, &peer);
  } else {
    packet.wire_bytes = sent.wire_bytes;
    packet.own_links = sent.own_links & 3;
    packet.message.spread_ns = 0;
    answer(packet, peer, now() + wait + sent.transit + requester.machine.nic.response_latency);
  }
  // The responder's queue pair cannot go on after what it refused (IBTA, class C errors).
  if (refused) completions_.fail(peer);
}

void Answers::lose(Packet& packet, QueuePair* peer) {
  Nic& nic = *packet.message.to;
  Nic& requester = *packet.message.from;
  if (peer != nullptr) {
    peer->keeps_results = true;
    peer->ack_leaves = 0;
  }
  packet.answer = Answer::kLost;
  packet.own_links = kNoOwnLink;
  const Picoseconds time = now() + nic.machine.nic.responder_latency +
                           ways_.latency(nic, requester) + requester.machine.nic.response_latency;
  if (peer != nullptr) return answer(packet, *peer, time);
  schedule(time, EventKind::kAnswerArrives, packet);
}

void Answers::keep_result(const Packet& packet, QueuePair& peer) {
  if (packet.repeated) return;
  if (packet.message.of_chain()) return keep_reply(packet, peer);
  std::vector<KeptResult>& kept = peer.need_seldom().kept_results;
  kept.push_back({.psn = packet.message.psn, .found = packet.found});
  if (kept.size() > kMostKept) kept.erase(kept.begin());
}

void Answers::keep_reply(const Packet& packet, QueuePair& peer) {
  std::deque<KeptReply>& kept = peer.seldom->chain->kept;
  const std::byte* const reply = packet.payload;
  kept.push_back({.psn = packet.message.psn,
                  .bytes = {reply, reply + sizeof(ChainReply) + packet.message.chain.returned}});
  if (kept.size() > kMostKept) kept.pop_front();
}

bool Answers::restore_reply(Packet& packet, const QueuePair& peer) {
  if (peer.seldom == nullptr || peer.seldom->chain == nullptr) return false;
  const std::deque<KeptReply>& all = peer.seldom->chain->kept;
  const auto kept = std::find_if(all.rbegin(), all.rend(), [&packet](const KeptReply& one) {
    return one.psn == packet.message.psn;
  });
  if (kept == all.rend()) return false;
  std::memcpy(packet.payload, kept->bytes.data(), kept->bytes.size());
  packet.message.chain.returned =
      static_cast<std::uint32_t>(kept->bytes.size() - sizeof(ChainReply));
  return true;
}

std::optional<std::uint64_t> Answers::kept_result(const QueuePair& peer, std::uint32_t psn) {
  if (peer.seldom == nullptr) return std::nullopt;
  // Numbers come again after 2^24 requests: the latest counts.
  const std::vector<KeptResult>& all = peer.seldom->kept_results;
  const auto kept = std::find_if(all.rbegin(), all.rend(),
                                 [psn](const KeptResult& one) { return one.psn == psn; });
  if (kept == all.rend()) return std::nullopt;
  return kept->found;
}

}  // namespace verbena::simnic
