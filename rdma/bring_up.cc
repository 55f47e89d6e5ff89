// What a node tells its peers at the rendezvous, and what they make of it.
#include <algorithm>
#include <cstring>
#include <type_traits>

#include "rdma/base/errors.h"
#include "rdma/device/peer_table.h"
#include "rdma/device/worker_verbs.h"
#include "rdma/drain.h"
#include "rdma/endpoint.h"
#include "rdma/rpc/rpc.h"
#include "rdma/worker.h"

namespace verbena::rdma {
namespace {

constexpr std::uint32_t kFormat = 0x31627276;  // "vrb1"

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
    if (bytes_.size() - at_ < sizeof value) fail("is too short");
    std::memcpy(&value, bytes_.data() + at_, sizeof value);
    at_ += sizeof value;
    return value;
  }

  /// Both nodes must have the same value.
  void expect(const char* name, std::uint32_t mine) {
    const auto theirs = get<std::uint32_t>();
    if (theirs == mine) return;
    throw ConfigurationError(std::string(name) + ": node " + std::to_string(peer_) + " has " +
                             std::to_string(theirs) + ", this node has " + std::to_string(mine) +
                             "; must be the same on all nodes");
  }

 private:
  [[noreturn]] void fail(const char* what) const {
    throw ConfigurationError("node " + std::to_string(peer_) + ": what it published " + what +
                             "; all nodes must run the same version");
  }
  NodeId peer_;
  const std::vector<std::byte>& bytes_;
  std::size_t at_ = 0;
};

}  // namespace

std::vector<std::byte> Endpoint::describe_node() const {
  Writer writer;
  writer.put(kFormat);
  writer.put(nodes_);
  writer.put(options_.workers);
  writer.put(options_.nics);
  writer.put(options_.qps_per_peer);
  writer.put(static_cast<std::uint32_t>(regions_.size() + 1));
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
    writer.put(PeerTable::DatagramAddress{verbs.datagram->qp_num,
                                          static_cast<std::uint16_t>(verbs.datagram->qp_num)});
    for (const auto& registration : verbs.device->regions) writer.put(registration->rkey);
  }
  return writer.take();
}

void Endpoint::learn_node(NodeId peer, const std::vector<std::byte>& description) {
  Reader reader(peer, description);
  reader.expect("format of the rendezvous", kFormat);
  reader.expect("nodes", nodes_);
  reader.expect("workers", options_.workers);
  reader.expect("nics", options_.nics);
  reader.expect("qps_per_peer", options_.qps_per_peer);
  reader.expect("number of regions", peers_->regions);
  for (std::size_t region = 0; region < peers_->regions; ++region) {
    auto& address = peers_->region_addresses[std::size_t{peer} * peers_->regions + region];
    address.base = reader.get<std::uint64_t>();
    address.bytes = reader.get<std::uint64_t>();
  }
  for (std::size_t nic = 0; nic < options_.nics; ++nic) {
    peers_->ports[std::size_t{peer} * options_.nics + nic] = reader.get<PeerTable::PortAddress>();
  }
  for (std::size_t worker = 0; worker < options_.workers; ++worker) {
    const std::size_t index = worker * nodes_ + peer;
    peers_->datagrams[index] = reader.get<PeerTable::DatagramAddress>();
    for (std::size_t region = 0; region < peers_->regions; ++region) {
      peers_->remote_keys[index * peers_->regions + region] = reader.get<std::uint32_t>();
    }
  }
}

std::vector<std::byte> Endpoint::describe_queue_pairs(NodeId peer) const {
  Writer writer;
  for (const auto& worker : workers_) {
    for (std::size_t i = 0; i < options_.qps_per_peer; ++i) {
      writer.put(worker->verbs().connected[std::size_t{peer} * options_.qps_per_peer + i]->qp_num);
    }
  }
  return writer.take();
}

void Endpoint::connect_queue_pairs(NodeId peer, const std::vector<std::byte>& description) {
  Reader reader(peer, description);
  for (const auto& worker : workers_) {
    WorkerVerbs& verbs = worker->verbs();
    for (std::size_t i = 0; i < options_.qps_per_peer; ++i) {
      // To its own node a worker has queue pairs each of which is connected to itself.
      ibv_qp* qp = verbs.connected[std::size_t{peer} * options_.qps_per_peer + i].get();
      verbs.connect(qp, reader.get<std::uint32_t>(), peers_->port(peer, verbs.nic), options_);
    }
  }
}

}  // namespace verbena::rdma
