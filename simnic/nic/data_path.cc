// Posting and polling: what the code on a core does, and what it costs the core.
#include <cerrno>
#include <cstring>

#include "rdma/base/cache_line.h"
#include "simnic/nic/cluster.h"

namespace verbena::simnic {
namespace {

constexpr std::uint32_t kLine = kCacheLineBytes;

/// Names of shared queue pairs among the names of cores.
constexpr std::uint32_t kSharedQueuePairs = 1U << 16;

// WQE building blocks of mlx5 (rdma-core): control 16, remote address 16, atomic 16, address vector
// 48, one pointer 16, inline data 4 plus the data.
std::uint32_t wqe_bytes(const QueuePair& qp, const Operation& operation, const Request& request,
                        std::uint32_t pieces) {
  std::uint32_t bytes = 16 + operation.wqe_segment_bytes;
  if (qp.qp_type == IBV_QPT_UD) bytes += 48;
  bytes += request.inlined ? (4 + request.bytes + 15) / 16 * 16 : 16 * pieces;
  return bytes;
}

std::uint64_t total_bytes(const ibv_sge* pieces, int count) {
  std::uint64_t bytes = 0;
  for (int i = 0; i < count; ++i) bytes += pieces[i].length;
  return bytes;
}

}  // namespace

int Cluster::check_send(const QueuePair& qp, const Operation* operation, const ibv_send_wr& request,
                        std::uint64_t& bytes) const {
  if (operation == nullptr || !may_post(qp.qp_type, *operation)) return EINVAL;
  if (request.num_sge < 0 || request.num_sge > qp.max_send_sge) return EINVAL;
  bytes = total_bytes(request.sg_list, request.num_sge);
  if (bytes > std::uint64_t{1} << 31) return EINVAL;
  if ((request.send_flags & IBV_SEND_INLINE) != 0) {
    if (!operation->traits.carries_payload) return EINVAL;
    if (bytes > qp.max_inline) return EINVAL;
  }
  if (operation->only_bytes != 0 && bytes != operation->only_bytes) return EINVAL;
  if (qp.qp_type == IBV_QPT_UD) {
    if (request.wr.ud.ah == nullptr ||
        bytes > static_cast<std::uint64_t>(qp.nic->machine.nic.path_mtu)) {
      return EINVAL;
    }
  }
  return qp.posted - qp.freed >= qp.send_capacity ? ENOMEM : 0;
}

Request& Cluster::make_request(QueuePair& qp, const Operation& operation, const ibv_send_wr& from,
                               std::uint64_t all_bytes) {
  const std::uint32_t number = requests_.allocate();
  Request& request = requests_[number];
  request.number = number;
  request.queue_pair = &qp;
  request.from = qp.nic;
  request.to = qp.peer_nic;
  request.peer = qp.peer;
  request.peer_qp = qp.peer_qp;
  request.source_qp = qp.qp_num;
  request.wr_id = from.wr_id;
  request.operation = number_of(operation);
  request.traits = operation.traits;
  request.status = IBV_WC_SUCCESS;
  request.signaled = qp.signal_all || (from.send_flags & IBV_SEND_SIGNALED) != 0;
  request.inlined = (from.send_flags & IBV_SEND_INLINE) != 0;
  request.fenced = (from.send_flags & IBV_SEND_FENCE) != 0;
  request.done = request.counted = request.accepted = request.executed = request.global = false;
  request.blueflame = request.far = request.stray = request.in_completion = false;
  request.fetch = 0;
  request.datagram = qp.qp_type == IBV_QPT_UD;
  request.immediate = from.imm_data;
  request.bytes = static_cast<std::uint32_t>(all_bytes);
  request.payload = nullptr;
  request.payload_bytes = 0;
  request.scattered = nullptr;
  request.local_address = from.num_sge > 0 ? from.sg_list[0].addr : 0;
  request.local_key = from.num_sge > 0 ? from.sg_list[0].lkey : 0;
  if (operation.traits.takes_atomic_slot) {
    request.remote_address = from.wr.atomic.remote_addr;
    request.remote_key = from.wr.atomic.rkey;
    request.operand[0] = from.wr.atomic.compare_add;
    request.operand[1] = from.wr.atomic.swap;
  } else if (request.datagram) {
    const auto& address = *static_cast<AddressHandle*>(from.wr.ud.ah);
    request.to = address.to;
    request.global = address.global;
    request.peer_qp = from.wr.ud.remote_qpn & 0xff'ffff;
    // A key with the top bit set stands for the queue pair's own (IBTA).
    request.qkey = (from.wr.ud.remote_qkey >> 31) != 0 ? qp.qkey : from.wr.ud.remote_qkey;
  } else {
    request.remote_address = from.wr.rdma.remote_addr;
    request.remote_key = from.wr.rdma.rkey;
  }
  if (request.inlined) {
    request.payload_bytes = request.bytes;
    request.payload = payloads_.allocate(request.bytes);
    std::byte* to = request.payload;
    for (int i = 0; i < from.num_sge; ++i) {
      if (from.sg_list[i].length == 0) continue;
      std::memcpy(to, reinterpret_cast<const void*>(from.sg_list[i].addr), from.sg_list[i].length);
      to += from.sg_list[i].length;
    }
  } else if (from.num_sge > 1) {
    request.scattered = new_pieces(from.sg_list, from.num_sge);
  }
  request.send_index = ++qp.posted;
  request.next = kNone;
  if (qp.oldest == kNone) {
    qp.oldest = number;
  } else {
    requests_[qp.newest].next = number;
  }
  if (qp.unissued == kNone) qp.unissued = number;
  qp.newest = number;
  return request;
}

void Cluster::release(Request& request) {
  payloads_.release(request.payload, request.payload_bytes);
  if (request.scattered != nullptr) free_pieces_.push_back(request.scattered);
  ++request.generation;
  requests_.release(request.number);
}

std::vector<ibv_sge>* Cluster::new_pieces(const ibv_sge* pieces, int count) {
  if (free_pieces_.empty()) {
    pieces_.push_back(std::make_unique<std::vector<ibv_sge>>());
    free_pieces_.push_back(pieces_.back().get());
  }
  std::vector<ibv_sge>* list = free_pieces_.back();
  free_pieces_.pop_back();
  list->assign(pieces, pieces + count);
  return list;
}

int Cluster::post_send(QueuePair& qp, ibv_send_wr* wr, ibv_send_wr** bad) {
  // Cores that compete for a lock come by it in the order of their clocks.
  if (time_.current() != nullptr && posts_compete(qp)) time_.current()->catch_up();
  if (qp.state != IBV_QPS_RTS && qp.state != IBV_QPS_SQD && qp.state != IBV_QPS_SQE &&
      qp.state != IBV_QPS_ERR) {
    *bad = wr;
    return EINVAL;
  }
  // The driver builds requests in the queue pair's ring, so it holds the lock meanwhile.
  if (time_.current() != nullptr) lock_queue_pair(qp);
  const CpuProfile& cpu = qp.nic->machine.cpu;
  Picoseconds cost = cpu.post_call;
  Request* first = nullptr;
  Request* fetched_with = nullptr;
  const auto burst = static_cast<std::uint32_t>(qp.nic->machine.nic.wqe_fetch_burst);
  const bool far = time_.current() != nullptr && time_.current()->far_from(qp.nic->index);
  std::uint32_t count = 0;
  std::uint32_t bytes = 0;
  int error = 0;
  for (; wr != nullptr; wr = wr->next) {
    std::uint64_t all_bytes = 0;
    const Operation* operation = find_operation(wr->opcode);
    error = check_send(qp, operation, *wr, all_bytes);
    if (error != 0) {
      *bad = wr;
      break;
    }
    Request& request = make_request(qp, *operation, *wr, all_bytes);
    if (observer_ != nullptr) [[unlikely]]
      tell_request(request);
    qp.nic->count(operation->counter);
    bytes = wqe_bytes(qp, *operation, request, static_cast<std::uint32_t>(wr->num_sge));
    const std::uint32_t lines = (bytes + kLine - 1) / kLine;
    cost += cpu.wqe_build;
    if (request.inlined) cost += cpu.inline_copy_line * ((request.bytes + kLine - 1) / kLine);
    request.far = far;
    if (first == nullptr) first = &request;
    if (fetched_with == nullptr || fetched_with->fetch + lines > burst) fetched_with = &request;
    fetched_with->fetch = static_cast<std::uint8_t>(fetched_with->fetch + lines);
    ++count;
  }
  if (observer_ != nullptr && first != nullptr) [[unlikely]]
    tell_post(*first, cost);
  if (time_.current() != nullptr) {
    time_.current()->charge(cost, rdma::Activity::kPosting);
    if (qp.lock != nullptr) qp.lock->keep_until(time_.current()->local());
  }
  if (qp.state == IBV_QPS_ERR) {
    flush(qp);
  } else if (first != nullptr) {
    ring_doorbell(qp, *first, count, bytes);
  }
  return error;
}

void Cluster::ring_doorbell(QueuePair& qp, Request& first, std::uint32_t requests,
                            std::uint32_t wqe_bytes) {
  Nic& nic = *qp.nic;
  const Machine& machine = nic.machine;
  const bool blueflame = requests == 1 && wqe_bytes <= machine.nic.blueflame_bytes;
  const std::uint32_t lines = (wqe_bytes + kLine - 1) / kLine;
  first.blueflame = blueflame;
  if (blueflame) first.fetch = 0;
  first.announced = requests;
  nic.count(blueflame ? Counter::kBlueflameWrites : Counter::kDoorbells);
  const std::int64_t mmio_bytes = blueflame ? lines * (kLine + machine.cpu.pcie_request_header)
                                            : 8 + machine.cpu.pcie_request_header;
  nic.count(Counter::kPcieReadBytes, static_cast<std::uint64_t>(mmio_bytes));
  const Picoseconds mmio = transfer_time(mmio_bytes, machine.pcie_rate);
  const Picoseconds wait = nic.pcie_from_host.enter(now(), mmio);
  Picoseconds leave = now();
  Picoseconds cost = 0;
  if (time_.current() != nullptr) {
    cost = blueflame ? machine.cpu.blueflame_line * lines : machine.cpu.doorbell;
    if (qp.rings_alone) {
      time_.current()->charge(cost, rdma::Activity::kPosting);
    } else {
      ring_shared(qp, cost);
    }
    leave = time_.current()->local() + (first.far ? machine.cpu.far_socket : 0);
  }
  // A queue pair's doorbells keep their order, whichever core rings them.
  const Picoseconds arrival = leave + machine.cpu.mmio_latency + wait;
  qp.last_doorbell = std::max(qp.last_doorbell, arrival);
  if (observer_ != nullptr) [[unlikely]] {
    tell_doorbell(blueflame ? Station::kBlueFlame : Station::kDoorbell, first, cost, mmio);
    tell_end(wait, arrival, qp.last_doorbell);
  }
  schedule(qp.last_doorbell, EventKind::kDoorbell, first);
}

void Cluster::ring_shared(QueuePair& qp, Picoseconds cost) {
  DriverLock& lock = qp.doorbell->lock;
  const std::uint32_t user = doorbell_user(qp);
  if (lock.contended(user)) {
    qp.nic->count(Counter::kLockedDoorbells);
    time_.current()->take_lock(
        lock.take(user, time_.current()->local(), qp.nic->machine.doorbell_lock, cost), cost);
  } else {
    lock.used_by(user);
    time_.current()->charge(cost, rdma::Activity::kPosting);
  }
  if (qp.lock != nullptr) qp.lock->keep_until(time_.current()->local());
}

std::uint32_t Cluster::doorbell_user(const QueuePair& qp) const {
  // Cores that share a queue pair ring only while they hold its lock.
  return qp.lock == nullptr ? std::uint32_t{time_.current()->worker()}
                            : kSharedQueuePairs + qp.handle;
}

bool Cluster::posts_compete(const QueuePair& qp) const {
  const std::uint16_t core = time_.current()->worker();
  if (qp.lock != nullptr || (qp.poster != core && qp.poster != QueuePair::kNobody)) return true;
  return !qp.rings_alone && qp.doorbell->lock.contended(core);
}

void Cluster::lock_queue_pair(QueuePair& qp) {
  const std::uint16_t core = time_.current()->worker();
  if (qp.poster == core && qp.lock == nullptr) return;
  if (qp.poster == QueuePair::kNobody) {
    qp.poster = core;
    return;
  }
  if (qp.lock == nullptr) {
    share_register(qp);
    qp.lock = std::make_unique<DriverLock>();
    qp.lock->used_by(qp.poster);
  }
  qp.poster = core;
  qp.nic->count(Counter::kLockedQueuePairs);
  time_.current()->take_lock(
      qp.lock->take(core, time_.current()->local(), qp.nic->machine.queue_pair_lock, 0), 0);
}

int Cluster::post_to(ReceiveQueue& queue, ibv_recv_wr* wr, ibv_recv_wr** bad, Nic& nic) {
  const CpuProfile& cpu = nic.machine.cpu;
  Picoseconds cost = cpu.post_call;
  int error = 0;
  for (; wr != nullptr; wr = wr->next) {
    if (wr->num_sge < 0 || static_cast<std::uint32_t>(wr->num_sge) > queue.max_sge) error = EINVAL;
    if (error == 0 && queue.occupied >= queue.capacity) error = ENOMEM;
    if (error != 0) {
      *bad = wr;
      break;
    }
    if (queue.count == queue.ring.size()) queue.grow();
    ReceiveRequest& receive = queue.ring[(queue.head + queue.count) & (queue.ring.size() - 1)];
    receive.wr_id = wr->wr_id;
    receive.scattered = wr->num_sge > 1 ? new_pieces(wr->sg_list, wr->num_sge) : nullptr;
    receive.address = wr->num_sge > 0 ? wr->sg_list[0].addr : 0;
    receive.length = wr->num_sge > 0 ? wr->sg_list[0].length : 0;
    receive.key = wr->num_sge > 0 ? wr->sg_list[0].lkey : 0;
    ++queue.count;
    ++queue.occupied;
    nic.count(Counter::kVerbsReceive);
    cost += cpu.recv_wqe_build;
  }
  if (time_.current() != nullptr) time_.current()->charge(cost, rdma::Activity::kPosting);
  return error;
}

int Cluster::post_receive(QueuePair& qp, ibv_recv_wr* wr, ibv_recv_wr** bad) {
  if (qp.srq != nullptr || qp.state == IBV_QPS_RESET) {
    *bad = wr;
    return EINVAL;
  }
  const int error = post_to(receive_queue(qp), wr, bad, *qp.nic);
  if (qp.state == IBV_QPS_ERR) flush(qp);
  return error;
}

int Cluster::post_shared_receive(SharedReceiveQueue& srq, ibv_recv_wr* wr, ibv_recv_wr** bad) {
  return post_to(srq.queue, wr, bad, *static_cast<VerbsContext*>(srq.context)->nic);
}

int Cluster::poll(CompletionQueue& cq, int entries, ibv_wc* out) {
  SimCore* core = time_.current();
  if (core != nullptr && cq.poller != core) {
    if (cq.poller != nullptr) cq.poller->remove_pending(cq.count, now());
    core->add_pending(cq.count, now());
    cq.poller = core;
  }
  if (entries < 0) return -1;
  const std::uint32_t taken = std::min(static_cast<std::uint32_t>(entries), cq.count);
  const CpuProfile& cpu = static_cast<VerbsContext*>(cq.context)->nic->machine.cpu;
  Picoseconds cost = taken == 0 ? cpu.poll_empty : cpu.poll_cqe * taken;
  for (std::uint32_t i = 0; i < taken; ++i) {
    const Completion& from = cq.ring[(cq.head + i) & (cq.ring.size() - 1)];
    ibv_wc& to = out[i];
    to.wr_id = from.wr_id;
    to.status = static_cast<ibv_wc_status>(from.status);
    to.opcode = static_cast<ibv_wc_opcode>(from.opcode);
    to.vendor_err = 0;
    to.byte_len = from.byte_count;
    to.imm_data = from.immediate;
    to.qp_num = from.queue_pair->qp_num;
    to.src_qp = from.source_qp;
    to.wc_flags = from.flags;
    to.pkey_index = 0;
    to.slid = from.source_lid;
    to.sl = 0;
    to.dlid_path_bits = 0;
    if (from.holds_data) cost += cpu.inline_copy_line;
    if (observer_ != nullptr) [[unlikely]]
      tell_completion(from);
    if (!from.receive) {
      from.queue_pair->freed = from.sent;
    } else if (from.queue_pair->srq != nullptr) {
      --static_cast<SharedReceiveQueue*>(from.queue_pair->srq)->queue.occupied;
    } else {
      --from.queue_pair->receive_queue->occupied;
    }
  }
  if (observer_ != nullptr && taken > 0) [[unlikely]] {
    tell_poll(cq.ring[cq.head], cost);
  }
  cq.drop(taken);
  if (cq.poller != nullptr) {
    cq.poller->remove_pending(taken, core != nullptr ? core->local() : now());
  }
  if (core != nullptr) {
    core->charge(cost, taken == 0 ? rdma::Activity::kEmptyPolls : rdma::Activity::kPolling);
  }
  return static_cast<int>(taken);
}

}  // namespace verbena::simnic
