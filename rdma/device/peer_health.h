// Health of peers: the nodes that have failed.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "rdma/base/types.h"
#include "rdma/seam/rendezvous.h"

namespace verbena::rdma {

/// A node's belief about its peers: all are alive until they are declared dead, for good.
/// Thread-safe.
class PeerHealth {
 public:
  /// `rendezvous` names peers in errors; it must outlive this.
  PeerHealth(std::uint32_t nodes, const Rendezvous& rendezvous)
      : rendezvous_(rendezvous), dead_(nodes) {}

  std::uint32_t nodes() const { return static_cast<std::uint32_t>(dead_.size()); }

  void mark_dead(NodeId peer) {
    if (dead_[peer].exchange(true, std::memory_order_acq_rel)) return;
    dead_epoch_.fetch_add(1, std::memory_order_acq_rel);
  }
  bool is_dead(NodeId peer) const { return dead_[peer].load(std::memory_order_acquire); }
  /// Number of dead nodes.
  std::uint32_t dead_epoch() const { return dead_epoch_.load(std::memory_order_acquire); }

  /// "node 3", with its address where it has one.
  std::string describe(NodeId peer) const { return rendezvous_.describe(peer); }

 private:
  const Rendezvous& rendezvous_;
  std::vector<std::atomic<bool>> dead_;
  std::atomic<std::uint32_t> dead_epoch_{0};
};

}  // namespace verbena::rdma
