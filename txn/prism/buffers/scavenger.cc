// Looking for deaths, waiting for chains, and freeing.
#include "txn/prism/buffers/scavenger.h"

#include <stdexcept>
#include <string>
#include <utility>

#include "rdma/prism/buffer_reports.h"
#include "rdma/worker.h"

namespace verbena::txn::prism {

Scavenger::Scavenger(rdma::Endpoint& endpoint, const View& view, rdma::ChainServer& server,
                     std::size_t lists, Most most, Holders holders)
    : endpoint_(endpoint),
      view_(view),
      server_(server),
      lists_(lists),
      most_(std::move(most)),
      holders_(holders),
      noted_(view.nodes()),
      ended_(view.nodes()) {}

void Scavenger::look(rdma::Worker& worker) {
  if (endpoint_.health().dead_epoch() != deaths_) note_deaths();
  if (waiting_.empty()) return;
  std::vector<Dead> busy;
  for (Dead& one : waiting_) {
    if (server_.over(one.in_flight)) {
      ended_[one.client].store(true, std::memory_order_release);
      free_all_of(one.client, worker);
    } else {
      busy.push_back(std::move(one));
    }
  }
  waiting_ = std::move(busy);
}

void Scavenger::note_deaths() {
  deaths_ = endpoint_.health().dead_epoch();
  for (std::uint32_t n = 0; n < view_.nodes(); ++n) {
    const auto node = static_cast<NodeId>(n);
    if (noted_[n] || !is_dead_client(node)) continue;
    noted_[n] = true;
    // A NIC goes on with what it has been sent until its queue pairs fail.
    if (server_.by_nic()) endpoint_.fence(node);
    waiting_.push_back({.client = node, .in_flight = server_.in_flight()});
  }
}

void Scavenger::finish(rdma::Worker& worker) {
  for (std::uint32_t n = 0; n < view_.nodes(); ++n) {
    if (!is_dead_client(static_cast<NodeId>(n))) continue;
    ended_[n].store(true, std::memory_order_release);
    free_all_of(static_cast<NodeId>(n), worker);
  }
}

std::uint64_t Scavenger::most_lost() const {
  std::uint64_t lost = 0;
  if (knows_holders()) return lost;
  for (std::uint32_t n = 0; n < view_.nodes(); ++n) {
    if (is_dead_client(static_cast<NodeId>(n))) lost += most_(static_cast<NodeId>(n));
  }
  return lost;
}

void Scavenger::free_all_of(NodeId client, rdma::Worker& worker) {
  if (!knows_holders()) return;
  const std::uint64_t most = most_(client);
  for (std::size_t list = 0; list < lists_; ++list) {
    const std::uint64_t found = server_.scavenge(static_cast<rdma::FreeListId>(list), client);
    if (found == 0) continue;
    worker.core().reach("prism: buffers of a dead client found");
    worker.core().spend(rdma::Work::kPrismOp, static_cast<std::uint32_t>(found));
    if (found <= most) continue;
    throw std::logic_error("node " + std::to_string(client) + " has had " + std::to_string(found) +
                           " buffers of a list, and can have had " + std::to_string(most));
  }
}

std::uint64_t most_buffers(std::uint64_t workers, std::uint64_t fibers, std::uint64_t objects,
                           std::uint64_t window) {
  constexpr std::uint64_t kBatch = rdma::BufferReports::kAtOnce;
  return workers * (fibers * (objects + kBatch) + (1 + window) * kBatch);
}

}  // namespace verbena::txn::prism
