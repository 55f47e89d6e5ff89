// Posting and polling of what others have built.
#include "rdma/one_sided/raw_connections.h"

#include <cerrno>
#include <string>

#include "rdma/base/errors.h"
#include "rdma/device/peer_table.h"
#include "rdma/device/verbs_object.h"
#include "rdma/one_sided/connections.h"

namespace verbena::rdma {

RawConnections::Target RawConnections::target(NodeId peer, RegionId region) const {
  const std::uint16_t place = connections_.peers().connected_place(peer);
  const PeerTable::RegionAddress& address = connections_.peers().region(place, region);
  return {address.base, address.bytes, connections_.remote_key(place, region)};
}

std::uint32_t RawConnections::local_key() const { return connections_.local_key(); }

std::uint32_t RawConnections::inline_bytes() const { return connections_.inline_bytes(); }

void RawConnections::post(NodeId peer, std::uint32_t queue_pair, ibv_send_wr* chain) const {
  ibv_qp* qp = connections_.queue_pair(peer, queue_pair);
  ibv_send_wr* bad = nullptr;
  const int error = ibv_post_send(qp, chain, &bad);
  if (error == 0) return;
  const WorkerVerbs& verbs = connections_.verbs();
  throw_verbs_error(verbs.table, "ibv_post_send", verbs.context(), qp, error < 0 ? errno : error);
}

std::size_t RawConnections::poll(std::span<ibv_wc> completions) const {
  const WorkerVerbs& verbs = connections_.verbs();
  const int count =
      ibv_poll_cq(verbs.send_cq.get(), static_cast<int>(completions.size()), completions.data());
  if (count < 0) throw_verbs_error(verbs.table, "ibv_poll_cq", verbs.context(), nullptr, EIO);
  return static_cast<std::size_t>(count);
}

void RawConnections::throw_failure(const ibv_wc& completion) const {
  for (const NodeId peer : connections_.peers().peers) {
    for (std::uint32_t i = 0; i < connections_.queue_pairs_per_peer(); ++i) {
      const ibv_qp* qp = connections_.queue_pair(peer, i);
      if (qp == nullptr || qp->qp_num != completion.qp_num) continue;
      const std::string text =
          describe_completion(connections_.verbs().table, qp, connections_.describe(peer),
                              completion.status, completion.vendor_err);
      // It was there at bring-up: so it, or the way to it, has failed since.
      if (completion.status == IBV_WC_RETRY_EXC_ERR) throw PeerMissing(text);
      throw VerbsError(text);
    }
  }
  throw VerbsError(std::string("a request of an unknown queue pair: ") +
                   completion_status_name(completion.status));
}

}  // namespace verbena::rdma
