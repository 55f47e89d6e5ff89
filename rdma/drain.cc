// How the workers of all nodes agree that a run is over.
#include "rdma/drain.h"

#include <algorithm>

#include "rdma/base/errors.h"
#include "rdma/device/peer_table.h"
#include "rdma/endpoint.h"
#include "rdma/one_sided/connections.h"
#include "rdma/one_sided/request_batch.h"
#include "rdma/worker.h"

namespace verbena::rdma {
namespace {

constexpr Nanoseconds kShortestNap = 2 * kMicrosecond;
constexpr Nanoseconds kLongestNap = kMillisecond;

std::uint64_t load_flag(Region& control, NodeId node) {
  std::byte* flag = control.at(std::uint64_t{node} * 8, 8);
  return std::atomic_ref(*reinterpret_cast<std::uint64_t*>(flag)).load(std::memory_order_acquire);
}

}  // namespace

Drain::Drain(Endpoint& endpoint, Region& control)
    : endpoint_(endpoint),
      control_(control),
      nodes_(static_cast<NodeId>(endpoint.nodes())),
      phases_(endpoint.options().workers, 0),
      cores_(endpoint.options().workers, nullptr) {}

void Drain::begin(WorkerId worker, Core& core) {
  ++phases_[worker];
  cores_[worker] = &core;
}

bool Drain::arrive() {
  // Whoever adds the last one sees what the others wrote before they added theirs, their cores
  // among it.
  if (quiet_.fetch_add(1, std::memory_order_acq_rel) + 1 < cores_.size()) return false;
  quiet_.store(0, std::memory_order_relaxed);
  return true;
}

void Drain::announce(Worker& worker, std::uint64_t phase) {
  const auto control = static_cast<RegionId>(endpoint_.peers().regions - 1);
  RequestBatch batch(worker.connections());
  for (NodeId node = 0; node < nodes_; ++node) {
    if (endpoint_.is_dead(node)) continue;
    batch.write({node, control, std::uint64_t{endpoint_.node()} * 8}, &phase, sizeof phase);
    try {
      batch.post(Doorbell::kBatched);
      if (node % 16 == 15) batch.wait();
    } catch (const VerbsError&) {
      // The peer is gone. If it has left too early, its flag will stay unset.
    } catch (const PeerMissing&) {
    }
  }
  try {
    batch.wait();
  } catch (const VerbsError&) {
  } catch (const PeerMissing&) {
  }
}

std::string Drain::unfinished(std::uint64_t phase) {
  std::string names;
  for (NodeId node = 0; node < nodes_; ++node) {
    if (endpoint_.is_dead(node) || load_flag(control_, node) >= phase) continue;
    names += (names.empty() ? "" : ", ") + endpoint_.fabric().rendezvous().describe(node);
  }
  return names;
}

void Drain::agree(Worker& worker) {
  const std::uint64_t phase = phases_[worker.id()];
  const Nanoseconds begin = worker.now();
  announce(worker, phase);
  NodeId next = 0;
  for (;;) {
    while (next < nodes_ && (endpoint_.is_dead(next) || load_flag(control_, next) >= phase)) {
      ++next;
    }
    if (next == nodes_) break;
    // A peer writes its flag before it leaves, so one that does not answer will not write it.
    worker.connections().check_peer(next);
    const Nanoseconds waited = worker.now() - begin;
    if (waited > endpoint_.options().drain_timeout) {
      throw PeerMissing("node " + std::to_string(endpoint_.node()) +
                        " has finished, but not: " + unfinished(phase));
    }
    worker.sleep_until(worker.now() + std::clamp(waited / 4, kShortestNap, kLongestNap));
  }
  // In this order, since a core may be gone as soon as its worker sees that the phase is over.
  for (Core* core : cores_) core->wake();
  finished_phases_.store(phase, std::memory_order_release);
}

}  // namespace verbena::rdma
