// Reliable connections: retransmission of requests that are lost, arrive behind one that was, or
// find no receive.
#include <algorithm>

#include "simnic/nic/cluster.h"

namespace verbena::simnic {
namespace {

constexpr std::uint8_t kRetryForEver = 7;

/// The 31 encodings of the minimal RNR NAK timer (IBTA, table 45), in units of 10 us.
constexpr std::uint32_t kRnrTimers[32] = {65536, 1,    2,    3,     4,     6,     8,     12,
                                          16,    24,   32,   48,    64,    96,    128,   192,
                                          256,   384,  512,  768,   1024,  1536,  2048,  3072,
                                          4096,  6144, 8192, 12288, 16384, 24576, 32768, 49152};

}  // namespace

bool Cluster::loses_on_the_way(Nic& from, const Nic& to) const {
  if (&from == &to || !from.random.chance(fabric_.rc_loss)) return false;
  from.count(Counter::kRcLosses);
  return true;
}

void Cluster::request_lost(Request& request) {
  const QueuePair& qp = *request.queue_pair;
  if (qp.nic->off) return;  // nobody has a timer
  request.status = IBV_WC_RETRY_EXC_ERR;
  if (qp.timeout == 0) return;  // the timer is off: it waits until the responder misses it
  // IBTA: 4.096 us x 2^timeout.
  schedule(now() + to_picoseconds(4'096_ns) * (std::int64_t{1} << qp.timeout), EventKind::kRetry,
           request);
}

void Cluster::retry(Request& request) {
  QueuePair& qp = *request.queue_pair;
  if (qp.nic->off) return;
  const auto status = static_cast<ibv_wc_status>(request.status);
  const bool not_ready = status == IBV_WC_RNR_RETRY_EXC_ERR;
  // It is sent again with an older one that waits until the responder has a receive for it.
  if (!not_ready && waits_behind_another(qp, request)) return;
  const bool exhausted =
      not_ready ? qp.rnr_retry_limit != kRetryForEver && qp.rnr_retries >= qp.rnr_retry_limit
                : qp.retries >= qp.retry_limit;
  if (exhausted) return fail_request(request, status);
  if (not_ready) {
    ++qp.rnr_retries;
  } else {
    ++qp.retries;
  }
  qp.nic->count(Counter::kRetries);
  // A queue pair has one timer: when it ends, the oldest request that was lost is sent again, with
  // all that are behind it.
  Request* lost = oldest_lost(qp, request);
  rewind(qp, lost != nullptr ? *lost : request);
  issue_ready(qp);
}

bool Cluster::waits_behind_another(const QueuePair& qp, const Request& request) {
  for (std::uint32_t number = qp.oldest; number != request.number;) {
    const Request& older = requests_[number];
    if (!older.done && older.status == IBV_WC_RNR_RETRY_EXC_ERR) return true;
    number = older.next;
  }
  return false;
}

// Null: none before `end`.
Request* Cluster::oldest_lost(const QueuePair& qp, const Request& end) {
  for (std::uint32_t number = qp.oldest; number != end.number; number = requests_[number].next) {
    Request& request = requests_[number];
    if (!request.done && request.status == IBV_WC_RETRY_EXC_ERR) return &request;
  }
  return nullptr;
}

void Cluster::rewind(QueuePair& qp, Request& from) {
  qp.waiting = false;
  qp.send_psn = from.psn;
  for (std::uint32_t number = from.number; number != qp.unissued;) {
    Request& request = requests_[number];
    ++request.generation;  // whatever is under way of it no longer counts
    if (request.accepted && !request.executed) take_back(request);
    request.done = false;
    request.status = IBV_WC_SUCCESS;
    if (request.counted) --qp.reads_in_flight;
    request.counted = false;
    ++qp.visible;
    number = request.next;
  }
  qp.unissued = from.number;
}

Picoseconds Cluster::send_negative_acknowledgement(Nic& from, const Request& request) {
  const NicProfile& p = from.machine.nic;
  Picoseconds wait = 0;
  const Picoseconds transit = transmit(from, *request.from, p.packet_header, p.aeth, 0, wait);
  if (transit == kNeverPs || loses_on_the_way(from, *request.from)) return kNeverPs;
  return now() + wait + p.responder_latency + transit + request.from->machine.nic.response_latency;
}

// Behind a request that was lost or refused, whose retry brings this one again. The first of them
// is answered with a negative acknowledgement (PSN sequence error), which ends the wait for that.
void Cluster::arrives_out_of_order(Request& request, QueuePair& peer) {
  QueuePair& qp = *request.queue_pair;
  if (qp.waiting) return;
  if (qp.oldest == request.number) return request_lost(request);
  Request* lost = oldest_lost(qp, request);
  if (lost == nullptr || peer.gap_reported) return;
  peer.gap_reported = true;
  peer.nic->count(Counter::kNaks);
  const Picoseconds known = send_negative_acknowledgement(*peer.nic, request);
  if (known == kNeverPs) return;
  schedule(known, EventKind::kRetry, *lost);
}

void Cluster::refuse_not_ready(Request& request, QueuePair& peer) {
  peer.nic->count(Counter::kRnrNaks);
  peer.gap_reported = true;  // what follows is not answered, whether or not this arrives
  const Picoseconds known = send_negative_acknowledgement(*peer.nic, request);
  if (known == kNeverPs) return request_lost(request);
  request.status = IBV_WC_RNR_RETRY_EXC_ERR;
  request.queue_pair->waiting = true;
  const Picoseconds timer = to_picoseconds(10 * kMicrosecond) * kRnrTimers[peer.rnr_timer & 31];
  schedule(known + timer, EventKind::kRetry, request);
}

}  // namespace verbena::simnic
