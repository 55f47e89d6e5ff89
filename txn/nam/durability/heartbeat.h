// Detection of compute servers that have died.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <vector>

#include "rdma/base/spin_lock.h"
#include "rdma/endpoint.h"
#include "rdma/worker.h"
#include "txn/nam/messages.h"
#include "txn/nam/node_options.h"
#include "txn/view.h"

namespace verbena::txn::nam {

/// Finds dead compute servers and has their transactions finished. Thread-safe.
///
/// Compute servers form a ring in the order of their numbers. Each WRITEs a growing number into the
/// memory of the next live server, its monitor. A server that has begun and then stays silent too
/// long counts as dead from then on, even if it still runs, and its monitor finishes its
/// transactions.
///
/// If the monitor dies before that is done, its own monitor takes over. That one fences the dead
/// monitor first, so that no request of its unfinished recoveries takes effect later.
///
/// A death is told to all servers at once, however long recoveries take. Until all know, no other
/// server is declared dead: the dead one's predecessor does not know yet which server to send its
/// heartbeat to. After half of `suspect_after` the death counts as told, since calls to a live
/// server may wait behind others that a dead one never answers.
///
/// All servers watch until the run's transactions are over and those of dead servers are finished.
class Heartbeat {
 public:
  /// `beats`: this node's region that others write to, a word for each node. `region`: its number,
  /// the same at all nodes.
  Heartbeat(rdma::Endpoint& endpoint, const View& view, const NodeOptions& options,
            rdma::Region& beats, RegionId region);

  /// Bodies of four background fibers of a worker. recover() calls `finish` for one dead node after
  /// the other; watch() goes on meanwhile, since `finish` may wait for a node that has died, too.
  void beat(rdma::Worker& worker);
  void watch(rdma::Worker& worker);
  void tell(rdma::Worker& worker);
  void recover(rdma::Worker& worker, const std::function<void(NodeId dead)>& finish);

  /// Notes that a node has died, and that another one recovers it and all that it was to recover.
  void note_dead(const FenceRequest& told);

 private:
  /// Next live compute server in the ring, or the previous one; this node if there is none.
  NodeId neighbour(bool next) const;
  std::uint64_t beat_of(NodeId node);
  void take_over(NodeId dead);
  void pass_on(NodeId from, NodeId to);  // what `from` was to recover
  void recover_later(NodeId dead);
  std::optional<NodeId> first_to_tell();
  std::optional<NodeId> next_to_recover();

  rdma::Endpoint& endpoint_;
  const View& view_;
  const NodeOptions& options_;
  rdma::Region& beats_;
  const RegionId region_;
  SpinLock changing_;
  std::vector<FenceRequest> dead_;  // nodes that a dead node was to recover come before it
  std::deque<NodeId> to_tell_;      // deaths that others are not told of yet
  std::deque<NodeId> to_recover_;   // dead nodes that this node recovers
};

}  // namespace verbena::txn::nam
