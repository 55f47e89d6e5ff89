// Detection of dead nodes, and messages about them.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "rdma/base/spin_lock.h"
#include "rdma/endpoint.h"
#include "rdma/worker.h"
#include "txn/prism/deaths/death_options.h"
#include "txn/view.h"

namespace verbena::txn::prism {

/// Nodes without which a run can go on.
enum class Spared : std::uint8_t {
  kClients,  ///< the loss of a server ends the run
  kAll,
};

/// The deaths that a node knows of. A server considers a client dead that is silent for too long
/// after a sign of life, or for half a second more if it has sent none since the run began. A
/// client considers a server dead that owes it an answer for too long, if servers are spared, too;
/// else it ends the run with PeerMissing. A node that first hears of a death tells all nodes with
/// which it has links, so that in the end all know. A node that hears of its own death ends its run
/// with PeerMissing. One per node; thread-safe.
class Deaths {
 public:
  /// Serves notifications at all workers of `endpoint`, by methods 1 and 2. `endpoint` and `view`
  /// must outlive this.
  Deaths(rdma::Endpoint& endpoint, const View& view, const DeathOptions& options, Spared spared);

  /// Declares `node`, with which this one has links, dead from now on, even if it is alive. Called
  /// on a fiber; may let others have a turn.
  void declare(rdma::Worker& worker, NodeId node);

  /// Returns the bodies of the background fibers that a worker needs for this.
  std::vector<std::function<void()>> background(rdma::Worker& worker);

  /// True when a client is known to be dead; its last operations may be done in part.
  bool clients_lost() const;

 private:
  using Notification = std::span<const std::byte>;

  void hear(rdma::Worker& worker, NodeId client, Notification sign);
  void learn(rdma::Worker& worker, NodeId teller, Notification death);
  bool note(NodeId dead);
  void fence(NodeId dead);
  std::optional<NodeId> next_to_tell();
  void beat(rdma::Worker& worker, NodeId server);
  void watch(rdma::Worker& worker);
  void watch_servers(rdma::Worker& worker);
  void tell(rdma::Worker& worker);
  void nap(rdma::Worker& worker) const;
  bool has_stood_still(rdma::Worker& worker, Nanoseconds& last_look) const;

  rdma::Endpoint& endpoint_;
  const View& view_;
  const DeathOptions options_;
  const Spared spared_;
  std::vector<std::atomic<std::int64_t>> heard_;  // [node]: time of a client's last sign of life
  // [node]: time since which a server owes the answer to a sign; for a client's first worker.
  std::vector<Nanoseconds> asked_since_;
  SpinLock changing_;
  std::vector<bool> known_;     // [node]: known to be dead
  std::deque<NodeId> to_tell_;  // deaths to tell others of
};

}  // namespace verbena::txn::prism
