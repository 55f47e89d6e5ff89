// All RDMA resources of one node: set-up and shared state.
#include "rdma/endpoint.h"

#include <sys/mman.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "rdma/base/errors.h"
#include "rdma/base/text/counted.h"
#include "rdma/device/device_context.h"
#include "rdma/device/device_discovery.h"
#include "rdma/device/device_limits.h"
#include "rdma/device/peer_table.h"
#include "rdma/device/work_request_id.h"
#include "rdma/device/worker_verbs.h"
#include "rdma/drain.h"
#include "rdma/memory/worker_memory.h"
#include "rdma/one_sided/connections.h"
#include "rdma/prism/chain_server.h"
#include "rdma/prism/request_server.h"
#include "rdma/rpc/rpc.h"
#include "rdma/worker.h"

namespace verbena::rdma {
namespace {

EndpointOptions resolved(EndpointOptions options, NodeId node, std::uint32_t nodes) {
  options.validate();
  if (options.links == nullptr) {
    options.links = std::make_shared<const ClusterLinks>(
        ClusterLinks::alike(nodes, options.workers, options.nics));
  }
  if (options.links->nodes() != nodes) {
    throw ConfigurationError("connections: of " + counted(options.links->nodes(), "node") +
                             ", but the cluster has " + std::to_string(nodes));
  }
  options.workers = options.links->workers(node);
  options.nics = options.links->nics(node);
  return options;
}

}  // namespace

Endpoint::Endpoint(Fabric& fabric, NodeId node, const EndpointOptions& options)
    : fabric_(fabric),
      node_(node),
      nodes_(fabric.nodes()),
      options_(resolved(options, node, nodes_)),
      health_(nodes_, fabric.rendezvous()) {
  const std::uint64_t peers = links().degree(node);
  if (peers * options_.qps_per_peer >= kMessageChannel) {
    throw ConfigurationError("qps_per_peer: " + std::to_string(options_.qps_per_peer) +
                             " to each of " + counted(peers, "node") + " are more than " +
                             std::to_string(kMessageChannel - 1) + " queue pairs of a worker");
  }
  const std::vector<DeviceReport> devices = discover_devices(fabric.verbs(node));
  const std::vector<PortSelection> ports = select_ports(devices, options_.nics, options_.devices);
  check_device_limits(devices, ports, options_, links(), node);
  const VerbsTable& table = fabric.verbs(node);
  std::vector<std::shared_ptr<DeviceContext>> shared(options_.nics);
  for (std::uint32_t id = 0; id < options_.workers; ++id) {
    const std::uint32_t nic = links().nic_of(node, static_cast<WorkerId>(id));
    std::shared_ptr<DeviceContext> device = shared[nic];
    if (device == nullptr) device = std::make_shared<DeviceContext>(table, ports[nic]);
    if (options_.context_sharing != ContextSharing::kDedicated) shared[nic] = device;
    workers_.push_back(std::make_unique<Worker>(*this, health_, static_cast<WorkerId>(id),
                                                std::move(device), ports[nic], nic));
  }
}

Endpoint::~Endpoint() = default;

Region& Endpoint::add_region(std::string name, std::uint64_t bytes, PageLoader loader,
                             std::vector<UnitArea> areas) {
  if (published_) throw std::logic_error("add_region after publish");
  if (bytes == 0) throw ConfigurationError("region '" + name + "': 0 bytes; must not be empty");
  const auto id = static_cast<RegionId>(regions_.size());
  regions_.push_back(std::make_unique<Region>(id, std::move(name), bytes, std::move(loader),
                                              fabric_.page_arena(), std::move(areas)));
  return *regions_.back();
}

void Endpoint::register_regions() {
  control_ = std::make_unique<Region>(static_cast<RegionId>(regions_.size()), "control",
                                      std::uint64_t{nodes_} * 8, PageLoader{});
  drain_ = std::make_unique<Drain>(*this, *control_);
  std::vector<Region*> all;
  all.reserve(regions_.size() + 1);
  for (const auto& region : regions_) all.push_back(region.get());
  all.push_back(control_.get());
  const VerbsTable& table = fabric_.verbs(node_);
  if (table.attach_first_touch == nullptr) {
    const unsigned threads =
        options_.fill_threads != 0 ? options_.fill_threads : std::thread::hardware_concurrency();
    for (Region* region : all) {
      // Fewer page table entries for the NIC to cache (DrTM+H paper, section 3.1); a wish, hence no
      // check.
      madvise(region->memory().base(), region->memory().size(), MADV_HUGEPAGE);
      region->memory().fill_all(std::max(1U, threads));
    }
    for (const auto& worker : workers_) {
      madvise(worker->memory().base(), worker->memory().size(), MADV_HUGEPAGE);
    }
  }
  for (const auto& worker : workers_) worker->verbs().register_all(all, worker->memory());
  for (ChainServer* const server : chain_servers_) server->go_to(*workers_.front()->verbs().device);
}

void Endpoint::check_chains() const {
  if (options_.prism != PrismMode::kNic) return;
  if (fabric_.verbs(node_).prism == nullptr) {
    throw ParameterError("prism", "nic",
                         "no NIC of these carries out chains; allowed are auto and software");
  }
  if (options_.nics == 1) return;
  throw ParameterError("prism", "nic",
                       "nics-per-node is " + std::to_string(options_.nics) +
                           ", and NICs of a node do not exclude each other; allowed is 1");
}

void Endpoint::serve_chains(ChainServer& server) {
  check_chains();
  if (options_.prism == PrismMode::kNic) {
    if (published_) {
      server.go_to(*workers_.front()->verbs().device);
    } else {
      chain_servers_.push_back(&server);
    }
  }
  for (const auto& worker : workers_) server.serve(worker->rpc());
}

void Endpoint::serve_requests() {
  std::vector<Region*> regions;
  regions.reserve(regions_.size());
  for (const auto& region : regions_) regions.push_back(region.get());
  request_server_ = std::make_unique<RequestServer>(std::move(regions), health_, workers());
  for (const auto& worker : workers_) request_server_->serve(worker->rpc());
}

void Endpoint::publish() {
  register_regions();
  published_ = true;
  if (options_.requests_by_cores()) serve_requests();
  for (const auto& worker : workers_) {
    worker->verbs().create_queue_pairs(links(), node_, worker->id(), options_);
    worker->rpc().transport().start();
  }
  Rendezvous& rendezvous = fabric_.rendezvous();
  for (const NodeId peer : links().peers(node_)) {
    rendezvous.publish(node_, "queue-pairs/" + std::to_string(peer), describe_queue_pairs(peer));
  }
  rendezvous.publish(node_, "node", describe_node());
}

void Endpoint::connect() {
  if (!published_) throw std::logic_error("connect before publish");
  Rendezvous& rendezvous = fabric_.rendezvous();
  const std::vector<NodeId> peers = links().peers(node_);
  std::vector<std::vector<std::byte>> descriptions;
  std::uint32_t regions = 0;
  for (const NodeId peer : peers) {
    descriptions.push_back(rendezvous.fetch(peer, "node", options_.bring_up_timeout));
    regions = std::max(regions, region_count(peer, descriptions.back()));
  }
  peers_ = std::make_unique<PeerTable>(links(), node_, regions, options_.writes_messages());
  for (std::size_t place = 0; place < peers.size(); ++place) {
    const NodeId peer = peers[place];
    learn_node(peer, descriptions[place]);
    connect_queue_pairs(peer, rendezvous.fetch(peer, "queue-pairs/" + std::to_string(node_),
                                               options_.bring_up_timeout));
  }
  for (const auto& worker : workers_) {
    worker->connections().connected(*peers_);
    worker->rpc().connected(*peers_);
  }
  rendezvous.publish(node_, "connected", {});
  if (node_ == fabric_.hosted().back()) await_other_processes();
}

void Endpoint::await_other_processes() {
  const std::vector<NodeId>& hosted = fabric_.hosted();
  const auto end = static_cast<NodeId>(nodes_);
  for (NodeId peer = 0; peer < end; ++peer) {
    if (std::find(hosted.begin(), hosted.end(), peer) != hosted.end()) continue;
    fabric_.rendezvous().fetch(peer, "connected", options_.bring_up_timeout);
  }
}

std::uint64_t Endpoint::region_size(NodeId peer, RegionId region) const {
  return peers_->region(peers_->connected_place(peer), region).bytes;
}

}  // namespace verbena::rdma
