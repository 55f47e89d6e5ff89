// Log space and the log keeper.
#include "txn/occ/log/log_space.h"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "rdma/base/message_io.h"
#include "rdma/base/random.h"
#include "txn/occ/node/messages.h"

namespace verbena::txn::occ {

LogSpace::LogSpace(rdma::Worker& worker, const LogLayout& layout, std::uint32_t fibers,
                   std::uint64_t reclaimed_bytes, Measurements& measurements)
    : worker_(worker),
      measurements_(measurements),
      ring_bytes_(layout.ring_bytes),
      reclaimed_bytes_(std::min({reclaimed_bytes, ring_bytes_ / 2, kMostReclaimedBytes})),
      rings_(layout.nodes),
      decided_bytes_(layout.nodes),
      held_(fibers),
      is_wanted_(layout.nodes, false),
      running_fibers_(fibers),
      calls_(worker.rpc()) {
  const std::uint64_t ring = layout.ring_offset(worker.node(), worker.id()) / layout.ring_bytes;
  for (std::uint32_t backup = 0; backup < layout.nodes; ++backup) {
    decided_bytes_[backup] =
        static_cast<std::uint32_t>(mix64(ring * layout.nodes + backup) % reclaimed_bytes_);
  }
}

void LogSpace::begin_with(const PastLogs& past) {
  if (past.empty()) return;
  for (std::uint32_t i = 0; i < rings_.size(); ++i) {
    const auto backup = static_cast<NodeId>(i);
    const std::uint64_t bytes = past.bytes(worker_.node(), worker_.id(), backup);
    decided_bytes_[backup] = static_cast<std::uint32_t>(std::min(bytes, kMostReclaimedBytes));
    ring(backup).begin_with(bytes);
  }
}

bool LogSpace::all_fit(const std::vector<Slot>& slots) {
  return std::all_of(slots.begin(), slots.end(),
                     [this](const Slot& slot) { return ring(slot.backup).fits(slot.bytes); });
}

void LogSpace::reserve(std::uint32_t fiber, std::vector<Slot>& slots) {
  assert(held_[fiber].empty());
  // All or none: whoever waits holds no space, so those that hold some are never kept from
  // finishing.
  while (!all_fit(slots)) {
    measurements_.count(Counter::kLogWaits);
    worker_.core().reach("occ: log is full");
    for (const Slot& slot : slots) {
      if (!ring(slot.backup).fits(slot.bytes)) want_reclaim(slot.backup);
    }
    waiting_.push_back(worker_.current_fiber());
    worker_.suspend();
  }
  for (Slot& slot : slots) {
    slot.space = ring(slot.backup).reserve(slot.bytes);
    measurements_.count(Counter::kLogRecords);
    measurements_.count(Counter::kLogBytes, slot.bytes);
  }
  held_[fiber] = slots;
}

void LogSpace::release(std::uint32_t fiber) {
  for (const Slot& slot : held_[fiber]) {
    std::uint32_t& decided = decided_bytes_[slot.backup];
    decided += slot.bytes;
    if (decided >= reclaimed_bytes_ || !waiting_.empty()) {
      decided = 0;
      want_reclaim(slot.backup);
    }
  }
  held_[fiber].clear();
}

void LogSpace::want_reclaim(NodeId backup) {
  if (is_wanted_[backup]) return;
  is_wanted_[backup] = true;
  wanted_.push_back(backup);
  wake_keeper();
}

void LogSpace::wake_keeper() {
  if (keeper_ == rdma::kNoFiber) return;
  worker_.make_ready(keeper_);
  keeper_ = rdma::kNoFiber;
}

void LogSpace::transactions_done() {
  assert(running_fibers_ > 0);
  --running_fibers_;
  wake_keeper();
}

// Everything before the first record of a transaction that is not decided yet.
std::uint64_t LogSpace::decided_up_to(NodeId backup) const {
  std::uint64_t limit = rings_[backup].tail;
  for (const std::vector<Slot>& slots : held_) {
    for (const Slot& slot : slots) {
      if (slot.backup == backup) limit = std::min(limit, slot.space.position - slot.space.padding);
    }
  }
  return limit;
}

bool LogSpace::reclaim(const std::vector<NodeId>& backups) {
  asked_.clear();
  for (const NodeId backup : backups) {
    const ReclaimRequest request{.limit = decided_up_to(backup)};
    // A transaction that is not decided yet holds the oldest space: its release asks again.
    if (request.limit <= rings_[backup].freed) {
      worker_.core().reach("occ: log cannot be reclaimed, its oldest record is undecided");
      continue;
    }
    std::memcpy(calls_.reserve(backup, Method::kReclaim, sizeof request).data(), &request,
                sizeof request);
    asked_.push_back(backup);
    measurements_.count(Counter::kLogReclaims);
  }
  if (asked_.empty()) return false;
  calls_.post();
  calls_.wait();
  for (std::size_t i = 0; i < asked_.size(); ++i) {
    calls_.take(i, [&](std::span<const std::byte> reply) {
      ring(asked_[i]).free_up_to(MessageReader(reply).take<ReclaimReply>().applied);
    });
  }
  calls_.clear();
  return true;
}

void LogSpace::keep() {
  std::vector<NodeId> batch;
  while (running_fibers_ > 0) {
    if (wanted_.empty()) {
      keeper_ = worker_.current_fiber();
      worker_.suspend();
      continue;
    }
    batch.swap(wanted_);
    for (const NodeId backup : batch) is_wanted_[backup] = false;
    const bool freed = reclaim(batch);
    batch.clear();
    if (!freed) continue;
    for (const rdma::FiberId fiber : waiting_) worker_.make_ready(fiber);
    waiting_.clear();
  }
  running_fibers_ = static_cast<std::uint32_t>(held_.size());
}

}  // namespace verbena::txn::occ
