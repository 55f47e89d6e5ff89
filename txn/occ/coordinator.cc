// Log space and the log keeper.
#include "txn/occ/coordinator.h"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "txn/occ/messages.h"
#include "txn/occ/transaction_node.h"

namespace verbena::txn::occ {

Coordinator::Coordinator(TransactionNode& node, rdma::Worker& worker)
    : node_(node),
      worker_(worker),
      rings_(node.endpoint().nodes(), LogRingWriter(node.log_layout().ring_bytes)),
      decided_bytes_(node.endpoint().nodes()),
      fibers_(node.options().fibers),
      is_wanted_(node.endpoint().nodes(), false),
      running_fibers_(node.options().fibers),
      calls_(worker.rpc()),
      metrics_(system_info(node.plan())),
      record_history_(node.options().record_history) {}

bool Coordinator::all_fit(const std::vector<LogSlot>& slots) const {
  return std::all_of(slots.begin(), slots.end(),
                     [this](const LogSlot& slot) { return rings_[slot.backup].fits(slot.bytes); });
}

void Coordinator::reserve_log(std::uint32_t fiber, std::vector<LogSlot>& slots) {
  // All or none: whoever waits holds no space, so those that hold some are never kept from
  // finishing.
  while (!all_fit(slots)) {
    count(Counter::kLogWaits);
    for (const LogSlot& slot : slots) {
      if (!rings_[slot.backup].fits(slot.bytes)) want_reclaim(slot.backup);
    }
    waiting_.push_back(worker_.current_fiber());
    worker_.suspend();
  }
  for (LogSlot& slot : slots) {
    LogRingWriter& ring = rings_[slot.backup];
    slot.space = ring.reserve(slot.bytes);
    count(Counter::kLogRecords);
    count(Counter::kLogBytes, slot.bytes);
  }
  assert(fibers_[fiber].held.empty());
  fibers_[fiber].held = slots;
}

void Coordinator::release_log(std::uint32_t fiber) {
  for (const LogSlot& slot : fibers_[fiber].held) {
    const LogRingWriter& ring = rings_[slot.backup];
    std::uint64_t& decided = decided_bytes_[slot.backup];
    decided += slot.bytes;
    if (decided >= std::min(kReclaimedBytes, ring.ring_bytes() / 2) || !waiting_.empty()) {
      decided = 0;
      want_reclaim(slot.backup);
    }
  }
  fibers_[fiber].held.clear();
}

void Coordinator::want_reclaim(NodeId backup) {
  if (is_wanted_[backup]) return;
  is_wanted_[backup] = true;
  wanted_.push_back(backup);
  wake_keeper();
}

void Coordinator::wake_keeper() {
  if (keeper_ == rdma::kNoFiber) return;
  worker_.make_ready(keeper_);
  keeper_ = rdma::kNoFiber;
}

void Coordinator::transactions_done() {
  assert(running_fibers_ > 0);
  --running_fibers_;
  wake_keeper();
}

// Everything before the first record of a transaction that is not decided yet.
std::uint64_t Coordinator::decided_up_to(NodeId backup) const {
  std::uint64_t limit = rings_[backup].tail();
  for (const FiberSlots& fiber : fibers_) {
    for (const LogSlot& slot : fiber.held) {
      if (slot.backup == backup) limit = std::min(limit, slot.space.position - slot.space.padding);
    }
  }
  return limit;
}

bool Coordinator::reclaim(const std::vector<NodeId>& backups) {
  asked_.clear();
  for (const NodeId backup : backups) {
    const ReclaimRequest request{.limit = decided_up_to(backup)};
    // A transaction that is not decided yet holds the oldest space: its release_log asks again.
    if (request.limit == rings_[backup].freed()) continue;
    std::memcpy(calls_.reserve(backup, Method::kReclaim, sizeof request).data(), &request,
                sizeof request);
    asked_.push_back(backup);
    count(Counter::kLogReclaims);
  }
  if (asked_.empty()) return false;
  calls_.post();
  calls_.wait();
  for (std::size_t i = 0; i < asked_.size(); ++i) {
    ReclaimReply reply;
    std::memcpy(&reply, calls_.reply(i).data(), sizeof reply);
    rings_[asked_[i]].free_up_to(reply.applied);
  }
  calls_.clear();
  return true;
}

void Coordinator::keep_logs() {
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
  for (std::uint32_t backup = 0; backup < rings_.size(); ++backup) {
    if (rings_[backup].used() > 0) batch.push_back(static_cast<NodeId>(backup));
  }
  if (!batch.empty()) reclaim(batch);
  running_fibers_ = node_.options().fibers;
}

}  // namespace verbena::txn::occ
