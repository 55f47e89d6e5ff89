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
constexpr Nanoseconds kProbeInterval = kSecond;
constexpr Nanoseconds kTimeToBeToldOfDeath = 5 * kSecond;

}  // namespace

Drain::Drain(Endpoint& endpoint, Region& control)
    : endpoint_(endpoint),
      control_(control),
      phases_(endpoint.options().workers, 0),
      cores_(endpoint.options().workers, nullptr) {}

void Drain::begin(WorkerId worker, Core& core) {
  ++phases_[worker];
  cores_[worker] = &core;
}

bool Drain::arrive() {
  // The last worker to arrive sees what the others wrote before they arrived, their cores among it.
  if (quiet_.fetch_add(1, std::memory_order_acq_rel) + 1 < cores_.size()) return false;
  quiet_.store(0, std::memory_order_relaxed);
  return true;
}

// A node in a later phase has gone on from this one.
bool Drain::has_reached(NodeId node, Step step) {
  std::byte* flag = control_.at(std::uint64_t{node} * 8, 8);
  const Step other = Step::of(
      std::atomic_ref(*reinterpret_cast<std::uint64_t*>(flag)).load(std::memory_order_acquire));
  const std::uint64_t rounds = endpoint_.links().rounds();
  const std::uint64_t last_of_phase = (step.round + rounds - 1) / rounds * rounds;
  if (other.round > last_of_phase) return true;
  return other.deaths == step.deaths && other.round >= step.round;
}

std::uint64_t Drain::deaths() const { return endpoint_.health().dead_epoch(); }

// Deaths are counted after what they hold.
std::uint64_t Drain::settled_deaths(Worker& worker) {
  for (;;) {
    const std::uint64_t known = deaths();
    if (holds_.load(std::memory_order_acquire) == 0) return known;
    worker.sleep_until(worker.now() + kLongestNap);
  }
}

void Drain::announce(Worker& worker, Step step) {
  constexpr std::size_t kAtOnce = 16;
  RequestBatch batch(worker.connections(), RequestsBy::kNic);
  const std::uint64_t flag = step.flag();
  const std::vector<NodeId>& peers = endpoint_.peers().peers;
  const std::vector<RegionId>& control = endpoint_.peers().control_regions;
  for (std::size_t place = 0; place < peers.size(); ++place) {
    if (endpoint_.is_dead(peers[place])) continue;
    batch.write({peers[place], control[place], std::uint64_t{endpoint_.node()} * 8}, &flag,
                sizeof flag);
    try {
      batch.post(Doorbell::kBatched);
      if (place % kAtOnce == kAtOnce - 1) batch.wait();
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

std::string Drain::unfinished(Step step) {
  std::string names;
  for (const NodeId node : endpoint_.peers().peers) {
    if (endpoint_.is_dead(node) || has_reached(node, step)) continue;
    names += (names.empty() ? "" : ", ") + endpoint_.fabric().rendezvous().describe(node);
  }
  return names;
}

// Its flag once more. Nodes that only serve others would not find out otherwise that these are
// gone.
void Drain::probe(Worker& worker, std::size_t place, Step step) {
  RequestBatch batch(worker.connections(), RequestsBy::kNic);
  const std::uint64_t flag = step.flag();
  batch.write({endpoint_.peers().peers[place], endpoint_.peers().control_regions[place],
               std::uint64_t{endpoint_.node()} * 8},
              &flag, sizeof flag);
  try {
    batch.post(Doorbell::kBatched);
    batch.wait();
  } catch (const VerbsError&) {
    // Connections::check_peer knows now.
  } catch (const PeerMissing&) {
  }
}

// With fibers in the background others may find out, too, and tell this node to go on without it.
void Drain::check(Worker& worker, NodeId peer, Nanoseconds& gone_since) const {
  try {
    worker.connections().check_peer(peer);
    gone_since = worker.now();
  } catch (...) {
    const Nanoseconds patience =
        endpoint_.options().background ? kTimeToBeToldOfDeath : 0 * kSecond;
    if (worker.now() - gone_since >= patience) throw;
  }
}

// False: another death is known since `step` was announced.
bool Drain::await(Worker& worker, Step step, bool on_deaths, Nanoseconds begin) {
  const std::vector<NodeId>& peers = endpoint_.peers().peers;
  Nanoseconds next_probe = worker.now() + kProbeInterval;
  Nanoseconds gone_since = worker.now();
  auto next = peers.begin();
  for (;;) {
    if (on_deaths && deaths() != step.deaths) return false;
    while (next != peers.end() && (endpoint_.is_dead(*next) || has_reached(*next, step))) {
      ++next;
    }
    if (next == peers.end()) return true;
    // A peer writes its flag before it leaves, so one that does not answer will not write it.
    check(worker, *next, gone_since);
    if (worker.now() >= next_probe) {
      probe(worker, static_cast<std::size_t>(next - peers.begin()), step);
      next_probe = worker.now() + kProbeInterval;
      continue;
    }
    const Nanoseconds waited = worker.now() - begin;
    if (waited > endpoint_.options().drain_timeout) {
      throw PeerMissing("node " + std::to_string(endpoint_.node()) +
                        " has finished, but not: " + unfinished(step));
    }
    worker.sleep_until(worker.now() + std::clamp(waited / 4, kShortestNap, kLongestNap));
  }
}

void Drain::agree(Worker& worker, bool on_deaths) {
  const std::uint64_t phase = phases_[worker.id()];
  const std::uint64_t rounds = endpoint_.links().rounds();
  const std::uint64_t before = (phase - 1) * rounds;
  Nanoseconds begin = 0;
  for (Step step{.round = before}; step.round < phase * rounds;) {
    if (step.round == before) {
      if (on_deaths) step.deaths = settled_deaths(worker);
      begin = worker.now();
    }
    ++step.round;
    announce(worker, step);
    if (!await(worker, step, on_deaths, begin)) step.round = before;
  }
  // In this order, since a core may be gone as soon as its worker sees that the phase is over.
  for (Core* core : cores_) core->wake();
  finished_phases_.store(phase, std::memory_order_release);
}

}  // namespace verbena::rdma
