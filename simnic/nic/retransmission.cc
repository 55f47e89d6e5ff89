// Reliable connections at the requester: sending again what was lost or found no receive.
#include "simnic/nic/requester.h"

namespace verbena::simnic {
namespace {

constexpr std::uint8_t kRetryForEver = 7;

/// The 31 encodings of the minimal RNR NAK timer (IBTA, table 45), in units of 10 us.
constexpr std::uint32_t kRnrTimers[32] = {65536, 1,    2,    3,     4,     6,     8,     12,
                                          16,    24,   32,   48,    64,    96,    128,   192,
                                          256,   384,  512,  768,   1024,  1536,  2048,  3072,
                                          4096,  6144, 8192, 12288, 16384, 24576, 32768, 49152};

}  // namespace

void Requester::request_lost(Request& request) {
  const QueuePair& qp = *request.queue_pair;
  request.status = IBV_WC_RETRY_EXC_ERR;
  const std::uint8_t timeout = qp.attributes->timeout;
  if (timeout == 0) return;  // the timer is off: it waits until the responder misses it
  // IBTA: 4.096 us x 2^timeout.
  schedule(now() + to_picoseconds(4'096_ns) * (std::int64_t{1} << timeout), EventKind::kRetry,
           request);
}

void Requester::receiver_not_ready(Request& request, std::uint8_t rnr_timer) {
  request.status = IBV_WC_RNR_RETRY_EXC_ERR;
  request.queue_pair->waiting = true;
  const Picoseconds timer = to_picoseconds(10 * kMicrosecond) * kRnrTimers[rnr_timer & 31];
  schedule(now() + timer, EventKind::kRetry, request);
}

// All before the missing one have arrived. Where none has its number, the two ends disagree: the
// timer ends that.
void Requester::sequence_error(Request& later, std::uint32_t missing_psn) {
  QueuePair& qp = *later.queue_pair;
  std::uint32_t number = qp.oldest;
  while (number != later.number && requests_[number].message.psn != missing_psn) {
    number = requests_[number].next;
  }
  if (number == later.number) return request_lost(later);
  Request& missing = requests_[number];
  if (acknowledge_before(qp, missing)) retry(missing);
}

void Requester::retry(Request& request) {
  QueuePair& qp = *request.queue_pair;
  if (qp.nic->off) return;
  const bool not_ready = request.status == IBV_WC_RNR_RETRY_EXC_ERR;
  // It is sent again with the oldest if that waits until the responder has a receive for it.
  if (!not_ready && requests_[qp.oldest].status == IBV_WC_RNR_RETRY_EXC_ERR) return;
  const QueuePairAttributes& limits = *qp.attributes;
  const bool exhausted = not_ready ? limits.rnr_retry_limit != kRetryForEver &&
                                         qp.rnr_retries >= limits.rnr_retry_limit
                                   : qp.retries >= limits.retry_limit;
  if (exhausted) {
    return completions_.fail_request(request,
                                     not_ready ? IBV_WC_RNR_RETRY_EXC_ERR : IBV_WC_RETRY_EXC_ERR);
  }
  if (not_ready) {
    ++qp.rnr_retries;
  } else {
    ++qp.retries;
  }
  qp.nic->count(Counter::kRetries);
  // A queue pair has one timer: when it ends, the oldest request that was lost is sent again, with
  // all that are behind it.
  rewind(qp, oldest_lost(qp, request));
  issue_ready(qp);
}

Request& Requester::oldest_lost(const QueuePair& qp, Request& end) {
  for (std::uint32_t number = qp.oldest; number != end.number; number = requests_[number].next) {
    if (requests_[number].status == IBV_WC_RETRY_EXC_ERR) return requests_[number];
  }
  return end;
}

void Requester::rewind(QueuePair& qp, Request& from) {
  qp.waiting = false;
  qp.send_psn = from.message.psn;
  for (std::uint32_t number = from.number; number != qp.unissued;) {
    Request& request = requests_[number];
    ++request.generation;  // answers to what was sent no longer count
    request.status = IBV_WC_SUCCESS;
    request.done = false;
    request.waited = true;
    if (request.counted) --qp.reads_in_flight;
    request.counted = false;
    ++qp.visible;
    number = request.next;
  }
  qp.unissued = from.number;
}

}  // namespace verbena::simnic
