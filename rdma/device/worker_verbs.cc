// The verbs objects of one worker.
#include "rdma/device/worker_verbs.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "rdma/base/errors.h"

namespace verbena::rdma {
namespace {

constexpr std::uint8_t kHopLimit = 64;
constexpr std::uint8_t kMinRnrTimer = 12;  // 0.64 ms
constexpr int kMaxReads = 16;

/// Creates a queue pair with the largest inline limit up to attr's that the device takes, which
/// verbs tell in no other way than by trying.
QueuePair create_with_inline(const VerbsTable& table, ibv_pd* pd, ibv_qp_init_attr& attr) {
  const std::uint32_t wanted = attr.cap.max_inline_data;
  const auto takes = [&](std::uint32_t bytes) {
    ibv_qp_init_attr attempt = attr;
    attempt.cap.max_inline_data = bytes;
    return QueuePair(table, table.create_qp(pd, &attempt));
  };
  if (wanted > 0) {
    if (QueuePair qp = takes(wanted)) return qp;
    std::uint32_t refused = wanted;
    attr.cap.max_inline_data = 0;
    while (attr.cap.max_inline_data + 1 < refused) {
      const std::uint32_t middle = std::midpoint(attr.cap.max_inline_data, refused);
      (takes(middle) ? attr.cap.max_inline_data : refused) = middle;
    }
  }
  ibv_qp_init_attr granted = attr;
  return create_qp(table, pd, granted);
}

}  // namespace

WorkerVerbs::WorkerVerbs(std::shared_ptr<DeviceContext> device_context,
                         const PortSelection& selected, std::uint32_t nic_number,
                         const EndpointOptions& options, const WorkerLinks& links)
    : device(std::move(device_context)),
      table(device->table),
      port(selected),
      nic(nic_number),
      own_doorbells(options.context_sharing == ContextSharing::kOwnDoorbells
                        ? device->own_doorbells()
                        : OwnDoorbells{}),
      send_cq(create_cq(table, context(), static_cast<int>(options.send_completions(links)))),
      receive_cq(create_cq(table, context(), static_cast<int>(options.receive_depth(links)))),
      receive_depth(options.receive_depth(links)) {}

void WorkerVerbs::register_all(const std::vector<Region*>& regions, WorkerMemory& memory) {
  memory_registration = register_memory(table, device->pd.get(), memory.base(), memory.size(),
                                        IBV_ACCESS_LOCAL_WRITE, "a worker's local memory");
  if (table.attach_buffers != nullptr) {
    table.attach_buffers(memory_registration.get(), &memory.receive_buffers());
  }
  device->register_regions(regions);
}

QueuePair WorkerVerbs::create_connected(const EndpointOptions& options, bool answers_only) {
  ibv_qp_init_attr attr{};
  attr.send_cq = send_cq.get();
  attr.recv_cq = receive_cq.get();
  const bool reliable = options.transport == Transport::kReliable;
  attr.qp_type = reliable ? IBV_QPT_RC : IBV_QPT_UC;
  attr.sq_sig_all = options.signal_all ? 1 : 0;
  attr.cap.max_send_wr = answers_only ? 1 : options.send_queue_depth;
  attr.cap.max_recv_wr = 1;
  attr.cap.max_send_sge = answers_only ? 1 : 2;
  attr.cap.max_recv_sge = 1;
  if (!answers_only) {
    attr.cap.max_inline_data = connected.empty() ? options.max_inline_bytes : inline_bytes;
  }
  QueuePair qp = create_with_inline(table, queue_pair_pd(), attr);
  if (!answers_only) inline_bytes = attr.cap.max_inline_data;
  if (reliable && options.prism == PrismMode::kNic && table.prism != nullptr) {
    if (const int error = table.prism->enable_qp(qp.get()); error != 0) {
      throw_verbs_error(table, "prismdv enable_qp", context(), qp.get(), error);
    }
  }

  ibv_qp_attr init{};
  init.qp_state = IBV_QPS_INIT;
  init.port_num = static_cast<std::uint8_t>(port.port);
  init.qp_access_flags = IBV_ACCESS_REMOTE_WRITE;
  if (reliable) init.qp_access_flags |= IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC;
  modify_qp(table, qp.get(), init,
            IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
  return qp;
}

QueuePair WorkerVerbs::create_datagram(const EndpointOptions& options,
                                       std::uint32_t& inline_limit) const {
  ibv_qp_init_attr attr{};
  attr.send_cq = send_cq.get();
  attr.recv_cq = receive_cq.get();
  attr.qp_type = IBV_QPT_UD;
  attr.cap.max_send_wr = options.rpc.send_queue_depth;
  attr.cap.max_recv_wr = receive_depth;
  attr.cap.max_send_sge = 1;
  attr.cap.max_recv_sge = 1;
  attr.cap.max_inline_data = options.max_inline_bytes;
  QueuePair datagram = create_with_inline(table, queue_pair_pd(), attr);
  inline_limit = attr.cap.max_inline_data;

  ibv_qp_attr next{};
  next.qp_state = IBV_QPS_INIT;
  next.port_num = static_cast<std::uint8_t>(port.port);
  next.qkey = kQueueKey;
  modify_qp(table, datagram.get(), next,
            IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY);
  next.qp_state = IBV_QPS_RTR;
  modify_qp(table, datagram.get(), next, IBV_QP_STATE);
  next.qp_state = IBV_QPS_RTS;
  next.sq_psn = datagram->qp_num & 0xffffff;
  modify_qp(table, datagram.get(), next, IBV_QP_STATE | IBV_QP_SQ_PSN);
  return datagram;
}

void WorkerVerbs::create_queue_pairs(const ClusterLinks& connections, NodeId node, WorkerId worker,
                                     const EndpointOptions& options) {
  const std::vector<NodeId> peers = connections.peers(node);
  const std::uint32_t links = connections.link_numbers(node);
  connected.reserve(std::size_t{links} * options.qps_per_peer);
  for (std::uint32_t link = 0; link < links; ++link) {
    const NodeId peer = peers[link % peers.size()];
    const bool exists =
        connections.peer_worker(node, worker, peer, link) < connections.workers(peer);
    const bool answers_only = link >= peers.size();
    for (std::uint32_t i = 0; i < options.qps_per_peer; ++i) {
      connected.push_back(exists ? create_connected(options, answers_only) : QueuePair{});
    }
  }
}

ibv_ah_attr WorkerVerbs::path_to(const PeerTable::PortAddress& address) const {
  ibv_ah_attr path{};
  path.port_num = static_cast<std::uint8_t>(port.port);
  path.dlid = address.lid;
  if (port.gid_index >= 0) {
    path.is_global = 1;
    path.grh.dgid = address.gid;
    path.grh.sgid_index = static_cast<std::uint8_t>(port.gid_index);
    path.grh.hop_limit = kHopLimit;
  }
  return path;
}

std::uint8_t WorkerVerbs::responder_reads() const {
  return static_cast<std::uint8_t>(std::clamp(device->attr.max_qp_rd_atom, 1, kMaxReads));
}

void WorkerVerbs::connect(ibv_qp* qp, std::uint32_t remote, const PeerTable::PortAddress& address,
                          const EndpointOptions& options) const {
  const bool reliable = options.transport == Transport::kReliable;
  ibv_qp_attr attr{};
  attr.qp_state = IBV_QPS_RTR;
  attr.path_mtu = std::min(port.mtu, address.mtu);
  attr.dest_qp_num = remote;
  attr.rq_psn = remote & 0xffffff;
  attr.max_dest_rd_atomic = responder_reads();
  attr.min_rnr_timer = kMinRnrTimer;
  attr.ah_attr = path_to(address);
  modify_qp(table, qp, attr,
            IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
                (reliable ? IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER : 0));
  attr.qp_state = IBV_QPS_RTS;
  attr.sq_psn = qp->qp_num & 0xffffff;
  attr.timeout = options.rc_timeout_exponent;
  attr.retry_cnt = options.rc_retries;
  attr.rnr_retry = options.rc_retries;
  attr.max_rd_atomic = static_cast<std::uint8_t>(
      std::clamp<int>(device->attr.max_qp_init_rd_atom, 1, address.responder_reads));
  modify_qp(
      table, qp, attr,
      IBV_QP_STATE | IBV_QP_SQ_PSN |
          (reliable ? IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC
                    : 0));
}

AddressHandle WorkerVerbs::address_handle(const PeerTable::PortAddress& address) const {
  return create_ah(table, device->pd.get(), path_to(address));
}

}  // namespace verbena::rdma
