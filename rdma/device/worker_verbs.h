// The verbs objects of one worker.
#pragma once

#include <infiniband/verbs.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "rdma/device/device_context.h"
#include "rdma/device/device_discovery.h"
#include "rdma/device/endpoint_options.h"
#include "rdma/device/peer_table.h"
#include "rdma/device/verbs_object.h"
#include "rdma/memory/region.h"
#include "rdma/memory/worker_memory.h"

namespace verbena::rdma {

/// Queue pairs, completion queues and local memory of one worker, in a context that others may
/// share (ContextSharing).
struct WorkerVerbs {
  WorkerVerbs(std::shared_ptr<DeviceContext> device_context, const PortSelection& selected,
              std::uint32_t nic_number, const EndpointOptions& options, const WorkerLinks& links);

  /// Registers the regions that peers access, and the memory that this worker sends and receives
  /// by.
  void register_all(const std::vector<Region*>& regions, WorkerMemory& memory);

  /// Creates the RC queue pairs of worker `worker` of `node`.
  void create_queue_pairs(const ClusterLinks& connections, NodeId node, WorkerId worker,
                          const EndpointOptions& options);

  /// Creates one of these. With `answers_only` it is never posted to, and its send queue is
  /// minimal.
  QueuePair create_connected(const EndpointOptions& options, bool answers_only);

  /// Creates a UD queue pair, ready to send and receive; sets `inline_limit` to the bytes that its
  /// requests may carry inline.
  QueuePair create_datagram(const EndpointOptions& options, std::uint32_t& inline_limit) const;

  /// Brings an RC queue pair to the state in which it can send to queue pair `remote` at `port`.
  void connect(ibv_qp* qp, std::uint32_t remote, const PeerTable::PortAddress& address,
               const EndpointOptions& options) const;

  AddressHandle address_handle(const PeerTable::PortAddress& address) const;

  /// READs and atomics that this worker's NIC can serve at a time from one queue pair.
  std::uint8_t responder_reads() const;

  ibv_context* context() const { return device->context.get(); }

  std::shared_ptr<DeviceContext> device;
  const VerbsTable& table;
  PortSelection port;
  std::uint32_t nic;
  OwnDoorbells own_doorbells;  ///< empty where the context is not shared in this way
  CompletionQueue send_cq;
  CompletionQueue receive_cq;
  MemoryRegistration memory_registration;
  /// RC queue pairs, [link * qps_per_peer + index]; null where a number has no link. On links to
  /// nodes of more workers, by which this worker only answers, the send queue is minimal.
  std::vector<QueuePair> connected;
  std::uint32_t receive_depth;     ///< of a UD queue pair
  std::uint32_t inline_bytes = 0;  ///< accepted by all RC queue pairs that are posted to

 private:
  ibv_pd* queue_pair_pd() const {
    return own_doorbells.pd ? own_doorbells.pd.get() : device->pd.get();
  }
  ibv_ah_attr path_to(const PeerTable::PortAddress& address) const;
};

}  // namespace verbena::rdma
