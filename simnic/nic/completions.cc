// Completing requests: in order, in success and in error.
#include "simnic/nic/completions.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "simnic/nic/memory.h"
#include "simnic/nic/operations.h"

namespace verbena::simnic {

void Completions::fail_request(Request& request, ibv_wc_status status) {
  QueuePair& qp = *request.queue_pair;
  request.status = static_cast<std::uint8_t>(status);
  request.done = true;
  qp.waiting = true;  // nothing further is issued
  if (qp.oldest == request.number) fail_oldest(qp);
}

bool Completions::finish_oldest(QueuePair& qp, bool in_completion) {
  Request& request = requests_[qp.oldest];
  if (request.signaled) {
    if (Completion* completion = complete_send(qp, request, IBV_WC_SUCCESS)) {
      completion->holds_data = in_completion;
    }
  }
  if (request.counted) --qp.reads_in_flight;
  qp.oldest = request.next;
  requests_.release(request);
  if (qp.oldest == qp.unissued || !requests_[qp.oldest].done) return true;
  fail_oldest(qp);
  return false;
}

void Completions::fail_oldest(QueuePair& qp) {
  Request& request = requests_[qp.oldest];
  complete_send(qp, request, static_cast<ibv_wc_status>(request.status));
  qp.oldest = request.next;
  requests_.release(request);
  fail(qp);
}

Completion* Completions::complete_send(QueuePair& qp, const Request& request,
                                       ibv_wc_status status) {
  Completion* completion = add(qp.sends(), qp, std::max(now(), qp.last_completion));
  if (completion == nullptr) return nullptr;
  completion->wr_id = request.wr_id;
  completion->queue_pair = &qp;
  completion->byte_count = request.message.bytes;
  completion->immediate = 0;
  completion->source_qp = 0;
  completion->sent = request.message.send_index;
  completion->source_lid = 0;
  completion->status = static_cast<std::uint8_t>(status);
  completion->opcode = kOperations[request.message.operation].completes_as;
  completion->flags = 0;
  completion->receive = completion->holds_data = false;
  completion->outcome = 0;
  if (request.message.of_chain() && status == IBV_WC_SUCCESS) [[unlikely]] {
    completion->byte_count = work_of(request).length;
    completion->outcome = work_of(request).outcome;
  }
  return completion;
}

Completion* Completions::add(CompletionQueue& cq, QueuePair& qp, Picoseconds seen) {
  cq.nic->count(Counter::kCqes);
  if (cq.count >= cq.capacity) {
    // The entry is lost, and with it the queue pair.
    cq.nic->count(Counter::kCqOverruns);
    qp.state = IBV_QPS_ERR;
    return nullptr;
  }
  if (cq.count == cq.ring.size()) cq.grow();
  Completion& completion = cq.add(seen);
  if (cq.poller != nullptr) cq.poller->add_pending(seen, now());
  return &completion;
}

void Completions::flush(QueuePair& qp) {
  while (qp.oldest != kNone) {
    Request& request = requests_[qp.oldest];
    complete_send(qp, request, IBV_WC_WR_FLUSH_ERR);
    qp.oldest = request.next;
    requests_.release(request);
  }
  qp.unissued = kNone;
  qp.visible = 0;
  qp.reads_in_flight = 0;
  if (qp.receive_queue() == nullptr) return;
  ReceiveQueue& queue = *qp.receive_queue();
  while (queue.count > 0) {
    if (Completion* completion = add(qp.receives(), qp, now())) {
      *completion = {};
      completion->seen = now();
      completion->wr_id = queue.ring[queue.head].wr_id;
      completion->queue_pair = &qp;
      completion->status = IBV_WC_WR_FLUSH_ERR;
      completion->opcode = IBV_WC_RECV;
      completion->receive = true;
    }
    pop(queue);
  }
  queue.promised = 0;
}

void Completions::pop(ReceiveQueue& queue) {
  ReceiveRequest& receive = queue.ring[queue.head];
  requests_.release_pieces(receive.scattered());
  queue.head = (queue.head + 1) & static_cast<std::uint32_t>(queue.ring.size() - 1);
  --queue.count;
}

void Completions::fail(QueuePair& qp) {
  qp.state = IBV_QPS_ERR;
  flush(qp);
}

}  // namespace verbena::simnic
