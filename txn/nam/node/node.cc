// The roles of a node, and what all of them begin from.
#include "txn/nam/node/node.h"

#include <cassert>
#include <string>

#include "rdma/base/errors.h"
#include "rdma/worker.h"
#include "txn/nam/durability/restored_state.h"

namespace verbena::txn::nam {

// Regions are numbered as they are added.
Node::Node(rdma::Endpoint& endpoint, const Deployment& deployment, const SystemInfo& info,
           const Shape& shape, const NodeOptions& options)
    : endpoint_(endpoint),
      deployment_(deployment),
      layout_(deployment, shape),
      options_(options),
      restored_(layout_.vector().slots()) {
  for (std::uint32_t w = 0; w < endpoint.workers(); ++w) workers_.emplace_back(info);
  const NodeId node = endpoint.node();
  if (layout_.keeps(node)) memory_.emplace(endpoint, layout_, options_, claims_);
  if (deployment_.view.computes(node)) {
    compute_.emplace(endpoint, layout_, deployment_.limits, options_, shape.oracle, workers_);
  }
  if (layout_.vector().is_oracle(node)) oracle_.emplace(endpoint, layout_, shape.oracle);
  if (options.journals > 0) keep_journals();
  if (options.heartbeat > 0) serve_recoveries();
}

void Node::keep_journals() {
  journals_.emplace(layout_, options_.journals,
                    journal_ring_bytes(layout_, deployment_.limits, options_),
                    !options_.checkpoints.empty());
  if (restored()) restore();
  if (compute_) compute_->keep_journals(*journals_);
  if (memory_) memory_->keep_journals(*journals_, restored_);
}

void Node::restore() {
  if (!memory_ && !oracle_) return;
  const RestoredState state(options_.restore, layout_, *journals_);
  restored_ = state.counts();
  if (memory_) memory_->restore(state);
  if (oracle_) oracle_->begin_with(restored_);
}

void Node::serve_recoveries() {
  if (compute_) compute_->look_for_dead();
  const auto note_dead = [this](const FenceRequest& told) {
    if (compute_) compute_->note_dead(told);
  };
  for (std::uint32_t w = 0; w < endpoint_.workers(); ++w) {
    recoveries_.emplace_back(endpoint_.worker(static_cast<WorkerId>(w)),
                             memory_ ? memory_->index_of() : IndexOf(), note_dead, claims_);
  }
}

void Node::save_journals() {
  if (memory_) memory_->save_journals();
}

// Addresses are computed from the node's own layout.
void Node::start() {
  for (std::uint32_t n = 0; n < endpoint_.nodes(); ++n) {
    const auto peer = static_cast<NodeId>(n);
    if (!endpoint_.connected(peer) || lays_out_alike(peer)) continue;
    throw ConfigurationError("node " + std::to_string(peer) +
                             " lays out its memory otherwise than node " +
                             std::to_string(endpoint_.node()) +
                             "; tables, coroutines and all of nam must be the same on all nodes");
  }
}

// Regions are numbered as they were added.
bool Node::lays_out_alike(NodeId peer) const {
  std::vector<std::uint64_t> expected;
  if (layout_.keeps(peer)) {
    expected.push_back(layout_.records_bytes(peer));
  }
  if (layout_.vector().is_oracle(peer)) expected.push_back(layout_.vector().oracle_bytes());
  if (journals_ && layout_.keeps(peer)) {
    expected.push_back(journals_->region_bytes());
  }
  for (std::size_t region = 0; region < expected.size(); ++region) {
    if (endpoint_.region_size(peer, static_cast<RegionId>(region)) != expected[region])
      return false;
  }
  return true;
}

std::unique_ptr<txn::Transaction> Node::transaction(WorkerId worker, std::uint16_t fiber) {
  assert(compute_);
  rdma::Region* own = memory_ && options_.own_by_cpu() ? &memory_->records() : nullptr;
  return compute_->transaction(worker, fiber, own);
}

std::vector<std::function<void()>> Node::background(WorkerId worker) {
  if (worker != 0) return {};
  std::vector<std::function<void()>> bodies;
  if (memory_) memory_->add_background(endpoint_.worker(worker), bodies);
  if (compute_) compute_->add_background(endpoint_.worker(worker), bodies);
  return bodies;
}

bool Node::get(const RecordName& name, std::span<std::byte> payload) {
  return memory_->at_rest().get(name, payload);
}

void Node::visit_changed(TableId table, PartitionId partition, const ChangedRecord& visitor) {
  memory_->at_rest().visit_changed(table, partition, visitor);
}

void Node::scan(const KeyRange& range, const KeyVisitor& visitor) {
  memory_->at_rest().scan(range, visitor);
}

std::uint64_t Node::count(const KeyRange& range) { return memory_->at_rest().count(range); }

SelfCheck Node::self_check() { return memory_ ? memory_->self_check() : SelfCheck{}; }

std::vector<std::uint32_t> Node::published() {
  return oracle_ ? oracle_->published() : std::vector<std::uint32_t>{};
}

}  // namespace verbena::txn::nam
