// Beating, and watching the one before.
#include "txn/nam/durability/heartbeat.h"

#include <atomic>
#include <mutex>
#include <ranges>

#include "rdma/drain.h"
#include "rdma/one_sided/request_batch.h"
#include "txn/nam/durability/fence_calls.h"
#include "txn/nam/durability/unless_dead.h"

namespace verbena::txn::nam {
namespace {

/// The last: who has said so is done, and not dead.
constexpr std::uint64_t kLeaves = UINT64_MAX;

/// Beats in flight at most: with more, a NIC that is slower than beats come would only get slower.
constexpr std::size_t kMostBeats = 32;

}  // namespace

Heartbeat::Heartbeat(rdma::Endpoint& endpoint, const View& view, const NodeOptions& options,
                     rdma::Region& beats, RegionId region)
    : endpoint_(endpoint), view_(view), options_(options), beats_(beats), region_(region) {}

NodeId Heartbeat::neighbour(bool next) const {
  const std::uint32_t nodes = view_.nodes();
  const std::uint32_t self = endpoint_.node();
  for (std::uint32_t step = 1; step < nodes; ++step) {
    const auto node = static_cast<NodeId>((self + (next ? step : nodes - step)) % nodes);
    if (view_.computes(node) && !endpoint_.is_dead(node)) return node;
  }
  return endpoint_.node();
}

std::uint64_t Heartbeat::beat_of(NodeId node) {
  std::byte* beat = beats_.at(std::uint64_t{node} * 8, 8);
  return std::atomic_ref(*reinterpret_cast<std::uint64_t*>(beat)).load(std::memory_order_acquire);
}

// A beat does not wait for the last few before it: what comes behind a lost one has that sent again
// at once, where the NIC's timer alone would be silent for longer than others are patient.
void Heartbeat::beat(rdma::Worker& worker) {
  std::deque<rdma::RequestBatch> batches;
  for (std::size_t i = 0; i < kMostBeats; ++i) batches.emplace_back(worker.connections());
  const auto wait_for_all = [&](NodeId monitor) {
    for (rdma::RequestBatch& batch : batches) {
      unless_dead(endpoint_, monitor, [&] { batch.wait(); });
    }
  };
  std::uint64_t beats = 0;
  NodeId monitor = neighbour(true);
  for (bool over = false; !over;) {
    over = worker.over();
    const NodeId next = neighbour(true);
    if (next != monitor) {
      wait_for_all(monitor);
      monitor = next;
    }
    if (monitor == worker.node()) return;
    if (over) wait_for_all(monitor);  // an earlier beat may come later, by another queue pair
    const std::uint64_t beat = over ? kLeaves : ++beats;
    rdma::RequestBatch& batch = batches[beat % kMostBeats];
    unless_dead(endpoint_, monitor, [&] {
      batch.wait();
      batch.write({monitor, region_, std::uint64_t{worker.node()} * 8}, &beat, sizeof beat);
      batch.post();
      if (over) batch.wait();
    });
    if (!over) worker.sleep_until(worker.now() + options_.heartbeat);
  }
}

void Heartbeat::watch(rdma::Worker& worker) {
  NodeId watched = worker.node();
  std::uint64_t last = 0;
  Nanoseconds since = 0;
  Nanoseconds told_by = 0;  // a death by then, or whoever is not told of it is dead itself
  bool has_begun = false;
  for (; !worker.over(); worker.sleep_until(worker.now() + options_.heartbeat)) {
    const NodeId before = neighbour(false);
    if (before == worker.node()) return;
    const std::uint64_t beat = beat_of(before);
    worker.core().spend(rdma::Work::kPollLine);
    // At first others may begin later; who is watched instead of one that has died had begun.
    has_begun |= beat != 0 || (before != watched && watched != worker.node());
    if (before != watched || beat != last || !has_begun ||
        (first_to_tell() && worker.now() < told_by)) {
      watched = before;
      last = beat;
      since = worker.now();
    }
    if (beat == kLeaves || worker.now() - since < options_.suspect_after) continue;
    worker.core().reach("nam: compute server is silent for too long");
    take_over(watched);
    told_by = worker.now() + options_.suspect_after / 2;
  }
}

// Takes over also those that it had to take care of: what it had sent for them may still be on its
// way, so it is fenced everywhere, with which its own recovery begins, before anything is done for
// these. The fence tells whoever waits for its answers.
void Heartbeat::take_over(NodeId dead) {
  endpoint_.drain().hold();
  endpoint_.fence(dead);
  const std::lock_guard guard(changing_);
  std::erase_if(dead_, [&](const FenceRequest& one) { return one.dead == dead; });
  to_tell_.push_back(dead);
  to_recover_.push_back(dead);
  pass_on(dead, endpoint_.node());
  dead_.push_back({.dead = dead, .by = endpoint_.node(), .reserved = {}});
}

void Heartbeat::pass_on(NodeId from, NodeId to) {
  for (FenceRequest& one : std::views::reverse(dead_)) {
    if (one.by != from) continue;
    one.by = to;
    if (to == endpoint_.node()) recover_later(one.dead);
  }
}

void Heartbeat::recover_later(NodeId dead) {
  endpoint_.drain().hold();
  to_recover_.push_back(dead);
}

std::optional<NodeId> Heartbeat::first_to_tell() {
  const std::lock_guard guard(changing_);
  if (to_tell_.empty()) return std::nullopt;
  return to_tell_.front();
}

// A node that does not answer may be the next to be found dead.
void Heartbeat::tell(rdma::Worker& worker) {
  FenceCalls calls(worker);
  for (bool over = false; !over;) {
    over = worker.over();
    while (const auto dead = first_to_tell()) {
      calls.post({.dead = *dead, .by = worker.node(), .reserved = {}}, calls.others());
      {
        const std::lock_guard guard(changing_);
        to_tell_.pop_front();
      }
      calls.wait();
    }
    if (!over) worker.sleep_until(worker.now() + options_.heartbeat);
  }
}

std::optional<NodeId> Heartbeat::next_to_recover() {
  const std::lock_guard guard(changing_);
  if (to_recover_.empty()) return std::nullopt;
  const NodeId dead = to_recover_.front();
  to_recover_.pop_front();
  return dead;
}

void Heartbeat::recover(rdma::Worker& worker, const std::function<void(NodeId dead)>& finish) {
  for (bool over = false; !over;) {
    over = worker.over();
    while (const auto dead = next_to_recover()) {
      finish(*dead);
      endpoint_.drain().release();
    }
    if (!over) worker.sleep_until(worker.now() + options_.heartbeat);
  }
}

void Heartbeat::note_dead(const FenceRequest& told) {
  const std::lock_guard guard(changing_);
  std::erase_if(dead_, [&](const FenceRequest& one) { return one.dead == told.dead; });
  // The teller may have been found dead since.
  const auto teller = std::ranges::find(dead_, told.by, &FenceRequest::dead);
  const NodeId by = teller == dead_.end() ? told.by : teller->by;
  if (by != told.by && by == endpoint_.node()) recover_later(told.dead);
  pass_on(told.dead, by);
  dead_.push_back({.dead = told.dead, .by = by, .reserved = {}});
}

}  // namespace verbena::txn::nam
