// A node of a run, hosted by this process.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "rdma/endpoint.h"
#include "txn/system.h"
#include "workloads/run/worker_run.h"

namespace verbena::workloads {

/// A hosted node: its endpoint, its part of the system, and the measurements of its workers.
struct HostedNode {
  HostedNode(rdma::Fabric& fabric, NodeId node, const rdma::EndpointOptions& options,
             const txn::System& system, const txn::Deployment& deployment)
      : endpoint(fabric, node, options),
        participant(system.join(endpoint, deployment)),
        workers(endpoint.workers()) {}

  rdma::Endpoint endpoint;
  std::unique_ptr<txn::Participant> participant;
  std::vector<WorkerRun> workers;
  std::int64_t changed_before = 0;  ///< change of the total of Workload::amount before the run
};

using HostedNodes = std::vector<std::unique_ptr<HostedNode>>;

/// Nodes, out of `of` in the cluster, that some of `nodes` consider dead.
inline std::vector<NodeId> lost_nodes(const HostedNodes& nodes, std::uint32_t of) {
  std::vector<NodeId> lost;
  for (std::uint32_t n = 0; n < of; ++n) {
    const auto node = static_cast<NodeId>(n);
    const auto missed = [node](const auto& other) { return other->endpoint.is_dead(node); };
    if (std::ranges::any_of(nodes, missed)) lost.push_back(node);
  }
  return lost;
}

}  // namespace verbena::workloads
