// Cores and time of a cluster.
#include <algorithm>
#include <string>

#include "rdma/base/errors.h"
#include "simnic/engine/mix_seed.h"
#include "simnic/nic/cluster.h"

namespace verbena::simnic {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::size_t kStackBytes = 1024 * 1024;
#else
constexpr std::size_t kStackBytes = 256 * 1024;
#endif

/// Length of windows whose nodes have more in common: only how often somebody looks.
constexpr Picoseconds kLookedAtEach = to_picoseconds(320_ns);
constexpr Picoseconds kLongest = to_picoseconds(kMicrosecond);

}  // namespace

void Cluster::start(std::vector<rdma::CoreTask> tasks) {
  stop();
  std::vector<std::vector<rdma::CoreTask>> of_node(options_.nodes);
  stacks_ = tasks.empty() ? nullptr : std::make_unique<StackArena>(tasks.size(), kStackBytes);
  for (rdma::CoreTask& task : tasks) {
    if (task.node >= options_.nodes) {
      throw ConfigurationError("a task is for node " + std::to_string(task.node) + ", there are " +
                               std::to_string(options_.nodes) + " nodes");
    }
    if (of_node[task.node].size() == cores_of_[task.node]) {
      throw ConfigurationError("node " + std::to_string(task.node) + " has more tasks than its " +
                               std::to_string(cores_of_[task.node]) + " cores");
    }
    of_node[task.node].push_back(std::move(task));
  }
  std::size_t used = 0;
  for (NodeId number = 0; number < options_.nodes; ++number) {
    std::vector<Stack> stacks;
    for (std::size_t i = 0; i < of_node[number].size(); ++i) {
      stacks.push_back(stacks_->stack(used++));
    }
    nodes_[number]->timeline().start(std::move(of_node[number]), machine(number).cpu, stacks);
  }
  set_windows();
}

Picoseconds Cluster::look_ahead() const {
  if (!topology_->apart || options_.nodes == 1) return 0;
  // A packet is noticed when it has passed its NIC.
  Picoseconds shortest = kNeverPs;
  for (const auto& machine : machines_) {
    const NicProfile& nic = machine->nic;
    // A request passes its requester's NIC, too.
    shortest = std::min({shortest, nic.response_latency, nic.requester_latency});
  }
  return topology_->least_latency + shortest;
}

void Cluster::set_windows() {
  const Picoseconds apart = look_ahead();
  const bool by_time = by_time_ || options_.observer != nullptr || apart <= 0;
  windows_.set(apart > 0 ? std::min(apart, kLongest) : kLookedAtEach,
               by_time ? Windows::Order::kByTime : Windows::Order::kByNode,
               options_.times_windows ? 1 : options_.threads);
  if (options_.times_windows) windows_.measure(window_times_);
  while (threads_.size() < windows_.threads()) {
    threads_.push_back(std::make_unique<ThreadPackets>(packets_));
  }
}

Windows::Progress Cluster::advance(Picoseconds limit, bool may_end) {
  const Windows::Progress progress = windows_.advance(limit, may_end);
  if (progress == Windows::Progress::kAllFinished && look_) look_(latest_clock());
  return progress;
}

// Code runs ahead of the events that it causes.
Picoseconds Cluster::latest_clock() const {
  Picoseconds latest = now();
  for (const auto& node : nodes_) {
    for (const auto& core : node->timeline().cores()) latest = std::max(latest, core->local());
  }
  return latest;
}

void Cluster::between(Picoseconds now) {
  for (const auto& node : nodes_) {
    if (const auto late = node->take_death()) announce_death(*node, *late);
  }
  if (look_) look_(now);
}

void Cluster::announce_death(const Node& node, Picoseconds late) {
  for (const auto& each : nodes_) each->node_died(late);
  for (Nic* nic : nics_) nic->gone = nic->gone || nodes_[nic->node].get() == &node;
}

void Cluster::stop() {
  for (const auto& node : nodes_) {
    node->timeline().stop();
    node->forget_cores();
  }
}

std::uint64_t Cluster::trace_digest() const {
  std::uint64_t digest = 0;
  for (const auto& node : nodes_) digest = mix_seed(digest, node->timeline().trace_digest());
  return digest;
}

}  // namespace verbena::simnic
