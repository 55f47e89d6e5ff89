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

  /// Registers what peers access and what this worker sends from and receives to.
  void register_all(const std::vector<Region*>& regions, WorkerMemory& memory);

  /// The RC queue pairs of worker `worker` of `node`.
  void create_queue_pairs(const ClusterLinks& connections, NodeId node, WorkerId worker,
                          const EndpointOptions& options);

  /// One of these. That which is never posted to `answers_only`: it has a send queue for nothing.
  QueuePair create_connected(const EndpointOptions& options, bool answers_only);

  /// A UD queue pair, ready to send and receive; `inline_limit` becomes the bytes that its requests
  /// may carry in themselves.
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
  /// RC queue pairs, [link * qps_per_peer + index]. Those of links to nodes of more workers, by
  /// which this worker only answers, have a send queue for nothing; where a number has no link they
  /// are null.
  std::vector<QueuePair> connected;
  std::uint32_t receive_depth;     ///< of a UD queue pair
  std::uint32_t inline_bytes = 0;  ///< that all RC queue pairs that are posted to take

 private:
  ibv_pd* queue_pair_pd() const {
    return own_doorbells.pd ? own_doorbells.pd.get() : device->pd.get();
  }
  ibv_ah_attr path_to(const PeerTable::PortAddress& address) const;
};

}  // namespace verbena::rdma
