// Set-up of a small cluster with raw verbs.
#include "tests/simnic/verbs_cluster.h"

#include <gtest/gtest.h>

#include <utility>

namespace verbena::simnic {

VerbsCluster::VerbsCluster(const SimOptions& options) : fabric_(make_sim_fabric(options)) {
  for (std::uint32_t i = 0; i < options.nodes; ++i) {
    auto node = std::make_unique<VerbsNode>();
    node->verbs = &fabric_->verbs(static_cast<NodeId>(i));
    int devices = 0;
    ibv_device** list = node->verbs->get_device_list(&devices);
    node->context = node->verbs->open_device(list[0]);
    node->verbs->free_device_list(list);
    node->verbs->query_port(node->context, 1, &node->port);
    node->pd = node->verbs->alloc_pd(node->context);
    node->cq = node->verbs->create_cq(node->context, 1024, nullptr, nullptr, 0);
    node->memory.resize(kMemoryBytes);
    node->mr = node->verbs->reg_mr(node->pd, node->memory.data(), kMemoryBytes, kAllAccess);
    nodes_.push_back(std::move(node));
  }
}

VerbsCluster::~VerbsCluster() {
  for (const auto& [verbs, handle] : address_handles_) verbs->destroy_ah(handle);
  destroy_queue_pairs();
  for (const auto& node : nodes_) {
    EXPECT_EQ(node->verbs->destroy_cq(node->cq), 0);
    EXPECT_EQ(node->verbs->dereg_mr(node->mr), 0);
    EXPECT_EQ(node->verbs->dealloc_pd(node->pd), 0);
    EXPECT_EQ(node->verbs->close_device(node->context), 0);
  }
}

void VerbsCluster::destroy_queue_pairs() {
  for (const auto& [verbs, qp] : queue_pairs_) verbs->destroy_qp(qp);
  queue_pairs_.clear();
}

ibv_qp* VerbsCluster::create(std::size_t node, const QueuePairShape& shape) {
  VerbsNode& own = *nodes_[node];
  ibv_qp_init_attr init{};
  init.qp_type = shape.type;
  init.send_cq = shape.send_cq != nullptr ? shape.send_cq : own.cq;
  init.recv_cq = shape.receive_cq != nullptr ? shape.receive_cq : own.cq;
  init.srq = shape.srq;
  init.sq_sig_all = shape.signal_all ? 1 : 0;
  init.cap.max_send_wr = shape.send_depth;
  init.cap.max_recv_wr = shape.receive_depth;
  init.cap.max_send_sge = init.cap.max_recv_sge = shape.pieces;
  init.cap.max_inline_data = shape.max_inline;
  ibv_qp* qp = own.verbs->create_qp(own.pd, &init);
  EXPECT_NE(qp, nullptr);
  queue_pairs_.emplace_back(own.verbs, qp);
  return qp;
}

int VerbsCluster::to_init(ibv_qp* qp, const ConnectionShape& shape) {
  ibv_qp_attr attr{};
  attr.qp_state = IBV_QPS_INIT;
  attr.port_num = 1;
  attr.qp_access_flags = static_cast<unsigned>(shape.access);
  attr.qkey = kQkey;
  const int last = qp->qp_type == IBV_QPT_UD ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS;
  return nodes_[0]->verbs->modify_qp(qp, &attr,
                                     IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | last);
}

int VerbsCluster::to_rtr(ibv_qp* qp, std::size_t peer, std::uint32_t peer_qp,
                         const ConnectionShape& shape) {
  ibv_qp_attr attr{};
  attr.qp_state = IBV_QPS_RTR;
  attr.path_mtu = IBV_MTU_4096;
  attr.dest_qp_num = peer_qp;
  attr.rq_psn = shape.psn;
  attr.max_dest_rd_atomic = shape.max_reads;
  attr.min_rnr_timer = shape.rnr_timer;
  attr.ah_attr.port_num = 1;
  attr.ah_attr.dlid = nodes_[peer]->port.lid;
  int mask = IBV_QP_STATE;
  if (qp->qp_type != IBV_QPT_UD)
    mask |= IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;
  if (qp->qp_type == IBV_QPT_RC) mask |= IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
  return nodes_[0]->verbs->modify_qp(qp, &attr, mask);
}

int VerbsCluster::to_rts(ibv_qp* qp, const ConnectionShape& shape) {
  ibv_qp_attr attr{};
  attr.qp_state = IBV_QPS_RTS;
  attr.timeout = shape.timeout;
  attr.retry_cnt = shape.retry;
  attr.rnr_retry = shape.rnr_retry;
  attr.sq_psn = shape.psn;
  attr.max_rd_atomic = shape.max_reads;
  int mask = IBV_QP_STATE | IBV_QP_SQ_PSN;
  if (qp->qp_type == IBV_QPT_RC) {
    mask |= IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC;
  }
  return nodes_[0]->verbs->modify_qp(qp, &attr, mask);
}

void VerbsCluster::connect(std::size_t a_node, ibv_qp* a, std::size_t b_node, ibv_qp* b,
                           const ConnectionShape& shape) {
  EXPECT_EQ(to_init(a, shape), 0);
  EXPECT_EQ(to_rtr(a, b_node, b->qp_num, shape), 0);
  EXPECT_EQ(to_rts(a, shape), 0);
  if (a == b) return;
  EXPECT_EQ(to_init(b, shape), 0);
  EXPECT_EQ(to_rtr(b, a_node, a->qp_num, shape), 0);
  EXPECT_EQ(to_rts(b, shape), 0);
}

std::pair<ibv_qp*, ibv_qp*> VerbsCluster::connected(std::size_t a_node, std::size_t b_node,
                                                    const QueuePairShape& queue_pair,
                                                    const ConnectionShape& connection) {
  ibv_qp* a = create(a_node, queue_pair);
  ibv_qp* b = create(b_node, queue_pair);
  connect(a_node, a, b_node, b, connection);
  return {a, b};
}

ibv_qp* VerbsCluster::datagram(std::size_t node, const QueuePairShape& shape) {
  QueuePairShape datagram = shape;
  datagram.type = IBV_QPT_UD;
  ibv_qp* qp = create(node, datagram);
  EXPECT_EQ(to_init(qp), 0);
  EXPECT_EQ(to_rtr(qp, node, 0), 0);
  EXPECT_EQ(to_rts(qp), 0);
  return qp;
}

ibv_ah* VerbsCluster::address_handle(std::size_t from, std::size_t to, bool global) {
  ibv_ah_attr attr{};
  attr.port_num = 1;
  attr.dlid = nodes_[to]->port.lid;
  if (global) {
    attr.is_global = 1;
    nodes_[to]->verbs->query_gid(nodes_[to]->context, 1, 0, &attr.grh.dgid);
  }
  ibv_ah* handle = nodes_[from]->verbs->create_ah(nodes_[from]->pd, &attr);
  EXPECT_NE(handle, nullptr);
  address_handles_.emplace_back(nodes_[from]->verbs, handle);
  return handle;
}

void VerbsCluster::run(
    const std::vector<std::pair<NodeId, std::function<void(rdma::Core&)>>>& bodies) {
  std::vector<rdma::CoreTask> tasks;
  tasks.reserve(bodies.size());
  for (const auto& [node, body] : bodies) {
    tasks.push_back({node, static_cast<WorkerId>(tasks.size()), body});
  }
  fabric_->run(std::move(tasks));
}

namespace {

ibv_send_wr request(ibv_wr_opcode opcode, ibv_sge* pieces) {
  ibv_send_wr wr{};
  wr.opcode = opcode;
  wr.sg_list = pieces;
  wr.num_sge = pieces == nullptr ? 0 : 1;
  wr.send_flags = IBV_SEND_SIGNALED;
  return wr;
}

}  // namespace

ibv_send_wr read_request(ibv_sge* to, const VerbsNode& from, std::size_t offset) {
  ibv_send_wr wr = request(IBV_WR_RDMA_READ, to);
  wr.wr.rdma.remote_addr = from.address(offset);
  wr.wr.rdma.rkey = from.mr->rkey;
  return wr;
}

ibv_send_wr write_request(ibv_sge* from, const VerbsNode& to, std::size_t offset) {
  ibv_send_wr wr = request(IBV_WR_RDMA_WRITE, from);
  wr.wr.rdma.remote_addr = to.address(offset);
  wr.wr.rdma.rkey = to.mr->rkey;
  return wr;
}

ibv_send_wr send_request(ibv_sge* from) { return request(IBV_WR_SEND, from); }

ibv_send_wr compare_and_swap_request(ibv_sge* found, const VerbsNode& at, std::size_t offset,
                                     std::uint64_t expected, std::uint64_t desired) {
  ibv_send_wr wr = request(IBV_WR_ATOMIC_CMP_AND_SWP, found);
  wr.wr.atomic.remote_addr = at.address(offset);
  wr.wr.atomic.rkey = at.mr->rkey;
  wr.wr.atomic.compare_add = expected;
  wr.wr.atomic.swap = desired;
  return wr;
}

ibv_send_wr fetch_and_add_request(ibv_sge* found, const VerbsNode& at, std::size_t offset,
                                  std::uint64_t add) {
  ibv_send_wr wr = compare_and_swap_request(found, at, offset, add, 0);
  wr.opcode = IBV_WR_ATOMIC_FETCH_AND_ADD;
  return wr;
}

int post(ibv_qp* qp, ibv_send_wr wr) {
  ibv_send_wr* bad = nullptr;
  return ibv_post_send(qp, &wr, &bad);
}

int post_receive(ibv_qp* qp, ibv_sge piece, std::uint64_t wr_id) {
  ibv_recv_wr wr{};
  wr.wr_id = wr_id;
  wr.sg_list = &piece;
  wr.num_sge = 1;
  ibv_recv_wr* bad = nullptr;
  return ibv_post_recv(qp, &wr, &bad);
}

std::vector<ibv_wc> await(rdma::Core& core, ibv_cq* cq, std::size_t count) {
  std::vector<ibv_wc> all;
  while (all.size() < count) {
    ibv_wc wc{};
    if (ibv_poll_cq(cq, 1, &wc) == 1) {
      all.push_back(wc);
    } else {
      core.idle(kNever);
    }
  }
  return all;
}

std::vector<ibv_wc> await_for(rdma::Core& core, ibv_cq* cq, Nanoseconds duration) {
  const Nanoseconds end = core.now() + duration;
  std::vector<ibv_wc> all;
  while (true) {
    ibv_wc wc{};
    if (ibv_poll_cq(cq, 1, &wc) == 1) {
      all.push_back(wc);
    } else if (core.now() >= end) {
      return all;
    } else {
      core.idle(end);
    }
  }
}

}  // namespace verbena::simnic
