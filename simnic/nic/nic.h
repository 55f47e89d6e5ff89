// One simulated RNIC: its stations, caches, tables and counters.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "rdma/base/cache_line.h"
#include "rdma/base/types.h"
#include "simnic/engine/server.h"
#include "simnic/nic/caches.h"
#include "simnic/nic/counters.h"
#include "simnic/nic/machine.h"
#include "simnic/nic/objects.h"

namespace verbena::simnic {

/// Bytes that a NIC fetches for an entry missing in its caches.
inline constexpr std::int64_t kMptEntryBytes = 64;
inline constexpr std::int64_t kMttEntryBytes = 8;
inline constexpr std::int64_t kWqeBytes = 64;

struct NicChains;
class RequestPool;

/// A NIC with its own caches, processing units, port and PCIe slot. Members that nearly every
/// request needs lie close together.
struct alignas(kCacheLineBytes) Nic {
  Nic(std::uint32_t number, NodeId node, std::uint32_t index, const Machine& machine,
      std::uint64_t seed);
  ~Nic();
  Nic(const Nic&) = delete;
  Nic& operator=(const Nic&) = delete;

  /// Returns its state for PRISM's operations, which is made when it is needed first.
  NicChains& need_chains();

  void count(Counter counter, std::uint64_t amount = 1) {
    counters[static_cast<std::size_t>(counter)] += amount;
  }
  std::int64_t counted(Counter counter) const {
    return static_cast<std::int64_t>(counters[static_cast<std::size_t>(counter)]);
  }
  std::uint16_t lid() const { return static_cast<std::uint16_t>(number + 1); }
  ibv_gid gid(int index) const;

  /// Returns the one of `servers` for `qp`. A connected queue pair has its own, since it keeps its
  /// messages in order; datagrams take the one that is free first.
  Server& server_of(const QueuePair& qp, std::array<Server, kMostProcessingUnits>& servers) const {
    if (qp.qp_type != IBV_QPT_UD) return servers[qp.unit];
    return *std::min_element(
        servers.begin(), servers.begin() + machine.nic.processing_units,
        [](const Server& a, const Server& b) { return a.free_at() < b.free_at(); });
  }

  /// Fills the translation caches as if every entry was used now and then, in an order that `draw`
  /// gives.
  void fill_translations(SplitMix& draw);

  QueuePair* find_queue_pair(std::uint32_t qp_num) const;
  /// Queue pairs by number, from the first on; null where one was removed.
  const std::vector<QueuePair*>& queue_pairs() const { return queue_pairs_; }
  /// Binds a free queue pair number to `qp` and returns it; 0 when there is none left.
  std::uint32_t add_queue_pair(QueuePair* qp);
  void remove_queue_pair(std::uint32_t qp_num);

  Region* find_region(std::uint32_t key) {
    const std::uint32_t place = key >> 8;
    Region* region = place < regions_.size() ? &regions_[place] : nullptr;
    return region != nullptr && region->key == key ? region : nullptr;
  }
  /// Gives `region` a number and keys.
  void add_region(MemoryRegion& region, int access);
  void remove_region(MemoryRegion& region);
  /// Forgets all cores that poll memory.
  void remove_watchers() {
    for (Region& region : regions_) region.watcher = nullptr;
  }
  static std::uint32_t number_of_region(std::uint32_t key) { return key >> 8; }

  std::uint32_t number;  ///< in the cluster
  NodeId node;
  std::uint32_t index;     ///< in the node
  bool off = false;        ///< its node has died, so it answers nothing; see EventHandler::silent
  bool gone = false;       ///< the same as others know it, from the window after that on
  const Machine& machine;  ///< machine of its node
  RequestPool* requests = nullptr;  ///< its node's
  SplitMix random;

  static constexpr std::uint32_t kNoLink = UINT32_MAX;

  // Stations.
  Server port;
  /// Time on the port of the longest packet since it was idle last.
  Picoseconds longest_packet = 0;
  // Places in Topology::links of the links that lead to it alone; kNoLink: none, or not used yet.
  std::uint32_t cable_link = kNoLink;
  std::uint32_t port_link = kNoLink;  ///< its receiving port, where others send faster
  Server pcie_from_host;
  Server pcie_to_host;
  PageTableCache mpt_cache;
  PageTableCache mtt_cache;
  std::array<Server, kMostProcessingUnits> units;  ///< as many in use as the profile says
  std::uint32_t units_given = 0;                   ///< number given to connected queue pairs
  /// Units that receive messages of SENDs, in addition to `units`.
  std::array<Server, kMostProcessingUnits> receivers;
  std::vector<Server> atomic_slots;  ///< made by the first atomic
  QueuePairCache qp_cache;
  Server qp_fetches;  ///< fetches missing state of queue pairs
  RequestCache request_cache;
  /// Times of the last requests that arrived late from nodes that had died, by the numbers of NIC
  /// and queue pair that sent them.
  std::map<std::pair<std::uint32_t, std::uint32_t>, Picoseconds> last_strays;
  std::unique_ptr<NicChains> chains;  ///< made by need_chains

  alignas(kCacheLineBytes) Counters counters{};
  Device device;

 private:
  static constexpr std::uint32_t kFirstQueuePair = 64;
  std::vector<QueuePair*> queue_pairs_;  ///< by number less kFirstQueuePair
  std::vector<std::uint32_t> free_queue_pairs_;
  std::vector<Region> regions_;
  std::vector<std::uint32_t> free_regions_;
  std::vector<std::uint8_t> region_tags_;
};

}  // namespace verbena::simnic
