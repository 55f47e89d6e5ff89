// Bring-up: what a node tells its peers at the rendezvous, and what they make of it.
#include <algorithm>
#include <cstring>
#include <span>
#include <type_traits>

#include "rdma/base/errors.h"
#include "rdma/device/peer_table.h"
#include "rdma/device/worker_verbs.h"
#include "rdma/drain.h"
#include "rdma/endpoint.h"
#include "rdma/one_sided/connections.h"
#include "rdma/prism/request_server.h"
#include "rdma/rpc/rpc.h"
#include "rdma/rpc/transport/message_ring.h"
#include "rdma/worker.h"

namespace verbena::rdma {
namespace {

constexpr std::uint32_t kFormat = 0x35627276;  // "vrb5"

/// Writes and reads integers and addresses as they lie in memory; all nodes have the same byte
/// order.
class Writer {
 public:
  template <typename T>
  void put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    const auto* begin = reinterpret_cast<const std::byte*>(&value);
    bytes_.insert(bytes_.end(), begin, begin + sizeof value);
  }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

class Reader {
 public:
  Reader(NodeId peer, const std::vector<std::byte>& bytes) : peer_(peer), bytes_(bytes) {}

  template <typename T>
  T get() {
    T value;
    if (bytes_.size() < at_ + sizeof value) fail("is too short");
    std::memcpy(&value, bytes_.data() + at_, sizeof value);
    at_ += sizeof value;
    return value;
  }

  /// All nodes must have the same value.
  void expect(const char* name, std::uint32_t mine) {
    const auto theirs = get<std::uint32_t>();
    if (theirs == mine) return;
    throw ConfigurationError(std::string(name) + ": node " + std::to_string(peer_) + " has " +
                             std::to_string(theirs) + ", this node has " + std::to_string(mine) +
                             "; must be the same on all nodes");
  }

  /// The peer must have as many as this node takes it to have.
  void expect_of_peer(const char* name, std::uint32_t expected) {
    const auto theirs = get<std::uint32_t>();
    if (theirs == expected) return;
    throw ConfigurationError(std::string(name) + ": node " + std::to_string(peer_) + " has " +
                             std::to_string(theirs) + ", this node takes it to have " +
                             std::to_string(expected) + "; all nodes must be told the same");
  }

  [[noreturn]] void fail(const char* what) const {
    throw ConfigurationError("node " + std::to_string(peer_) + ": what it published " + what +
                             "; all nodes must run the same version");
  }

  std::size_t size() const { return bytes_.size(); }

 private:
  NodeId peer_;
  const std::vector<std::byte>& bytes_;
  std::size_t at_ = 0;
};

// The first of what describes a node.
std::uint32_t read_region_count(Reader& reader) {
  reader.expect("format of the rendezvous", kFormat);
  const auto regions = reader.get<std::uint32_t>();
  if (regions == 0 || regions > reader.size() / sizeof(PeerTable::RegionAddress)) {
    reader.fail("has no such number of regions");
  }
  return regions;
}

}  // namespace

std::vector<std::byte> Endpoint::describe_node() const {
  Writer writer;
  writer.put(kFormat);
  writer.put(static_cast<std::uint32_t>(regions_.size() + 1));
  writer.put(nodes_);
  writer.put(options_.workers);
  writer.put(options_.nics);
  writer.put(links().digest());
  writer.put(options_.qps_per_peer);
  writer.put(options_.rpc.slots_per_peer);
  writer.put(options_.rpc.max_message_bytes);
  writer.put(options_.rpc.first_number);
  writer.put(static_cast<std::uint32_t>(options_.rpc.transport));
  writer.put(RingShape(options_.rpc).lines);
  writer.put(std::uint32_t{options_.requests_by_cores()});
  writer.put(std::uint32_t{options_.background});
  writer.put(options_.agreement);
  const auto put_region = [&writer](Region& region) {
    writer.put(reinterpret_cast<std::uint64_t>(region.memory().base()));
    writer.put(region.size());
  };
  for (const auto& region : regions_) put_region(*region);
  put_region(*control_);
  for (std::uint32_t nic = 0; nic < options_.nics; ++nic) {
    const auto worker = std::find_if(workers_.begin(), workers_.end(),
                                     [nic](const auto& w) { return w->verbs().nic == nic; });
    const WorkerVerbs& verbs = (*worker)->verbs();
    writer.put(PeerTable::PortAddress{verbs.port.gid, verbs.port.lid, verbs.port.mtu,
                                      verbs.responder_reads()});
  }
  for (const auto& worker : workers_) {
    const WorkerVerbs& verbs = worker->verbs();
    writer.put(worker->rpc().transport().address());
    writer.put(worker->rpc().transport().rings());
    for (const auto& registration : verbs.device->regions) writer.put(registration->rkey);
  }
  return writer.take();
}

std::uint32_t Endpoint::region_count(NodeId peer, const std::vector<std::byte>& description) {
  Reader reader(peer, description);
  return read_region_count(reader);
}

struct Endpoint::KnownWorker {
  PeerTable::MessageAddress address;
  PeerTable::MessageRings rings;
  std::vector<std::uint32_t> keys;  // [region]
};

void Endpoint::learn_node(NodeId peer, const std::vector<std::byte>& description) {
  const ClusterLinks& all = links();
  Reader reader(peer, description);
  const std::uint32_t regions = read_region_count(reader);
  reader.expect("nodes", nodes_);
  reader.expect_of_peer("workers", all.workers(peer));
  reader.expect_of_peer("nics", all.nics(peer));
  reader.expect("digest of the connections", all.digest());
  reader.expect("qps_per_peer", options_.qps_per_peer);
  reader.expect("rpc.slots_per_peer", options_.rpc.slots_per_peer);
  reader.expect("rpc.max_message_bytes", options_.rpc.max_message_bytes);
  reader.expect("rpc.first_number", options_.rpc.first_number);
  reader.expect("rpc.transport (0: ud, 1: write-ring)",
                static_cast<std::uint32_t>(options_.rpc.transport));
  reader.expect("lines of a message ring", RingShape(options_.rpc).lines);
  reader.expect("prism (0: requests by NIC, 1: software)",
                std::uint32_t{options_.requests_by_cores()});
  reader.expect("background", std::uint32_t{options_.background});
  reader.expect("digest of the system's settings", options_.agreement);
  const std::size_t place = peers_->place(peer);
  peers_->control_regions[place] = static_cast<RegionId>(regions - 1);
  for (std::size_t region = 0; region < regions; ++region) {
    auto& address = peers_->region_addresses[place * peers_->regions + region];
    address.base = reader.get<std::uint64_t>();
    address.bytes = reader.get<std::uint64_t>();
  }
  for (std::size_t nic = 0; nic < all.nics(peer); ++nic) {
    const auto port = reader.get<PeerTable::PortAddress>();
    if (port.responder_reads == 0) reader.fail("has a port that serves no READs");
    peers_->ports[place * peers_->nics + nic] = port;
  }
  std::vector<KnownWorker> workers(all.workers(peer));
  for (KnownWorker& worker : workers) {
    worker.address = reader.get<PeerTable::MessageAddress>();
    worker.rings = reader.get<PeerTable::MessageRings>();
    for (std::size_t region = 0; region < regions; ++region) {
      worker.keys.push_back(reader.get<std::uint32_t>());
    }
  }
  for (std::uint32_t i = 0; i < all.links_between(node_, peer); ++i) {
    const LinkedWorkers ends = all.ends(node_, peer, i);
    learn_worker(ends, peer, workers[ends.peer_worker]);
  }
}

void Endpoint::learn_worker(const LinkedWorkers& ends, NodeId peer, const KnownWorker& worker) {
  const std::uint16_t link = links().link_number(node_, peer, ends.peer_worker);
  const std::size_t number = std::size_t{ends.worker} * peers_->links + link;
  peers_->message_addresses[number] = worker.address;
  if (!peers_->message_rings.empty()) peers_->message_rings[number] = worker.rings;
  if (link >= peers_->peers.size()) return;  // only answered
  const std::size_t place = std::size_t{ends.worker} * peers_->peers.size() + link;
  std::ranges::copy(worker.keys, peers_->remote_keys.data() + place * peers_->regions);
}

// In this order both ends tell each other their queue pairs.
template <typename Action>
void Endpoint::for_each_link(NodeId peer, Action&& action) const {
  for (std::uint32_t i = 0; i < links().links_between(node_, peer); ++i) {
    const LinkedWorkers ends = links().ends(node_, peer, i);
    const std::uint16_t link = links().link_number(node_, peer, ends.peer_worker);
    action(*workers_[ends.worker], ends.peer_worker, link);
  }
}

std::vector<std::byte> Endpoint::describe_queue_pairs(NodeId peer) const {
  Writer writer;
  for_each_link(peer, [&](Worker& worker, WorkerId, std::uint16_t link) {
    const std::size_t first = std::size_t{link} * options_.qps_per_peer;
    for (std::size_t i = 0; i < options_.qps_per_peer; ++i) {
      writer.put(worker.verbs().connected[first + i]->qp_num);
    }
    const ibv_qp* messages = worker.rpc().transport().queue_pair(link);
    if (messages != nullptr) writer.put(messages->qp_num);
  });
  return writer.take();
}

void Endpoint::connect_queue_pairs(NodeId peer, const std::vector<std::byte>& description) {
  Reader reader(peer, description);
  const std::uint16_t place = peers_->place(peer);
  for_each_link(peer, [&](Worker& worker, WorkerId peer_worker, std::uint16_t link) {
    const WorkerVerbs& verbs = worker.verbs();
    const std::size_t first = std::size_t{link} * options_.qps_per_peer;
    const PeerTable::PortAddress& port = peers_->port(place, links().nic_of(peer, peer_worker));
    for (std::size_t i = 0; i < options_.qps_per_peer; ++i) {
      // To its own node a worker has queue pairs each of which is connected to itself.
      ibv_qp* qp = verbs.connected[first + i].get();
      verbs.connect(qp, reader.get<std::uint32_t>(), port, options_);
    }
    ibv_qp* messages = worker.rpc().transport().queue_pair(link);
    if (messages != nullptr) verbs.connect(messages, reader.get<std::uint32_t>(), port, options_);
  });
}

void Endpoint::fence(NodeId peer) {
  mark_dead(peer);
  if (request_server_ != nullptr) request_server_->await_last_access(peer);
  const auto fail = [](const WorkerVerbs& verbs, ibv_qp* qp) {
    ibv_qp_attr attributes{};
    attributes.qp_state = IBV_QPS_ERR;
    const int error = verbs.table.modify_qp(qp, &attributes, IBV_QP_STATE);
    if (error == 0) return;
    throw_verbs_error(verbs.table, "ibv_modify_qp to ERR", verbs.context(), qp, error);
  };
  for_each_link(peer, [&](Worker& worker, WorkerId, std::uint16_t link) {
    for (std::uint32_t i = 0; i < options_.qps_per_peer; ++i) {
      fail(worker.verbs(), worker.connections().queue_pair_of_link(link, i));
    }
    ibv_qp* messages = worker.rpc().transport().queue_pair(link);
    if (messages != nullptr) fail(worker.verbs(), messages);
  });
}

}  // namespace verbena::rdma
