// How nodes find out that others have died, and tell each other.
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

/// The nodes without which a run can go on.
enum class Spared : std::uint8_t {
  kClients,  ///< a server that is lost ends the run
  kAll,
};

/// The deaths that a node knows of. Servers find clients dead that had told that they are alive,
/// and are silent for too long, or that have told nothing since the run began, for half a second
/// more; clients find servers dead that owe them answers for too long, where these are spared, too,
/// and else end the run with PeerMissing once they do not answer. A node that hears of a death the
/// first time tells all nodes with which it has links, so that in the end all know. A node that
/// hears of its own death ends its run with PeerMissing. Of a node; thread-safe.
class Deaths {
 public:
  /// Serves notifications at all workers of `endpoint`, by methods 1 and 2. Both must outlive this.
  Deaths(rdma::Endpoint& endpoint, const View& view, const DeathOptions& options, Spared spared);

  /// From a fiber: `node`, with which this one has links, is dead from now on, whatever it thinks
  /// itself. May let others have a turn.
  void declare(rdma::Worker& worker, NodeId node);

  /// Bodies of the fibers in the background that a worker needs for this.
  std::vector<std::function<void()>> background(rdma::Worker& worker);

  /// True when a client is known to be dead: its last operations may be done in parts.
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
  std::vector<std::atomic<std::int64_t>> heard_;  // [node]: when the last sign of a client came
  // [node]: since when a server owes the answer to a sign; of a client's first worker.
  std::vector<Nanoseconds> asked_since_;
  SpinLock changing_;
  std::vector<bool> known_;     // [node]: to be dead
  std::deque<NodeId> to_tell_;  // others of
};

}  // namespace verbena::txn::prism
