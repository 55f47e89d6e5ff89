// Events, cores and time.
#include "simnic/cluster.h"

#include <algorithm>
#include <string>

#include "rdma/base/cache_line.h"
#include "rdma/base/errors.h"
#include "rdma/base/text/counted.h"

namespace verbena::simnic {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::size_t kStackBytes = 1024 * 1024;
#else
constexpr std::size_t kStackBytes = 256 * 1024;
#endif

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
    : options_(options), observer_(options.observer), digest_(mix_seed(options.seed, 0)) {
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
  nic_count_ = nics_.size();
  path_of_.reset(
      static_cast<std::uint32_t*>(std::calloc(nic_count_ * nic_count_, sizeof(std::uint32_t))));
  if (path_of_ == nullptr) throw std::bad_alloc();
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

Cluster::~Cluster() { stop(); }

Nic* Cluster::find_nic(std::uint16_t lid) const {
  return lid >= 1 && lid <= nics_.size() ? nics_[lid - 1].get() : nullptr;
}

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
  if (tasks.empty()) return;
  stacks_ = std::make_unique<StackArena>(tasks.size(), kStackBytes);
  for (rdma::CoreTask& task : tasks) {
    const std::size_t place = cores_.size();
    cores_.push_back(std::make_unique<SimCore>(*this,
                                               first_core_ + static_cast<std::uint32_t>(place),
                                               std::move(task), stacks_->stack(place)));
    ready_.push_back(cores_.back().get());
  }
  for (const std::unique_ptr<SimCore>& core : cores_) {
    const CpuProfile& cpu = machine_of_[core->node()]->cpu;
    const std::uint64_t physical = kSockets * static_cast<std::uint64_t>(cpu.cores_per_socket);
    const bool second = core->worker() >= physical;
    if (second || core->worker() + physical < per_node[core->node()]) core->share_core();
  }
  unfinished_ = static_cast<std::uint32_t>(cores_.size());
}

void Cluster::run_ready() {
  // Code that runs may make further cores ready.
  for (std::size_t i = 0; i < ready_.size() && exception_ == nullptr; ++i) {
    SimCore& core = *ready_[i];
    if (core.stopped()) continue;
    core.resume();
    if (core.finished()) {
      --unfinished_;
      exception_ = core.take_exception();
    }
  }
  ready_.clear();
}

SimCore* Cluster::core(std::uint32_t number) {
  const std::uint32_t place = number - first_core_;
  if (place >= cores_.size() || cores_[place]->finished()) return nullptr;
  return cores_[place].get();
}

Cluster::Progress Cluster::advance(Picoseconds limit, bool may_end) {
  const std::uint32_t limit_tag = ++limits_set_ & TimedEvent::kTagMask;
  schedule(limit, EventKind::kLimit, 0, limit_tag);
  ++limits_queued_;
  bool cores_ran = true;
  run_ready();
  while (true) {
    if (cores_ran) {
      if (exception_ != nullptr) return Progress::kFailed;
      if (unfinished_ == 0) return Progress::kAllFinished;
    }
    if (queue_.size() == limits_queued_ && may_end) return Progress::kNothingToDo;
    const TimedEvent event = queue_.pop();
    prefetch();
    now_ = event.time;
    if (event.kind() == EventKind::kLimit) {
      --limits_queued_;
      if (event.tag() != limit_tag) continue;  // of an earlier run that ended before it
      return Progress::kLimitReached;
    }
    digest(event);
    handle(event);
    cores_ran = !ready_.empty();
    if (cores_ran) run_ready();
  }
}

void Cluster::prefetch() {
  // The records of the run of events that comes next, then what these refer to a few events ahead:
  // several hundred cycles each.
  constexpr std::size_t kNear = 4;
  if (queue_.run_began()) {
    for (const TimedEvent& event : queue_.next_run()) {
      if (event.kind() > EventKind::kCoreWake) prefetch_lines<2>(&requests_[event.index]);
    }
    for (std::size_t i = 0; i < kNear; ++i) prefetch_referred(queue_.ahead(i));
  }
  prefetch_referred(queue_.ahead(kNear));
}

void Cluster::prefetch_referred(const TimedEvent* event) {
  if (event == nullptr || event->kind() <= EventKind::kCoreWake) return;
  const Request& request = requests_[event->index];
  // Addresses of payloads are only hints here: prefetching what is not mapped does nothing.
  switch (event->kind()) {
    case EventKind::kDoorbell:
      return prefetch_lines<3>(request.queue_pair);
    case EventKind::kRequestArrives:
      return prefetch_lines<2>(request.peer);
    case EventKind::kMemoryEffect:
      prefetch_bytes(request.remote_address, request.bytes);
      if (request.queue_pair != nullptr) __builtin_prefetch(&request.queue_pair->nic);
      return prefetch_lines<2>(request.peer);
    case EventKind::kCompletes:
      prefetch_bytes(request.local_address, request.bytes);
      __builtin_prefetch(request.payload);
      return prefetch_lines<2>(request.queue_pair);
    default:
      return;
  }
}

void Cluster::digest(const TimedEvent& event) {
  constexpr std::uint64_t kMultiplier = 0x9fb21c651e98df25;
  const std::uint64_t what = std::uint64_t{event.index} << 32 | event.tag_and_kind;
  digest_ = (digest_ ^ static_cast<std::uint64_t>(event.time.count())) * kMultiplier;
  digest_ = ((digest_ >> 29) ^ digest_ ^ what) * kMultiplier;
}

Request* Cluster::current_request(const TimedEvent& event) {
  Request& request = requests_[event.index];
  return (request.generation & TimedEvent::kTagMask) == event.tag() ? &request : nullptr;
}

void Cluster::handle(const TimedEvent& event) {
  const EventKind kind = event.kind();
  if (kind <= EventKind::kCoreWake) {
    SimCore* target = core(event.index);
    if (target == nullptr) return;
    if (kind == EventKind::kCoreCaughtUp) target->caught_up();
    if (kind == EventKind::kCoreTimer) target->timer_fired(event.time);
    if (kind == EventKind::kCoreWake) target->woken();
    return;
  }
  Request* request = current_request(event);
  if (request == nullptr) return;
  switch (kind) {
    case EventKind::kDoorbell:
      return doorbell_arrives(*request);
    case EventKind::kRequestArrives:
      return request_arrives(*request);
    case EventKind::kMemoryEffect:
      return memory_effect(*request);
    case EventKind::kMemoryLine:
      return memory_line(*request);
    case EventKind::kCompletes:
      return completes(*request);
    case EventKind::kRetry:
      return retry(*request);
    case EventKind::kFails:
      return fails(*request);
    default:
      return;
  }
}

void Cluster::crash(NodeId node, Picoseconds late) {
  crash_late_ = late;
  for (const std::unique_ptr<Nic>& nic : nics_) nic->off = nic->off || nic->node == node;
  for (const std::unique_ptr<SimCore>& core : cores_) {
    if (core->node() != node || core->finished() || core->stopped()) continue;
    core->stop();
    --unfinished_;
  }
}

void Cluster::stop() {
  for (const std::unique_ptr<SimCore>& core : cores_) {
    if (!core->finished()) core->end();
  }
  ready_.clear();
  first_core_ += static_cast<std::uint32_t>(cores_.size());
  for (CompletionQueue* cq : completion_queues_) cq->poller = nullptr;
  for (const std::unique_ptr<Nic>& nic : nics_) nic->remove_watchers();
  cores_.clear();
  unfinished_ = 0;
}

std::exception_ptr Cluster::take_exception() { return std::exchange(exception_, nullptr); }

}  // namespace verbena::simnic
