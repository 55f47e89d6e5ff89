// Answers at the requester: what they acknowledge, and how its NIC completes it.
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "simnic/nic/memory.h"
#include "simnic/nic/packets_of_message.h"
#include "simnic/nic/requester.h"

namespace verbena::simnic {

void Requester::answer_arrives(Packet& packet) {
  Nic& nic = *packet.message.from;
  if (nic.off) return packets_.release(packet);
  Request& request = requests_[packet.request];
  if (observed_ && packet.answer != Answer::kLost) [[unlikely]]
    observation_.begin(Stage::kComplete, packet, now());
  const Picoseconds wait = ways_.arrive(nic, packet);
  // A request that was sent again since, or is answered already, has no use for it.
  if (request.generation == packet.transmission) [[likely]] {
    QueuePair& qp = *request.queue_pair;
    if (packet.found_peer) qp.peer = packet.peer;
    if (packet.answer != Answer::kDone) [[unlikely]] {
      take_failure(packet, request);
    } else if (qp.oldest == request.number) [[likely]] {
      answered(qp, request, packet, wait);
    } else if (acknowledge_before(qp, request)) {
      if (observed_) [[unlikely]]
        observation_.begin(Stage::kComplete, packet, now());
      answered(qp, request, packet, wait);
    }
  }
  packets_.release(packet);
}

void Requester::take_failure(const Packet& packet, Request& request) {
  QueuePair& qp = *request.queue_pair;
  switch (packet.answer) {
    case Answer::kLost:
      return request_lost(request);
    case Answer::kSequenceError:
      return sequence_error(request, packet.message.psn);
    case Answer::kNotReady:
      if (acknowledge_before(qp, request)) receiver_not_ready(request, packet.rnr_timer);
      return;
    default:
      if (!acknowledge_before(qp, request)) return;
      return completions_.fail_request(request, static_cast<ibv_wc_status>(packet.status));
  }
}

// Answers keep their order, so where the data of a READ or an atomic is missing it was lost (IBTA:
// an implied NAK). The acknowledgement of a later request stands for those of WRITEs and SENDs.
bool Requester::acknowledge_before(QueuePair& qp, const Request& request) {
  while (qp.oldest != request.number) {
    Request& older = requests_[qp.oldest];
    if (older.message.traits.returns_data) {
      retry(older);
      return false;
    }
    if (older.signaled) {
      if (observed_) [[unlikely]]
        observation_.begin(Stage::kComplete, older, now());
      complete_at_stations(qp, older, 0, 0, 0);
    }
    qp.retries = qp.rnr_retries = 0;
    if (!completions_.finish_oldest(qp, false)) return false;
  }
  return true;
}

void Requester::answered(QueuePair& qp, Request& request, const Packet& packet, Picoseconds wait) {
  const OperationTraits traits = request.message.traits;
  bool in_completion = false;
  // Nobody waits for the acknowledgement of an unsignaled request.
  if (traits.returns_data || request.signaled) {
    const Picoseconds spread = to_picoseconds(Nanoseconds(packet.message.spread_ns));
    in_completion = complete_at_stations(qp, request, packet.message.result_bytes(), wait, spread);
  }
  if (packet.message.of_chain()) [[unlikely]] {
    scatter_chain(request, packet.payload);
  } else if (traits.returns_payload) {
    scatter(request, packet.payload);
  } else if (traits.returns_data) {
    scatter(request, reinterpret_cast<const std::byte*>(&packet.found));
  }
  qp.retries = qp.rnr_retries = 0;
  if (completions_.finish_oldest(qp, in_completion) && traits.counts_as_read) issue_ready(qp);
}

bool Requester::complete_at_stations(QueuePair& qp, const Request& request, std::uint32_t bytes,
                                     Picoseconds wait, Picoseconds spread) {
  Nic& nic = *qp.nic;
  const NicProfile& p = nic.machine.nic;
  const bool data = bytes != 0;
  // A short result comes in the completion, where every request has one (mlx5, sq_sig_all).
  const bool in_completion = data && qp.signal_all && bytes <= p.scatter_to_cqe;
  const bool written = data && !in_completion;
  Picoseconds stall = 0;
  Picoseconds latency = stations_.queue_pair_state(nic, qp, stall, wait);
  latency += stations_.request_state(nic, request, stall, wait);
  const Picoseconds service =
      stall + (request.signaled ? p.completion_time : 0) + (written ? p.result_write_time : 0);
  if (service != 0) {
    // Responses come before the requests that wait for the unit, but for what they have to fetch.
    Server& unit = nic.units[qp.unit];
    if (latency != 0) {
      wait = std::max(wait, unit.enter(now(), service));
    } else {
      unit.occupy(now(), service);
    }
    if (observed_) [[unlikely]]
      observation_.unit(nic, unit, service, 0);
  }
  if (request.far) {
    latency += nic.machine.cpu.far_socket;
    if (observed_) [[unlikely]]
      observation_.delay(Station::kFarSocket, nic, nic.machine.cpu.far_socket);
  }
  // The completion's write follows the data's without waiting for it.
  if (written) {
    latency += stations_.spread_by_unit(nic, bytes, spread);
    latency += stations_.stream_write(Station::kResultWrite, nic,
                                      {.bytes = bytes, .mtu = p.path_mtu}, wait, spread);
  }
  if (request.signaled && written) {
    Picoseconds beside = 0;
    stations_.dma_write(Station::kCompletionBeside, nic, p.cqe_bytes, beside);
  } else if (request.signaled) {
    latency += stations_.dma_write(Station::kCompletion, nic, p.cqe_bytes, wait);
  }
  const Picoseconds ready = now() + wait + latency;
  qp.last_completion = std::max(qp.last_completion, ready);
  if (observed_) [[unlikely]]
    observation_.end(wait, ready, qp.last_completion);
  return in_completion;
}

}  // namespace verbena::simnic
