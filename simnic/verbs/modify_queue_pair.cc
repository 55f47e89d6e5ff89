// The queue pair state machine: which transitions exist, and which attributes each needs and allows
// (IBTA 10.3).
#include "simnic/verbs/modify_queue_pair.h"

#include <cerrno>

#include "simnic/nic/node.h"

namespace verbena::simnic {
namespace {

struct Transition {
  ibv_qp_type type;
  ibv_qp_state from;
  ibv_qp_state to;
  int required;
  int optional;
};

constexpr int kConnect = IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;
constexpr int kPath = IBV_QP_ALT_PATH | IBV_QP_PATH_MIG_STATE;
constexpr int kConnectedOptions = IBV_QP_CUR_STATE | IBV_QP_ACCESS_FLAGS | kPath;
constexpr int kReliableOptions = kConnectedOptions | IBV_QP_MIN_RNR_TIMER;
constexpr int kDatagramOptions = IBV_QP_CUR_STATE | IBV_QP_QKEY;
constexpr int kInitConnected = IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS;
constexpr int kInitDatagram = IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY;

constexpr Transition kTransitions[] = {
    {IBV_QPT_RC, IBV_QPS_RESET, IBV_QPS_INIT, kInitConnected, 0},
    {IBV_QPT_UC, IBV_QPS_RESET, IBV_QPS_INIT, kInitConnected, 0},
    {IBV_QPT_UD, IBV_QPS_RESET, IBV_QPS_INIT, kInitDatagram, 0},
    {IBV_QPT_RC, IBV_QPS_INIT, IBV_QPS_INIT, 0, kInitConnected},
    {IBV_QPT_UC, IBV_QPS_INIT, IBV_QPS_INIT, 0, kInitConnected},
    {IBV_QPT_UD, IBV_QPS_INIT, IBV_QPS_INIT, 0, kInitDatagram},
    {IBV_QPT_RC, IBV_QPS_INIT, IBV_QPS_RTR,
     kConnect | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER,
     IBV_QP_ALT_PATH | IBV_QP_ACCESS_FLAGS | IBV_QP_PKEY_INDEX},
    {IBV_QPT_UC, IBV_QPS_INIT, IBV_QPS_RTR, kConnect,
     IBV_QP_ALT_PATH | IBV_QP_ACCESS_FLAGS | IBV_QP_PKEY_INDEX},
    {IBV_QPT_UD, IBV_QPS_INIT, IBV_QPS_RTR, 0, IBV_QP_PKEY_INDEX | IBV_QP_QKEY},
    {IBV_QPT_RC, IBV_QPS_RTR, IBV_QPS_RTS,
     IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC,
     kReliableOptions},
    {IBV_QPT_UC, IBV_QPS_RTR, IBV_QPS_RTS, IBV_QP_SQ_PSN, kConnectedOptions},
    {IBV_QPT_UD, IBV_QPS_RTR, IBV_QPS_RTS, IBV_QP_SQ_PSN, kDatagramOptions},
    {IBV_QPT_RC, IBV_QPS_RTS, IBV_QPS_RTS, 0, kReliableOptions},
    {IBV_QPT_UC, IBV_QPS_RTS, IBV_QPS_RTS, 0, kConnectedOptions},
    {IBV_QPT_UD, IBV_QPS_RTS, IBV_QPS_RTS, 0, kDatagramOptions},
    {IBV_QPT_RC, IBV_QPS_RTS, IBV_QPS_SQD, 0, IBV_QP_EN_SQD_ASYNC_NOTIFY},
    {IBV_QPT_UC, IBV_QPS_RTS, IBV_QPS_SQD, 0, IBV_QP_EN_SQD_ASYNC_NOTIFY},
    {IBV_QPT_UD, IBV_QPS_RTS, IBV_QPS_SQD, 0, IBV_QP_EN_SQD_ASYNC_NOTIFY},
    {IBV_QPT_RC, IBV_QPS_SQD, IBV_QPS_RTS, 0, kReliableOptions},
    {IBV_QPT_UC, IBV_QPS_SQD, IBV_QPS_RTS, 0, kConnectedOptions},
    {IBV_QPT_UD, IBV_QPS_SQD, IBV_QPS_RTS, 0, kDatagramOptions},
};

bool allowed(ibv_qp_type type, ibv_qp_state from, ibv_qp_state to, int mask) {
  if (to == IBV_QPS_RESET || to == IBV_QPS_ERR) return mask == 0;
  for (const Transition& one : kTransitions) {
    if (one.type != type || one.from != from || one.to != to) continue;
    return (mask & one.required) == one.required && (mask & ~(one.required | one.optional)) == 0;
  }
  return false;
}

/// The NIC that an address leads to; null when there is none.
Nic* resolve(const Node& node, const ibv_ah_attr& address) {
  if (address.is_global != 0) {
    if (Nic* nic = node.find_nic(address.grh.dgid)) return nic;
  }
  return node.find_nic(address.dlid);
}

bool values_valid(const Node& node, const QueuePair& qp, const ibv_qp_attr& attr, int mask) {
  const NicProfile& profile = qp.nic->machine.nic;
  const auto too_large = [mask](int bit, std::int64_t value, std::int64_t most) {
    return (mask & bit) != 0 && value > most;
  };
  if ((mask & IBV_QP_PORT) != 0 && attr.port_num != 1) return false;
  if (too_large(IBV_QP_PKEY_INDEX, attr.pkey_index, 0)) return false;
  if (too_large(IBV_QP_MAX_QP_RD_ATOMIC, attr.max_rd_atomic, profile.max_rd_atomic)) return false;
  if (too_large(IBV_QP_MAX_DEST_RD_ATOMIC, attr.max_dest_rd_atomic, profile.max_rd_atomic))
    return false;
  if (too_large(IBV_QP_TIMEOUT, attr.timeout, 31) ||
      too_large(IBV_QP_RETRY_CNT, attr.retry_cnt, 7) ||
      too_large(IBV_QP_RNR_RETRY, attr.rnr_retry, 7) ||
      too_large(IBV_QP_MIN_RNR_TIMER, attr.min_rnr_timer, 31)) {
    return false;
  }
  if ((mask & IBV_QP_PATH_MTU) != 0 &&
      (attr.path_mtu < IBV_MTU_256 || attr.path_mtu > IBV_MTU_4096)) {
    return false;
  }
  return (mask & IBV_QP_AV) == 0 || resolve(node, attr.ah_attr) != nullptr;
}

void assign(Node& node, QueuePair& qp, const ibv_qp_attr& attr, int mask) {
  QueuePairAttributes changed = *qp.attributes;
  constexpr std::uint32_t kQpnMask = 0xff'ffff;
  constexpr unsigned kAccess = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
                               IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC;
  if ((mask & IBV_QP_ACCESS_FLAGS) != 0) qp.access = attr.qp_access_flags & kAccess;
  if ((mask & IBV_QP_QKEY) != 0) changed.qkey = attr.qkey;
  if ((mask & IBV_QP_AV) != 0) qp.peer_lid = resolve(node, attr.ah_attr)->lid();
  if ((mask & IBV_QP_PATH_MTU) != 0) changed.path_mtu = static_cast<std::uint8_t>(attr.path_mtu);
  if ((mask & IBV_QP_DEST_QPN) != 0) qp.peer_qp = attr.dest_qp_num & kQpnMask;
  if ((mask & IBV_QP_RQ_PSN) != 0) {
    qp.expected_psn = attr.rq_psn & kPsnMask;
    qp.gap_reported = false;
  }
  if ((mask & IBV_QP_SQ_PSN) != 0) qp.send_psn = attr.sq_psn & kPsnMask;
  if ((mask & IBV_QP_MAX_DEST_RD_ATOMIC) != 0) {
    changed.max_peer_reads = attr.max_dest_rd_atomic;
    qp.serves_reads = attr.max_dest_rd_atomic != 0;
  }
  if ((mask & IBV_QP_MAX_QP_RD_ATOMIC) != 0) changed.max_reads = attr.max_rd_atomic;
  if ((mask & IBV_QP_MIN_RNR_TIMER) != 0) changed.rnr_timer = attr.min_rnr_timer;
  if ((mask & IBV_QP_TIMEOUT) != 0) changed.timeout = attr.timeout;
  if ((mask & IBV_QP_RETRY_CNT) != 0) changed.retry_limit = attr.retry_cnt;
  if ((mask & IBV_QP_RNR_RETRY) != 0) changed.rnr_retry_limit = attr.rnr_retry;
  qp.attributes = node.queue_pairs().shared(changed);
}

}  // namespace

int modify_queue_pair(Node& node, QueuePair& qp, const ibv_qp_attr& attr, int mask) {
  const bool changes_state = (mask & IBV_QP_STATE) != 0;
  const ibv_qp_state to = changes_state ? attr.qp_state : qp.state;
  mask &= ~IBV_QP_STATE;
  if ((mask & IBV_QP_CUR_STATE) != 0 && attr.cur_qp_state != qp.state) return EINVAL;
  if (!allowed(qp.qp_type, qp.state, to, mask)) return EINVAL;
  if (!values_valid(node, qp, attr, mask)) return EINVAL;
  assign(node, qp, attr, mask);
  if (!changes_state) return 0;
  if (to == IBV_QPS_RESET) {
    node.queue_pairs().reset(qp);
  } else if (to == IBV_QPS_ERR) {
    node.completions().fail(qp);
  } else {
    qp.state = to;
    if (to == IBV_QPS_RTS) node.requester().issue_ready(qp);
  }
  return 0;
}

int query_queue_pair(const QueuePair& qp, ibv_qp_attr& attr, ibv_qp_init_attr& init) {
  const QueuePairAttributes& given = *qp.attributes;
  attr = {};
  init = {};
  attr.qp_state = attr.cur_qp_state = qp.state;
  attr.path_mtu = static_cast<ibv_mtu>(given.path_mtu);
  attr.qkey = given.qkey;
  attr.rq_psn = qp.expected_psn;
  attr.sq_psn = qp.send_psn;
  attr.dest_qp_num = qp.peer_qp;
  attr.qp_access_flags = qp.access;
  attr.max_rd_atomic = given.max_reads;
  attr.max_dest_rd_atomic = given.max_peer_reads;
  attr.min_rnr_timer = given.rnr_timer;
  attr.port_num = 1;
  attr.timeout = given.timeout;
  attr.retry_cnt = given.retry_limit;
  attr.rnr_retry = given.rnr_retry_limit;
  attr.ah_attr.port_num = 1;
  attr.ah_attr.dlid = qp.peer_lid;
  init.qp_context = qp.qp_context;
  init.send_cq = qp.send_cq;
  init.recv_cq = qp.recv_cq;
  init.srq = qp.srq;
  init.qp_type = qp.qp_type;
  init.sq_sig_all = qp.signal_all ? 1 : 0;
  init.cap.max_send_wr = given.send_capacity;
  init.cap.max_recv_wr = given.receive_capacity;
  init.cap.max_send_sge = given.max_send_sge;
  init.cap.max_recv_sge = given.max_receive_sge;
  init.cap.max_inline_data = given.max_inline;
  attr.cap = init.cap;
  return 0;
}

}  // namespace verbena::simnic
