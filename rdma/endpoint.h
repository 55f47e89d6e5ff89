// All RDMA resources of one node: its devices, regions and workers, and its connections to the
// other nodes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "rdma/base/types.h"
#include "rdma/device/endpoint_options.h"
#include "rdma/device/peer_health.h"
#include "rdma/device/peer_table.h"
#include "rdma/memory/region.h"
#include "rdma/seam/fabric.h"

namespace verbena::rdma {

class Worker;
class Drain;
class ChainServer;
class RequestServer;

/// One node of the cluster, in the process that hosts it; a process may host many. Set-up is
/// single-threaded:
///
///     Endpoint endpoint(fabric, node, options);     // of each hosted node
///     endpoint.add_region("store", bytes, loader);
///     endpoint.publish();                           // all hosted nodes, ...
///     endpoint.connect();                           // ... before the first connects
///     endpoint.worker(id).rpc().serve(...);         // of each worker
///     endpoint.worker(id).spawn(...);
///     fabric.run({{node, id, [&](Core& core) { endpoint.worker(id).run(core); }}, ...});
///
/// Afterwards each worker belongs to the thread that runs it. The fabric must outlive the endpoint.
class Endpoint {
 public:
  /// Opens the devices and creates the workers, as many as `options.links` gives the node. Throws
  /// ConfigurationError when an option is out of range or no suitable device is there, VerbsError
  /// when a verbs call fails.
  Endpoint(Fabric& fabric, NodeId node, const EndpointOptions& options);
  ~Endpoint();
  Endpoint(const Endpoint&) = delete;
  Endpoint& operator=(const Endpoint&) = delete;

  /// Adds memory for peers to access; only before publish(). Regions are numbered from 0 in the
  /// order of the calls. Nodes may have different regions, or none, so a peer has to know a
  /// region's number. `areas`: see FirstTouchMemory; ignored where NICs know addresses only.
  Region& add_region(std::string name, std::uint64_t bytes, PageLoader loader,
                     std::vector<UnitArea> areas = {});

  /// Throws ConfigurationError when NICs are to carry out chains (EndpointOptions::prism), but
  /// those of this node cannot: without PRISM's operations, or as several that do not exclude each
  /// other.
  void check_chains() const;
  /// Has `server`, which must outlive this, carry out the chains of peers: by all workers, or by
  /// the NIC. Throws as check_chains.
  void serve_chains(ChainServer& server);

  /// Registers the regions, creates the queue pairs and publishes their addresses at the fabric's
  /// rendezvous.
  void publish();

  /// Fetches the addresses of every connected node and connects to it. Hosted nodes connect in the
  /// fabric's order; the last one also waits for the nodes of other processes to connect. Throws
  /// PeerMissing, naming the peer, when a peer has not published within the bring-up time-out, and
  /// ConfigurationError when it was set up differently.
  void connect();

  NodeId node() const { return node_; }
  std::uint32_t nodes() const { return nodes_; }
  std::uint32_t workers() const { return static_cast<std::uint32_t>(workers_.size()); }
  /// Options in use, with the connections, and the workers and NICs that they give this node.
  const EndpointOptions& options() const { return options_; }
  Fabric& fabric() { return fabric_; }

  Worker& worker(WorkerId worker) { return *workers_[worker]; }
  Region& region(RegionId region) { return *regions_[region]; }
  std::uint32_t regions() const { return static_cast<std::uint32_t>(regions_.size()); }

  /// Links of the cluster: the nodes that this one has queue pairs with, and each node's workers.
  const ClusterLinks& links() const { return *options_.links; }
  bool connected(NodeId peer) const { return links().connected(node_, peer); }

  /// Returns the size of `region` at `peer`, in bytes. After connect(). Throws std::logic_error for
  /// a node without connection.
  std::uint64_t region_size(NodeId peer, RegionId region) const;

  /// Declares that `peer` has failed and is gone for good: the drain does not wait for it, calls to
  /// it fail with PeerMissing, notifications to it are discarded. Thread-safe; takes effect at each
  /// worker's next turn.
  void mark_dead(NodeId peer) { health_.mark_dead(peer); }
  /// Marks `peer` dead, and makes the queue pairs of all workers to it fail. Once it has returned,
  /// no request of `peer` changes or reads this node's memory, and fibers that waited for it go on.
  /// Thread-safe. Throws VerbsError when a queue pair cannot be made to fail.
  void fence(NodeId peer);
  bool is_dead(NodeId peer) const { return health_.is_dead(peer); }

  /// For this layer itself.
  Drain& drain() { return *drain_; }
  const PeerHealth& health() const { return health_; }
  const PeerTable& peers() const { return *peers_; }

 private:
  struct KnownWorker;  ///< a peer's

  void register_regions();
  void serve_requests();
  std::vector<std::byte> describe_node() const;
  std::vector<std::byte> describe_queue_pairs(NodeId peer) const;
  static std::uint32_t region_count(NodeId peer, const std::vector<std::byte>& description);
  void learn_node(NodeId peer, const std::vector<std::byte>& description);
  void learn_worker(const LinkedWorkers& ends, NodeId peer, const KnownWorker& worker);
  template <typename Action>
  void for_each_link(NodeId peer, Action&& action) const;
  void await_other_processes();
  void connect_queue_pairs(NodeId peer, const std::vector<std::byte>& description);

  Fabric& fabric_;
  NodeId node_;
  std::uint32_t nodes_;
  EndpointOptions options_;
  PeerHealth health_;
  std::vector<std::unique_ptr<Region>> regions_;
  std::unique_ptr<Region> control_;  // flags for the drain; numbered after the others
  std::unique_ptr<PeerTable> peers_;
  std::unique_ptr<Drain> drain_;
  std::unique_ptr<RequestServer> request_server_;  // null: peers' requests come by NIC
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<ChainServer*> chain_servers_;  // whose lists are on the NIC
  bool published_ = false;
};

}  // namespace verbena::rdma
