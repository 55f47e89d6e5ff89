// Completing requests: in order, in success and in error.
#include "simnic/nic/cluster.h"
#include "simnic/nic/memory.h"

namespace verbena::simnic {

void Cluster::completes(Request& request) {
  QueuePair& qp = *request.queue_pair;
  if (qp.nic->off) return;
  if (request.traits.returns_payload) {
    scatter(request, request.payload);
  } else if (request.traits.returns_data) {
    scatter(request, reinterpret_cast<const std::byte*>(&request.found));
  }
  answered(qp, request);
  issue_ready(qp);
}

void Cluster::answered(QueuePair& qp, Request& request) {
  if (request.counted) --qp.reads_in_flight;
  request.counted = false;
  request.done = true;
  qp.retries = qp.rnr_retries = 0;
  retire(qp);
}

void Cluster::fails(Request& request) {
  if (request.queue_pair->nic->off) return;
  fail_request(request, static_cast<ibv_wc_status>(request.status));
}

void Cluster::fail_request(Request& request, ibv_wc_status status) {
  QueuePair& qp = *request.queue_pair;
  request.status = static_cast<std::uint8_t>(status);
  request.done = true;
  qp.waiting = true;  // nothing further is issued
  retire(qp);
}

void Cluster::retire(QueuePair& qp) {
  while (qp.oldest != qp.unissued) {
    Request& request = requests_[qp.oldest];
    if (!request.done) return;
    const auto status = static_cast<ibv_wc_status>(request.status);
    if (request.signaled || status != IBV_WC_SUCCESS) complete_send(qp, request, status);
    qp.oldest = request.next;
    if (request.counted) --qp.reads_in_flight;
    --qp.nic->outstanding;
    requests_.release(request);
    if (status != IBV_WC_SUCCESS) return fail_queue_pair(qp);
  }
}

void Cluster::complete_send(QueuePair& qp, const Request& request, ibv_wc_status status) {
  Completion* completion = new_completion(qp.sends(), qp);
  if (completion == nullptr) return;
  *completion = {};
  completion->wr_id = request.wr_id;
  completion->queue_pair = &qp;
  completion->byte_count = request.bytes;
  completion->sent = request.send_index;
  completion->status = static_cast<std::uint8_t>(status);
  completion->opcode = kOperations[request.operation].completes_as;
  completion->holds_data = request.in_completion && status == IBV_WC_SUCCESS;
}

Completion* Cluster::new_completion(CompletionQueue& cq, QueuePair& qp) const {
  cq.nic->count(Counter::kCqes);
  if (cq.count >= cq.capacity) {
    // The entry is lost, and with it the queue pair.
    cq.nic->count(Counter::kCqOverruns);
    qp.state = IBV_QPS_ERR;
    return nullptr;
  }
  if (cq.count == cq.ring.size()) cq.grow();
  if (cq.poller != nullptr) cq.poller->add_pending(1, now());
  return &cq.ring[(cq.head + cq.count++) & (cq.ring.size() - 1)];
}

void Cluster::flush(QueuePair& qp) {
  qp.nic->outstanding -= qp.visible;
  bool issued = true;
  while (qp.oldest != kNone) {
    Request& request = requests_[qp.oldest];
    issued = issued && qp.oldest != qp.unissued;
    if (issued) --qp.nic->outstanding;
    complete_send(qp, request, IBV_WC_WR_FLUSH_ERR);
    qp.oldest = request.next;
    requests_.release(request);
  }
  qp.unissued = kNone;
  qp.visible = 0;
  qp.reads_in_flight = 0;
  if (qp.receive_queue == nullptr) return;
  ReceiveQueue& queue = *qp.receive_queue;
  while (queue.count > 0) {
    if (Completion* completion = new_completion(qp.receives(), qp)) {
      *completion = {};
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

void Cluster::pop(ReceiveQueue& queue) {
  ReceiveRequest& receive = queue.ring[queue.head];
  requests_.release_pieces(receive.scattered);
  queue.head = (queue.head + 1) & static_cast<std::uint32_t>(queue.ring.size() - 1);
  --queue.count;
}

}  // namespace verbena::simnic
