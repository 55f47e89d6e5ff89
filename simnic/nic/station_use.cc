// Use of the stations and cores of the cluster so far.
#include <array>
#include <iterator>
#include <optional>
#include <string>
#include <unordered_set>

#include "rdma/seam/fabric_use.h"
#include "simnic/nic/cluster.h"

namespace verbena::simnic {
namespace {

/// Places in FabricUse::kinds.
enum class Kind : std::uint8_t {
  kUnits,
  kReceivers,
  kFromHost,
  kToHost,
  kStateFetches,
  kAtomicSlots,
  kOrders,
  kPorts,
  kLinks,
  kDoorbells,
  kQueuePairLocks,
  kCount
};

constexpr const char* kKindNames[] = {"processing units",  "receive units",   "PCIe from host",
                                      "PCIe to host",      "state fetches",   "atomic slots",
                                      "queue pair orders", "ports",           "links",
                                      "doorbell locks",    "queue pair locks"};
static_assert(std::size(kKindNames) == static_cast<std::size_t>(Kind::kCount));

/// A station's number: its NIC's over the cluster, and its own on the NIC.
constexpr unsigned kPartBits = 32;

std::uint64_t number_of(const Nic& nic, std::uint32_t part = 0) {
  return std::uint64_t{nic.number} << kPartBits | part;
}

/// Times for which misses in a NIC's caches kept its stations busy.
struct MissTimes {
  Picoseconds units;
  Picoseconds from_host;
  Picoseconds to_host;
};

MissTimes miss_times(const Nic& nic) {
  const Machine& machine = nic.machine;
  const NicProfile& p = machine.nic;
  MissTimes times{};
  const auto add = [&](Counter misses, Picoseconds stall, std::int64_t bytes) {
    const std::int64_t count = nic.counted(misses);
    times.units += stall * count;
    times.from_host +=
        transfer_time(machine.cpu.read_completion_bytes(bytes), machine.pcie_rate) * count;
    times.to_host += transfer_time(machine.cpu.pcie_request_header, machine.pcie_rate) * count;
  };
  add(Counter::kQpCacheMisses, p.qp_miss_stall, p.qp_state_bytes);
  add(Counter::kMptCacheMisses, p.mtt_miss_stall, kMptEntryBytes);
  add(Counter::kMttCacheMisses, p.mtt_miss_stall, kMttEntryBytes);
  add(Counter::kWqeCacheMisses, p.wqe_miss_stall, kWqeBytes);
  return times;
}

class Collector {
 public:
  explicit Collector(Picoseconds now) : now_(now) {}

  void add(Kind kind, std::uint64_t number, const Server& server, Picoseconds for_miss = 0) {
    use.stations.push_back({.kind = static_cast<std::uint8_t>(kind),
                            .number = number,
                            .busy = server.busy(now_),
                            .waited = server.waited(),
                            .for_miss = for_miss});
  }
  /// The first one that waits counts as served.
  void add(Kind kind, std::uint64_t number, const OrderWaits& order) {
    use.stations.push_back({.kind = static_cast<std::uint8_t>(kind),
                            .number = number,
                            .busy = order.busy(now_),
                            .waited = order.waited(now_) - order.busy(now_),
                            .for_miss = 0});
  }
  /// Processing units of `nic`, whose stalls sum up to `stalled`.
  void add_units(const Nic& nic, Picoseconds stalled) {
    const std::int64_t count = nic.machine.nic.processing_units;
    for (std::uint32_t i = 0; i < count; ++i) {
      // Which unit a miss stalled, nobody counts.
      add(Kind::kUnits, number_of(nic, i), nic.units[i], stalled / count);
    }
  }
  /// Orders of queue pairs that PRISM's operations come by.
  void add_orders(const Nic& nic) {
    if (nic.chains == nullptr) return;
    for (const QueuePair* qp : nic.queue_pairs()) {
      if (qp == nullptr || qp->seldom == nullptr || !qp->seldom->chain_order.used()) continue;
      add(Kind::kOrders, number_of(nic, qp->qp_num), qp->seldom->chain_order);
    }
  }
  /// Locks that any core had to wait for.
  void add_doorbells(const Nic& nic) {
    std::unordered_set<const DoorbellRegister*> seen;
    for (const QueuePair* qp : nic.queue_pairs()) {
      // Numbered whether they are taken or not, so that each keeps its number.
      if (qp == nullptr) continue;
      DoorbellRegister& doorbell = qp->doorbell();
      if (!seen.insert(&doorbell).second || !doorbell.lock.taken()) continue;
      const auto part = static_cast<std::uint32_t>(seen.size() - 1);
      add(Kind::kDoorbells, number_of(nic, part), doorbell.lock.server());
    }
  }
  void add_queue_pair_locks(const Nic& nic) {
    for (const QueuePair* qp : nic.queue_pairs()) {
      if (qp == nullptr || qp->lock() == nullptr || !qp->lock()->taken()) continue;
      add(Kind::kQueuePairLocks, number_of(nic, qp->qp_num), qp->lock()->server());
    }
  }

  rdma::FabricUse use;

 private:
  Picoseconds now_;
};

}  // namespace

rdma::FabricUse Cluster::use() const {
  Collector all(now());
  all.use.time = now();
  all.use.kinds.assign(std::begin(kKindNames), std::end(kKindNames));
  const auto of_each_nic = [this](auto&& add) {
    for (const Nic* nic : nics_) add(*nic);
  };
  of_each_nic([&](const Nic& nic) { all.add_units(nic, miss_times(nic).units); });
  of_each_nic([&](const Nic& nic) {
    for (std::uint32_t i = 0; i < nic.machine.nic.processing_units; ++i) {
      all.add(Kind::kReceivers, number_of(nic, i), nic.receivers[i]);
    }
  });
  of_each_nic([&](const Nic& nic) {
    all.add(Kind::kFromHost, number_of(nic), nic.pcie_from_host, miss_times(nic).from_host);
  });
  of_each_nic([&](const Nic& nic) {
    all.add(Kind::kToHost, number_of(nic), nic.pcie_to_host, miss_times(nic).to_host);
  });
  of_each_nic([&](const Nic& nic) {
    all.add(Kind::kStateFetches, number_of(nic), nic.qp_fetches, nic.qp_fetches.busy(now()));
  });
  of_each_nic([&](const Nic& nic) {
    for (std::uint32_t i = 0; i < nic.atomic_slots.size(); ++i) {
      const Server& slot = nic.atomic_slots[i];
      if (slot.free_at() != 0) all.add(Kind::kAtomicSlots, number_of(nic, i), slot);
    }
  });
  of_each_nic([&](const Nic& nic) { all.add_orders(nic); });
  of_each_nic([&](const Nic& nic) { all.add(Kind::kPorts, number_of(nic), nic.port); });
  const std::vector<Link>& links = topology_->links;
  for (std::uint32_t i = 0; i < links.size(); ++i) {
    if (links[i].rate != 0) all.add(Kind::kLinks, i, links[i].server);
  }
  of_each_nic([&](const Nic& nic) { all.add_doorbells(nic); });
  of_each_nic([&](const Nic& nic) { all.add_queue_pair_locks(nic); });
  all.use.outages = topology_->outages;
  for (const auto& node : nodes_) {
    for (const auto& core : node->timeline().cores()) all.use.cores.push_back(core->use(now()));
  }
  return std::move(all.use);
}

std::string Cluster::place_of(const rdma::StationUse& station) const {
  const auto kind = static_cast<Kind>(station.kind);
  if (kind == Kind::kLinks) return topology_->link_names[station.number];
  const Nic& nic = *nics_[station.number >> kPartBits];
  std::string place = "node " + std::to_string(nic.node);
  if (options_.nics_per_node > 1) place += ", NIC " + std::to_string(nic.index);
  const std::string part = std::to_string(static_cast<std::uint32_t>(station.number));
  switch (kind) {
    case Kind::kUnits:
    case Kind::kReceivers:
      return place + ", unit " + part;
    case Kind::kAtomicSlots:
      return place + ", slot " + part;
    case Kind::kDoorbells:
      return place + ", register " + part;
    case Kind::kOrders:
    case Kind::kQueuePairLocks:
      return place + ", queue pair " + part;
    default:
      return place;
  }
}

std::optional<NodeId> Cluster::node_of(const rdma::StationUse& station) const {
  if (static_cast<Kind>(station.kind) == Kind::kLinks) return std::nullopt;
  return nics_[station.number >> kPartBits]->node;
}

}  // namespace verbena::simnic
