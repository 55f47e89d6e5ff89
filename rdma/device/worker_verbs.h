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
              std::uint32_t nic_number, const EndpointOptions& options, std::uint32_t nodes);

  /// Registers what peers access and what this worker sends from and receives to.
  void register_all(const std::vector<Region*>& regions, WorkerMemory& memory);

  /// The RC queue pairs, [peer * qps_per_peer + index], and the UD queue pair, ready to receive.
  void create_queue_pairs(std::uint32_t nodes, const EndpointOptions& options);

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
  std::vector<QueuePair> connected;
  QueuePair datagram;
  std::uint32_t inline_bytes = 0;           ///< that all RC queue pairs take
  std::uint32_t datagram_inline_bytes = 0;  ///< that the UD queue pair takes

 private:
  ibv_pd* queue_pair_pd() const {
    return own_doorbells.pd ? own_doorbells.pd.get() : device->pd.get();
  }
  ibv_ah_attr path_to(const PeerTable::PortAddress& address) const;
  QueuePair create_connected(const EndpointOptions& options);
  void create_datagram(const EndpointOptions& options);
};

}  // namespace verbena::rdma
