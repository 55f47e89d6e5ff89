// How compute servers find out that one of them has died.
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

/// Compute servers form a ring, in the order of their numbers. Each WRITEs a number that grows into
/// the memory of the next one that is alive, its monitor, which looks at it; whoever has begun to
/// and is silent for too long is dead from then on, whatever it thinks itself, and its monitor
/// finishes its transactions. A monitor that dies before it has done so leaves that to its own,
/// which begins with the monitor: nothing that this had sent in its recoveries may take effect when
/// others go on with them. Deaths are told at once, however long recoveries take, and until then
/// nobody else is found dead, since the next before the dead one does not know yet whom to tell
/// that it is alive; after half of the time for which others are patient it counts as told, since
/// calls to it may wait behind others to it that a dead one never answers. All look until the run's
/// transactions are over, and what dead ones left behind is finished. Thread-safe.
class Heartbeat {
 public:
  /// `beats`: the region of this node that others write to, a word for each node; the number of
  /// that of others is `region`, as this one's.
  Heartbeat(rdma::Endpoint& endpoint, const View& view, const NodeOptions& options,
            rdma::Region& beats, RegionId region);

  /// Bodies of four fibers in the background of a worker. `finish` finishes what a node left
  /// behind, one after the other; meanwhile others are watched, since it may wait for one that has
  /// died, too.
  void beat(rdma::Worker& worker);
  void watch(rdma::Worker& worker);
  void tell(rdma::Worker& worker);
  void recover(rdma::Worker& worker, const std::function<void(NodeId dead)>& finish);

  /// A node has died, and another takes care of that, and of all that the node had to take care of.
  void note_dead(const FenceRequest& told);

 private:
  /// The compute server that is alive behind this one in the ring, or before it; itself if none is.
  NodeId neighbour(bool next) const;
  std::uint64_t beat_of(NodeId node);
  void take_over(NodeId dead);
  void pass_on(NodeId from, NodeId to);  // what one has to take care of
  void recover_later(NodeId dead);
  std::optional<NodeId> first_to_tell();
  std::optional<NodeId> next_to_recover();

  rdma::Endpoint& endpoint_;
  const View& view_;
  const NodeOptions& options_;
  rdma::Region& beats_;
  const RegionId region_;
  SpinLock changing_;
  std::vector<FenceRequest> dead_;  // whoever a node had to take care of is before it
  std::deque<NodeId> to_tell_;      // that others are not told of yet
  std::deque<NodeId> to_recover_;   // by this node
};

}  // namespace verbena::txn::nam
