// Life of a queue pair: creation, reset, destruction.
#include "simnic/nic/queue_pairs.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "simnic/nic/chain_context.h"

namespace verbena::simnic {

SeldomState::SeldomState() = default;
SeldomState::~SeldomState() = default;

QueuePairs::~QueuePairs() = default;

QueuePair* QueuePairs::create(ProtectionDomain& pd, const ibv_qp_init_attr& attributes) {
  auto& context = *static_cast<VerbsContext*>(pd.context);
  const std::uint32_t handle = queue_pairs_.allocate();
  QueuePair& qp = queue_pairs_[handle];
  qp = {};
  qp.qp_num = context.nic->add_queue_pair(&qp);
  if (qp.qp_num == 0) {
    queue_pairs_.release(handle);
    return nullptr;
  }
  qp.context = &context;
  qp.qp_context = attributes.qp_context;
  qp.pd = &pd;
  qp.send_cq = attributes.send_cq;
  qp.recv_cq = attributes.recv_cq;
  qp.srq = attributes.srq;
  qp.handle = handle;
  qp.state = IBV_QPS_RESET;
  qp.qp_type = attributes.qp_type;
  qp.nic = context.nic;
  qp.attributes =
      shared({.send_capacity = std::max<std::uint32_t>(1, attributes.cap.max_send_wr),
              .receive_capacity = attributes.srq != nullptr ? 0 : attributes.cap.max_recv_wr,
              .max_inline = static_cast<std::uint16_t>(attributes.cap.max_inline_data),
              .max_send_sge = static_cast<std::uint8_t>(attributes.cap.max_send_sge),
              .max_receive_sge = static_cast<std::uint8_t>(attributes.cap.max_recv_sge)});
  qp.signal_all = attributes.sq_sig_all != 0;
  qp.cache_slot = QueuePairCache::kNowhere;
  qp.oldest = qp.unissued = kNone;
  qp.poster = QueuePair::kNobody;
  if (qp.qp_type != IBV_QPT_UD) {
    // Units take connected queue pairs in turn, beginning with the next each time around: every
    // eighth queue pair may well be one that is used less.
    const std::uint32_t given = context.nic->units_given++;
    const auto units = static_cast<std::uint32_t>(context.nic->machine.nic.processing_units);
    qp.unit = (given + given / units) % units & 63;
  }
  give_register(qp, choose_register(pd));
  ++context.objects;
  ++pd.objects;
  ++qp.sends().queue_pairs;
  ++qp.receives().queue_pairs;
  if (qp.srq != nullptr) ++static_cast<SharedReceiveQueue*>(qp.srq)->queue_pairs;
  return &qp;
}

std::uint16_t QueuePairs::choose_register(const ProtectionDomain& pd) {
  if (pd.thread_domain != nullptr) return pd.thread_domain->doorbell_register;
  // The first queue pairs of a context have a doorbell register each; the others share the rest.
  auto& context = *static_cast<VerbsContext*>(pd.context);
  const NicProfile& profile = context.nic->machine.nic;
  const std::uint32_t index = context.queue_pairs++;
  const auto all = static_cast<std::uint32_t>(profile.doorbell_registers);
  const auto own = std::min(all, static_cast<std::uint32_t>(profile.private_doorbell_registers));
  return static_cast<std::uint16_t>(index < own || own == all ? index % all
                                                              : own + (index - own) % (all - own));
}

void QueuePairs::give_register(QueuePair& qp, std::uint16_t number) {
  qp.doorbell_register = number;
  DoorbellRegister& reg = qp.doorbell();
  if (reg.only != nullptr) share_register(*reg.only);
  qp.rings_alone = !reg.given;
  reg.only = reg.given ? nullptr : &qp;
  reg.given = true;
}

void QueuePairs::share_register(QueuePair& qp) {
  if (!qp.rings_alone) return;
  qp.rings_alone = false;
  qp.doorbell().only = nullptr;
  if (qp.poster != QueuePair::kNobody) qp.doorbell().lock.used_by(qp.poster);
}

ReceiveQueue& QueuePairs::receives_of(QueuePair& qp) {
  if (qp.srq != nullptr) return static_cast<SharedReceiveQueue*>(qp.srq)->queue;
  if (ReceiveQueue* queue = qp.receive_queue()) return *queue;
  auto queue = std::make_unique<ReceiveQueue>();
  queue->capacity = qp.attributes->receive_capacity;
  queue->max_sge = qp.attributes->max_receive_sge;
  return *(qp.need_seldom().receive_queue = std::move(queue));
}

void QueuePairs::remove_completions(CompletionQueue& cq, const QueuePair& qp) const {
  std::uint32_t kept = 0;
  const std::size_t mask = cq.ring.size() - 1;
  for (std::uint32_t i = 0; i < cq.count; ++i) {
    const Completion completion = cq.ring[(cq.head + i) & mask];
    if (completion.queue_pair == &qp) {
      if (completion.receive && qp.srq != nullptr) {
        --static_cast<SharedReceiveQueue*>(qp.srq)->queue.occupied;
      }
      continue;
    }
    cq.ring[(cq.head + kept++) & mask] = completion;
  }
  if (cq.poller != nullptr) cq.poller->remove_pending(cq.count - kept, now());
  cq.drop_last(cq.count - kept);
}

void QueuePairs::reset(QueuePair& qp) {
  while (qp.oldest != kNone) {
    Request& request = requests_[qp.oldest];
    qp.oldest = request.next;
    requests_.release(request);
  }
  if (ReceiveQueue* queue = qp.receive_queue()) {
    while (queue->count > 0) completions_.pop(*queue);
    queue->promised = queue->occupied = 0;
  }
  remove_completions(qp.sends(), qp);
  if (qp.recv_cq != qp.send_cq) remove_completions(qp.receives(), qp);
  qp.unissued = kNone;
  qp.visible = 0;
  qp.posted = qp.freed = 0;
  qp.reads_in_flight = 0;
  qp.retries = qp.rnr_retries = 0;
  qp.waiting = false;
  qp.last_answer = qp.ack_leaves = 0;
  qp.keeps_results = false;
  if (qp.seldom != nullptr) qp.seldom->kept_results = {};
  if (qp.seldom != nullptr && qp.seldom->chain != nullptr) forget_chain(qp);
  qp.peer_lid = 0;
  qp.peer = nullptr;
  qp.state = IBV_QPS_RESET;
  qp.nic->qp_cache.forget(qp.qp_num);
}

// It stays while events refer to what was pending.
void QueuePairs::forget_chain(QueuePair& qp) {
  std::erase_if(abandoned_, [](const auto& chain) { return chain->pending.empty(); });
  ChainContext& chain = *qp.seldom->chain;
  chain.abandoned = true;
  OrderWaits& order = qp.seldom->chain_order;
  order.end(now(), order.waiting());
  chain.order = nullptr;
  if (chain.scratch_on_nic) {
    qp.nic->need_chains().scratch_bytes -= static_cast<std::int64_t>(rdma::kScratchBytes);
  }
  abandoned_.push_back(std::move(qp.seldom->chain));
  qp.chain_pending = false;
}

void QueuePairs::destroy(QueuePair& qp) {
  reset(qp);
  share_register(qp);
  --static_cast<VerbsContext*>(qp.context)->objects;
  --static_cast<ProtectionDomain*>(qp.pd)->objects;
  --qp.sends().queue_pairs;
  --qp.receives().queue_pairs;
  if (qp.srq != nullptr) --static_cast<SharedReceiveQueue*>(qp.srq)->queue_pairs;
  qp.nic->remove_queue_pair(qp.qp_num);
  // Its memory stays: others may still look here for a peer, and see that it is not theirs.
  const std::uint32_t handle = qp.handle;
  qp = {};
  queue_pairs_.release(handle);
}

bool QueuePairs::has(const SharedReceiveQueue* srq) const {
  return std::find(shared_receive_queues_.begin(), shared_receive_queues_.end(), srq) !=
         shared_receive_queues_.end();
}

void QueuePairs::remove_pollers() {
  for (CompletionQueue* cq : completion_queues_) cq->poller = nullptr;
}

}  // namespace verbena::simnic
