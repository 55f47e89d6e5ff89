// The fabric that a test runs on, and a cluster of endpoints on it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "rdma/endpoint.h"
#include "rdma/seam/fabric.h"
#include "rdma/worker.h"

namespace verbena::testing {

/// True if the environment says VERBENA_TEST_FABRIC=verbs: then tests run on this machine's RDMA
/// device, all nodes in this process. Otherwise (unset, or "sim") they run in simulated time.
bool on_hardware();

/// `simulated` on the simulated fabric, the smaller `hardware` on a device that may be an emulated
/// one.
template <typename T>
T by_fabric(T simulated, T hardware) {
  return on_hardware() ? hardware : simulated;
}

struct FabricShape {
  std::uint32_t nodes = 2;
  std::uint32_t workers = 1;
  std::uint32_t nics = 1;
  std::uint64_t seed = 1;
  bool chaos = false;
  unsigned sim_threads = 1;  ///< see simnic::SimOptions
  std::string topology = "star";
  rdma::MessagePath transport = rdma::MessagePath::kDatagrams;
  /// Constants of the simulated cluster, e.g. {"fabric.ud_loss", "0.1"}.
  std::map<std::string, std::string> overrides = {};
  /// Page arena of the simulated cluster; null: one of its own.
  rdma::PageArena* page_arena = nullptr;
};

std::unique_ptr<rdma::Fabric> make_fabric(const FabricShape& shape);

/// Options whose time-outs suit the fabric, for `shape`.
rdma::EndpointOptions options_for(const FabricShape& shape);

/// All nodes of a cluster, connected.
class Cluster {
 public:
  /// `prepare` is called for each endpoint before it publishes, to add regions.
  explicit Cluster(const FabricShape& shape);
  Cluster(const FabricShape& shape, const rdma::EndpointOptions& options,
          const std::function<void(rdma::Endpoint&)>& prepare = {});

  rdma::Fabric& fabric() { return *fabric_; }
  std::uint32_t nodes() const { return static_cast<std::uint32_t>(endpoints_.size()); }
  rdma::Endpoint& endpoint(NodeId node) { return *endpoints_[node]; }
  rdma::Worker& worker(NodeId node, WorkerId worker = 0) {
    return endpoints_[node]->worker(worker);
  }

  /// Calls `body` for each worker of each node, in order.
  void for_each_worker(const std::function<void(rdma::Worker&)>& body);

  /// Destroys the endpoint of `node`, which from then on answers nothing.
  void kill(NodeId node) { endpoints_[node].reset(); }

  /// One phase: runs all workers of nodes that live until they have drained. Rethrows what a fiber
  /// threw.
  void run();

 private:
  std::unique_ptr<rdma::Fabric> fabric_;
  std::vector<std::unique_ptr<rdma::Endpoint>> endpoints_;
};

}  // namespace verbena::testing
