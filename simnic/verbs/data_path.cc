// Posting and polling: what the code on a core does, and what it costs the core.
#include "simnic/verbs/data_path.h"

#include <cerrno>
#include <cstring>
#include <memory>

#include "rdma/base/cache_line.h"
#include "simnic/nic/chain_work.h"
#include "simnic/verbs/chain_request.h"

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
  bytes += request.inlined ? (4 + request.message.bytes + 15) / 16 * 16 : 16 * pieces;
  return bytes;
}

std::uint64_t total_bytes(const ibv_sge* pieces, int count) {
  std::uint64_t bytes = 0;
  for (int i = 0; i < count; ++i) bytes += pieces[i].length;
  return bytes;
}

int check_send(const QueuePair& qp, const Operation* operation, const ibv_send_wr& request,
               std::uint64_t& bytes) {
  if (operation == nullptr || !may_post(qp.qp_type, *operation)) return EINVAL;
  if (request.num_sge < 0 || request.num_sge > qp.attributes->max_send_sge) return EINVAL;
  bytes = total_bytes(request.sg_list, request.num_sge);
  if (bytes > std::uint64_t{1} << 31) return EINVAL;
  if ((request.send_flags & IBV_SEND_INLINE) != 0) {
    if (!operation->traits.carries_payload) return EINVAL;
    if (bytes > qp.attributes->max_inline) return EINVAL;
  }
  if (operation->only_bytes != 0 && bytes != operation->only_bytes) return EINVAL;
  if (qp.qp_type == IBV_QPT_UD) {
    if (request.wr.ud.ah == nullptr ||
        bytes > static_cast<std::uint64_t>(qp.nic->machine.nic.path_mtu)) {
      return EINVAL;
    }
  }
  return qp.posted - qp.freed >= qp.attributes->send_capacity ? ENOMEM : 0;
}

/// Fills in whom `from` addresses, and with what.
void address(Message& message, const Node& node, const QueuePair& qp, const Operation& operation,
             const ibv_send_wr& from) {
  if (operation.traits.takes_atomic_slot) {
    message.remote_address = from.wr.atomic.remote_addr;
    message.key = from.wr.atomic.rkey;
    message.operand[0] = from.wr.atomic.compare_add;
    message.operand[1] = from.wr.atomic.swap;
  } else if (message.datagram) {
    const auto& to = *static_cast<AddressHandle*>(from.wr.ud.ah);
    message.to = node.find_nic(to.lid());
    message.global = to.global();
    message.peer_qp = from.wr.ud.remote_qpn & 0xff'ffff;
    // A key with the top bit set stands for the queue pair's own (IBTA).
    message.key =
        (from.wr.ud.remote_qkey >> 31) != 0 ? qp.attributes->qkey : from.wr.ud.remote_qkey;
  } else {
    message.remote_address = from.wr.rdma.remote_addr;
    message.key = from.wr.rdma.rkey;
  }
}

/// Appends a request of `operation`, with what it has in common with all others.
Request& append_request(Node& node, QueuePair& qp, const Operation& operation, std::uint64_t wr_id,
                        unsigned flags) {
  RequestPool& requests = node.requests();
  Request& request = requests.allocate();
  request.queue_pair = &qp;
  request.wr_id = wr_id;
  request.status = IBV_WC_SUCCESS;
  request.signaled = qp.signal_all || (flags & IBV_SEND_SIGNALED) != 0;
  request.inlined = (flags & IBV_SEND_INLINE) != 0;
  request.fenced = (flags & IBV_SEND_FENCE) != 0;
  request.done = request.counted = request.waited = false;
  request.blueflame = request.far = false;
  request.fetch = 0;
  Message& message = request.message;
  message.from = qp.nic;
  message.to = node.find_nic(qp.peer_lid);
  message.peer_qp = qp.peer_qp;
  message.source_qp = qp.qp_num;
  message.operation = number_of(operation);
  message.traits = operation.traits;
  message.datagram = qp.qp_type == IBV_QPT_UD;
  message.global = false;
  message.send_index = ++qp.posted;
  request.scattered = nullptr;
  request.local_address = 0;
  request.local_key = 0;
  request.next = kNone;
  if (qp.oldest == kNone) {
    qp.oldest = request.number;
  } else {
    requests[qp.newest].next = request.number;
  }
  if (qp.unissued == kNone) qp.unissued = request.number;
  qp.newest = request.number;
  return request;
}

Request& make_request(Node& node, QueuePair& qp, const Operation& operation,
                      const ibv_send_wr& from, std::uint64_t all_bytes) {
  RequestPool& requests = node.requests();
  Request& request = append_request(node, qp, operation, from.wr_id, from.send_flags);
  request.message.bytes = static_cast<std::uint32_t>(all_bytes);
  if (operation.traits.has_immediate) request.message.immediate = from.imm_data;
  address(request.message, node, qp, operation, from);
  request.local_address = from.num_sge > 0 ? from.sg_list[0].addr : 0;
  request.local_key = from.num_sge > 0 ? from.sg_list[0].lkey : 0;
  if (request.inlined) {
    requests.make_payload(request);
    std::byte* to = request.payload;
    for (int i = 0; i < from.num_sge; ++i) {
      if (from.sg_list[i].length == 0) continue;
      std::memcpy(to, reinterpret_cast<const void*>(from.sg_list[i].addr), from.sg_list[i].length);
      to += from.sg_list[i].length;
    }
  } else if (from.num_sge > 1) {
    request.scattered = requests.new_pieces(from.sg_list, from.num_sge);
  }
  return request;
}

/// Makes the request of an operation of PRISM. Its record owns a description of it, and with it the
/// data that come with the request.
Request& make_chain_request(Node& node, QueuePair& qp, const prismdv_send_wr& from,
                            const rdma::Operation& described) {
  const bool inlined = (from.send_flags & IBV_SEND_INLINE) != 0;
  const bool brings = payload_bytes(described) != 0;
  Request& request =
      append_request(node, qp, operation_of(described.opcode), from.wr_id, from.send_flags);
  request.inlined = true;
  Message& message = request.message;
  message.remote_address = 0;
  message.key = from.rkey;
  message.bytes = block_bytes(described);
  const NicProfile& p = qp.nic->machine.nic;
  message.chain = {
      .carried = payload_bytes(described),
      .returned = rdma::most_returned(described),
      .header = static_cast<std::uint32_t>(header_bytes(described, p.reth, p.atomic_eth))};
  node.requests().make_payload(request);
  auto& work = *std::construct_at(reinterpret_cast<ChainWork*>(request.payload));
  work.operation = described;
  work.source = brings && !inlined ? from.sg_list[0] : ibv_sge{};
  work.result = from.result;
  if (brings && inlined) {
    std::memcpy(request.payload + sizeof work, reinterpret_cast<const void*>(from.sg_list[0].addr),
                from.sg_list[0].length);
  }
  return request;
}

std::uint32_t chain_wqe_bytes(const Request& request) {
  constexpr std::uint32_t kSegment = 16;
  const auto segments = [](std::uint32_t bytes) { return (bytes + kSegment - 1) / kSegment; };
  const ChainWork& work = *reinterpret_cast<const ChainWork*>(request.payload);
  const std::uint32_t inlined = work.source.length != 0 ? 0 : request.message.chain.carried;
  return kSegment *
         (1 + segments(request.message.chain.header) + (work.source.length != 0 ? 1 : 0) +
          (work.result.length != 0 ? 1 : 0) + (inlined != 0 ? segments(4 + inlined) : 0));
}

/// Returns the number under which `core` takes the doorbell register's lock for `qp`.
std::uint32_t doorbell_user(const SimCore& core, const QueuePair& qp) {
  // Cores that share a queue pair ring only while they hold its lock.
  return qp.lock() == nullptr ? std::uint32_t{core.worker()} : kSharedQueuePairs + qp.handle;
}

/// Lets `core` ring for `cost` when others may want the register, too.
void ring_shared(SimCore& core, QueuePair& qp, Picoseconds cost) {
  DriverLock& lock = qp.doorbell().lock;
  const std::uint32_t user = doorbell_user(core, qp);
  if (lock.contended(user)) {
    qp.nic->count(Counter::kLockedDoorbells);
    core.take_lock(lock.take(user, core.local(), qp.nic->machine.doorbell_lock, cost), cost);
  } else {
    lock.used_by(user);
    core.charge(cost, rdma::Activity::kPosting);
  }
  if (qp.lock() != nullptr) qp.lock()->keep_until(core.local());
}

void ring_doorbell(Node& node, QueuePair& qp, Request& first, std::uint32_t requests,
                   std::uint32_t wqe_bytes) {
  SimCore* core = node.timeline().current();
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
  const Picoseconds wait = nic.pcie_from_host.enter(node.now(), mmio);
  Picoseconds leave = node.now();
  Picoseconds cost = 0;
  if (core != nullptr) {
    cost = blueflame ? machine.cpu.blueflame_line * lines : machine.cpu.doorbell;
    if (qp.rings_alone) {
      core->charge(cost, rdma::Activity::kPosting);
    } else {
      ring_shared(*core, qp, cost);
    }
    leave = core->local() + (first.far ? machine.cpu.far_socket : 0);
  }
  // A queue pair's doorbells keep their order, whichever core rings them.
  const Picoseconds arrival = leave + machine.cpu.mmio_latency + wait;
  qp.last_doorbell = std::max(qp.last_doorbell, arrival);
  if (node.observation().on()) [[unlikely]] {
    node.observation().doorbell(blueflame ? Station::kBlueFlame : Station::kDoorbell, first, cost,
                                mmio);
    node.observation().end(wait, arrival, qp.last_doorbell);
  }
  node.schedule(qp.last_doorbell, EventKind::kDoorbell, first);
}

/// True if another core than `core` also posts to `qp` or rings its doorbell register.
bool posts_compete(const SimCore& poster, const QueuePair& qp) {
  const std::uint16_t core = poster.worker();
  if (qp.lock() != nullptr || (qp.poster != core && qp.poster != QueuePair::kNobody)) return true;
  return !qp.rings_alone && qp.doorbell().lock.contended(core);
}

void lock_queue_pair(Node& node, SimCore& poster, QueuePair& qp) {
  const std::uint16_t core = poster.worker();
  if (qp.poster == core && qp.lock() == nullptr) return;
  if (qp.poster == QueuePair::kNobody) {
    qp.poster = core;
    return;
  }
  if (qp.lock() == nullptr) {
    node.queue_pairs().share_register(qp);
    qp.need_seldom().lock = std::make_unique<DriverLock>();
    qp.lock()->used_by(qp.poster);
  }
  qp.poster = core;
  qp.nic->count(Counter::kLockedQueuePairs);
  poster.take_lock(qp.lock()->take(core, poster.local(), qp.nic->machine.queue_pair_lock, 0), 0);
}

int post_to(Node& node, ReceiveQueue& queue, ibv_recv_wr* wr, ibv_recv_wr** bad, Nic& nic) {
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
    if (wr->num_sge > 1) {
      receive.set(node.requests().new_pieces(wr->sg_list, wr->num_sge));
    } else {
      receive.set(wr->num_sge > 0 ? wr->sg_list[0] : ibv_sge{});
    }
    ++queue.count;
    ++queue.occupied;
    nic.count(Counter::kVerbsReceive);
    cost += cpu.recv_wqe_build;
  }
  if (SimCore* core = node.timeline().current()) core->charge(cost, rdma::Activity::kPosting);
  return error;
}

/// A request that was made of a work request, or why not.
struct Made {
  Request* request = nullptr;
  int error = 0;
  std::uint32_t inline_bytes = 0;
};

/// Posts a list of work requests of any kind: `make(wr, bytes)` makes the request of each, and
/// tells its size in the send queue.
template <typename WorkRequest, typename Make>
int post_list(Node& node, QueuePair& qp, WorkRequest* wr, WorkRequest** bad, Make make) {
  // Cores that compete for a lock come by it in the order of their clocks.
  SimCore* core = node.timeline().current();
  if (core != nullptr && posts_compete(*core, qp)) core->catch_up();
  if (qp.state != IBV_QPS_RTS && qp.state != IBV_QPS_SQD && qp.state != IBV_QPS_SQE &&
      qp.state != IBV_QPS_ERR) {
    *bad = wr;
    return EINVAL;
  }
  // The driver builds requests in the queue pair's ring, so it holds the lock meanwhile.
  if (core != nullptr) lock_queue_pair(node, *core, qp);
  const CpuProfile& cpu = qp.nic->machine.cpu;
  Picoseconds cost = cpu.post_call;
  Request* first = nullptr;
  Request* fetched_with = nullptr;
  const auto burst = static_cast<std::uint32_t>(qp.nic->machine.nic.wqe_fetch_burst);
  const bool far = core != nullptr && core->far_from(qp.nic->index);
  std::uint32_t count = 0;
  std::uint32_t bytes = 0;
  int error = 0;
  for (; wr != nullptr; wr = wr->next) {
    const Made made = make(*wr, bytes);
    error = made.error;
    if (error != 0) {
      *bad = wr;
      break;
    }
    Request& request = *made.request;
    if (node.observation().on()) [[unlikely]]
      node.observation().request(request);
    qp.nic->count(kOperations[request.message.operation].counter);
    const std::uint32_t lines = (bytes + kLine - 1) / kLine;
    cost += cpu.wqe_build;
    if (made.inline_bytes != 0) {
      cost += cpu.inline_copy_line * ((made.inline_bytes + kLine - 1) / kLine);
    }
    request.far = far;
    if (first == nullptr) first = &request;
    if (fetched_with == nullptr || fetched_with->fetch + lines > burst) fetched_with = &request;
    fetched_with->fetch = static_cast<std::uint8_t>(fetched_with->fetch + lines);
    ++count;
  }
  if (node.observation().on() && first != nullptr) [[unlikely]]
    node.observation().post(*first, cost);
  if (core != nullptr) {
    core->charge(cost, rdma::Activity::kPosting);
    if (qp.lock() != nullptr) qp.lock()->keep_until(core->local());
  }
  if (qp.state == IBV_QPS_ERR) {
    node.completions().fail(qp);
  } else if (first != nullptr) {
    ring_doorbell(node, qp, *first, count, bytes);
  }
  return error;
}

}  // namespace

int post_send(Node& node, QueuePair& qp, ibv_send_wr* wr, ibv_send_wr** bad) {
  return post_list(node, qp, wr, bad, [&node, &qp](const ibv_send_wr& one, std::uint32_t& bytes) {
    std::uint64_t all_bytes = 0;
    const Operation* operation = find_operation(one.opcode);
    Made made{.error = check_send(qp, operation, one, all_bytes)};
    if (made.error != 0) return made;
    made.request = &make_request(node, qp, *operation, one, all_bytes);
    bytes = wqe_bytes(qp, *operation, *made.request, static_cast<std::uint32_t>(one.num_sge));
    made.inline_bytes = made.request->inlined ? made.request->message.bytes : 0;
    return made;
  });
}

int post_chain(Node& node, QueuePair& qp, prismdv_send_wr* wr, prismdv_send_wr** bad) {
  return post_list(node, qp, wr, bad,
                   [&node, &qp](const prismdv_send_wr& one, std::uint32_t& bytes) {
                     rdma::Operation described;
                     Made made{.error = describe(qp, one, described)};
                     if (made.error != 0) return made;
                     made.request = &make_chain_request(node, qp, one, described);
                     bytes = chain_wqe_bytes(*made.request);
                     const bool inlined = (one.send_flags & IBV_SEND_INLINE) != 0;
                     made.inline_bytes = inlined ? made.request->message.chain.carried : 0;
                     return made;
                   });
}

int post_receive(Node& node, QueuePair& qp, ibv_recv_wr* wr, ibv_recv_wr** bad) {
  if (qp.srq != nullptr || qp.state == IBV_QPS_RESET) {
    *bad = wr;
    return EINVAL;
  }
  const int error = post_to(node, QueuePairs::receives_of(qp), wr, bad, *qp.nic);
  if (qp.state == IBV_QPS_ERR) node.completions().fail(qp);
  return error;
}

int post_shared_receive(Node& node, SharedReceiveQueue& srq, ibv_recv_wr* wr, ibv_recv_wr** bad) {
  return post_to(node, srq.queue, wr, bad, *static_cast<VerbsContext*>(srq.context)->nic);
}

int poll(Node& node, CompletionQueue& cq, int entries, ibv_wc* out) {
  SimCore* core = node.timeline().current();
  if (core != nullptr && cq.poller != core) {
    if (cq.poller != nullptr) cq.poller->polls_no_more(cq.polled, cq.count, node.now());
    core->polls(cq.polled, cq.count, node.now());
    cq.poller = core;
  }
  if (entries < 0) return -1;
  const Picoseconds time = core != nullptr ? core->local() : node.now();
  const std::uint32_t most = std::min(static_cast<std::uint32_t>(entries), cq.count);
  std::uint32_t taken = 0;
  while (taken < most && cq.ring[(cq.head + taken) & (cq.ring.size() - 1)].seen <= time) ++taken;
  const CpuProfile& cpu = static_cast<VerbsContext*>(cq.context)->nic->machine.cpu;
  Picoseconds cost = taken == 0 ? cpu.poll_empty : cpu.poll_cqe * taken;
  for (std::uint32_t i = 0; i < taken; ++i) {
    const Completion& from = cq.ring[(cq.head + i) & (cq.ring.size() - 1)];
    ibv_wc& to = out[i];
    to.wr_id = from.wr_id;
    to.status = static_cast<ibv_wc_status>(from.status);
    to.opcode = static_cast<ibv_wc_opcode>(from.opcode);
    to.vendor_err = from.outcome;
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
    if (node.observation().on()) [[unlikely]]
      node.observation().completion(from);
    if (!from.receive) {
      from.queue_pair->freed = from.sent;
    } else if (from.queue_pair->srq != nullptr) {
      --static_cast<SharedReceiveQueue*>(from.queue_pair->srq)->queue.occupied;
    } else {
      --from.queue_pair->receive_queue()->occupied;
    }
  }
  if (node.observation().on() && taken > 0) [[unlikely]] {
    node.observation().poll(cq.ring[cq.head], cost);
  }
  if (taken != 0) {
    cq.drop(taken);
    if (cq.poller != nullptr) cq.poller->remove_pending(taken, time);
  }
  if (core != nullptr) {
    core->charge(cost, taken == 0 ? rdma::Activity::kEmptyPolls : rdma::Activity::kPolling);
  }
  return static_cast<int>(taken);
}

}  // namespace verbena::simnic
