// The nodes of a cluster, and the events of their NICs.
#include "simnic/nic/cluster.h"

#include <algorithm>
#include <string>

#include "rdma/base/cache_line.h"
#include "rdma/base/errors.h"
#include "rdma/base/text/counted.h"

namespace verbena::simnic {
namespace {

/// LIDs are 16 bits, and those from 0xc000 on are multicast.
constexpr std::uint64_t kMostNics = 0xbfff;

std::uint32_t checked(const char* what, std::uint32_t value, std::uint64_t most) {
  if (value >= 1 && value <= most) return value;
  throw ConfigurationError(std::string(what) + " is " + std::to_string(value) +
                           ", allowed are 1 to " + std::to_string(most));
}

/// Where they begin and end: what lies between, the processor foresees.
void prefetch_bytes(std::uint64_t address, std::uint64_t bytes) {
  __builtin_prefetch(reinterpret_cast<const void*>(address));
  __builtin_prefetch(reinterpret_cast<const void*>(address + bytes - 1));
}

template <std::size_t kLines>
void prefetch_lines(const void* from) {
  for (std::size_t i = 0; i < kLines; ++i) {
    __builtin_prefetch(static_cast<const char*>(from) + kCacheLineBytes * i);
  }
}

}  // namespace

Cluster::Cluster(const SimOptions& options)
    : options_(options),
      time_(*this, {.fabric = fabric_,
                    .seed = options.seed,
                    .chaos = options.chaos,
                    .observer = options.observer}),
      observation_(options.observer, time_),
      ways_(fabric_, time_, observation_),
      stations_(context()),
      completions_(context()),
      queue_pairs_(context(), completions_),
      requester_(context(), stations_, completions_),
      answers_(context(), completions_),
      responder_(context(), stations_, completions_, answers_, queue_pairs_) {
  checked("nics per node", options.nics_per_node, 16);
  checked("nodes", options.nodes, kMostNics / options.nics_per_node);
  checked("cores per node", options.cores_per_node, 1024);
  set_up_nodes();
  fabric_ = load_fabric_profile(
      options.fabric_profile.empty() ? machines_.front()->nic.fabric : options.fabric_profile,
      options.overrides);
  for (std::uint32_t node = 0; node < options.nodes; ++node) {
    for (std::uint32_t index = 0; index < options.nics_per_node; ++index) {
      nics_.push_back(std::make_unique<Nic>(static_cast<std::uint32_t>(nics_.size()),
                                            static_cast<NodeId>(node), index, *machine_of_[node],
                                            options.seed));
    }
  }
}

void Cluster::set_up_nodes() {
  const auto add = [this](const std::string& nic, const std::string& cpu) {
    machines_.push_back(std::make_unique<Machine>(load_nic_profile(nic, options_.overrides),
                                                  load_cpu_profile(cpu, options_.overrides)));
    return machines_.back().get();
  };
  const Machine* most = add(options_.nic_profile, options_.cpu_profile);
  machine_of_.assign(options_.nodes, most);
  cores_of_.assign(options_.nodes, options_.cores_per_node);
  for (const OtherNodes& others : options_.other_nodes) {
    if (others.first + std::uint64_t{others.count} > options_.nodes) {
      throw ConfigurationError("nodes " + std::to_string(others.first) + " to " +
                               std::to_string(others.first + std::int64_t{others.count} - 1) +
                               " are not like the others, but the cluster has " +
                               counted(options_.nodes, "node"));
    }
    const std::string& nic = others.nic_profile.empty() ? options_.nic_profile : others.nic_profile;
    const Machine* machine =
        add(nic, others.cpu_profile.empty() ? options_.cpu_profile : others.cpu_profile);
    if (machine->nic.path_mtu != most->nic.path_mtu ||
        machine->nic.ethernet != most->nic.ethernet) {
      throw ConfigurationError("NICs '" + nic + "' and '" + options_.nic_profile +
                               "' differ in path_mtu_bytes or ethernet: no network connects them");
    }
    for (std::uint32_t node = others.first; node < others.first + others.count; ++node) {
      machine_of_[node] = machine;
      if (others.cores != 0) cores_of_[node] = checked("cores per node", others.cores, 1024);
    }
  }
}

EventContext Cluster::context() {
  return {.options = options_,
          .fabric = fabric_,
          .time = time_,
          .observation = observation_,
          .ways = ways_,
          .requests = requests_,
          .packets = packets_};
}

Cluster::~Cluster() { stop(); }

Nic* Cluster::find_nic(const ibv_gid& gid) const {
  const std::size_t number = std::size_t{gid.raw[14]} << 8 | gid.raw[15];
  if (number >= nics_.size()) return nullptr;
  for (int index = 0; index < 2; ++index) {
    const ibv_gid own = nics_[number]->gid(index);
    if (std::equal(std::begin(own.raw), std::end(own.raw), std::begin(gid.raw))) {
      return nics_[number].get();
    }
  }
  return nullptr;
}

void Cluster::start(std::vector<rdma::CoreTask> tasks) {
  stop();
  std::vector<std::uint32_t> per_node(options_.nodes, 0);
  for (const rdma::CoreTask& task : tasks) {
    if (task.node >= options_.nodes) {
      throw ConfigurationError("a task is for node " + std::to_string(task.node) + ", there are " +
                               std::to_string(options_.nodes) + " nodes");
    }
    if (++per_node[task.node] > cores_of_[task.node]) {
      throw ConfigurationError("node " + std::to_string(task.node) + " has more tasks than its " +
                               std::to_string(cores_of_[task.node]) + " cores");
    }
  }
  time_.start(std::move(tasks),
              [this](NodeId node) -> const CpuProfile& { return machine_of_[node]->cpu; });
}

Timeline::Progress Cluster::advance(Picoseconds limit, bool may_end) {
  return time_.advance(
      limit, may_end, [this] { prefetch(); }, [this](const TimedEvent& event) { handle(event); });
}

void Cluster::prefetch() {
  // The records of the run of events that comes next, then what these refer to a few events ahead:
  // several hundred cycles each.
  constexpr std::size_t kNear = 4;
  if (time_.events().run_began()) {
    for (const TimedEvent& event : time_.events().next_run()) {
      if (event.kind() >= EventKind::kRequestArrives) {
        prefetch_lines<2>(&packets_[event.index]);
      } else if (event.kind() > EventKind::kCoreWake) {
        prefetch_lines<2>(&requests_[event.index]);
      }
    }
    for (std::size_t i = 0; i < kNear; ++i) prefetch_referred(time_.events().ahead(i));
  }
  prefetch_referred(time_.events().ahead(kNear));
}

void Cluster::prefetch_referred(const TimedEvent* event) {
  if (event == nullptr || event->kind() <= EventKind::kCoreWake) return;
  if (event->kind() == EventKind::kDoorbell) {
    return prefetch_lines<3>(requests_[event->index].queue_pair);
  }
  if (event->kind() < EventKind::kRequestArrives) return;
  const Packet& packet = packets_[event->index];
  // Addresses of payloads are only hints here: prefetching what is not mapped does nothing.
  switch (event->kind()) {
    case EventKind::kRequestArrives:
      return prefetch_lines<2>(packet.peer);
    case EventKind::kMemoryEffect:
      prefetch_bytes(packet.message.remote_address, packet.message.bytes);
      return prefetch_lines<2>(packet.peer);
    case EventKind::kAnswerArrives:
      __builtin_prefetch(packet.payload);
      prefetch_lines<2>(&requests_[packet.request]);
      return prefetch_lines<2>(packet.queue_pair);
    default:
      return;
  }
}

void Cluster::handle_request(const TimedEvent& event) {
  Request& request = requests_[event.index];
  if ((request.generation & TimedEvent::kTagMask) != event.tag()) return;
  if (event.kind() == EventKind::kDoorbell) return requester_.doorbell_arrives(request);
  requester_.retry(request);
}

void Cluster::handle(const TimedEvent& event) {
  switch (event.kind()) {
    case EventKind::kRequestArrives:
      return responder_.request_arrives(packets_[event.index]);
    case EventKind::kMemoryEffect:
      return responder_.memory_effect(packets_[event.index]);
    case EventKind::kMemoryLine:
      return responder_.memory_line(packets_[event.index]);
    case EventKind::kAnswerArrives:
      return requester_.answer_arrives(packets_[event.index]);
    default:
      return handle_request(event);
  }
}

void Cluster::crash(NodeId node, Picoseconds late) {
  responder_.expect_strays(late);
  for (const std::unique_ptr<Nic>& nic : nics_) nic->off = nic->off || nic->node == node;
  time_.stop_cores(node);
}

void Cluster::watch(const ibv_mr& memory, SimCore& core) {
  Nic& nic = *static_cast<VerbsContext*>(memory.context)->nic;
  nic.find_region(memory.lkey)->watcher = &core;
}

void Cluster::stop() {
  time_.stop();
  queue_pairs_.remove_pollers();
  for (const std::unique_ptr<Nic>& nic : nics_) nic->remove_watchers();
}

}  // namespace verbena::simnic
