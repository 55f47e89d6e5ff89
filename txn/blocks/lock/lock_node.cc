// Setting a node up.
#include "txn/blocks/lock/lock_node.h"

#include "rdma/worker.h"
#include "txn/blocks/lock/lock_operation.h"
#include "txn/blocks/placement.h"
#include "txn/waiting_text.h"

namespace verbena::txn::blocks {

LockNode::LockNode(rdma::Endpoint& endpoint, const Deployment& deployment, const SystemInfo& info,
                   const prism::DeathOptions& deaths, const Options& options)
    : endpoint_(endpoint),
      deployment_(deployment),
      options_(options),
      clients_(endpoint.links(), deployment),
      layout_(deployment.schema),
      deaths_(endpoint, deployment_.view, deaths, prism::Spared::kAll) {
  for (std::uint32_t w = 0; w < endpoint.workers(); ++w) workers_.emplace_back(info);
  if (!deployment.view.computes(endpoint.node())) {
    keep_blocks();
    return;
  }
  for (std::uint32_t w = 0; w < endpoint.workers(); ++w) {
    errands_.emplace_back(endpoint.worker(static_cast<WorkerId>(w)), replicas(deployment.view),
                          deployment.fibers, deaths_, deaths.suspect_after);
  }
}

void LockNode::keep_blocks() {
  rdma::Region& region = endpoint_.add_region("blocks", layout_.region_bytes(), layout_.loader(),
                                              layout_.unit_areas());
  const auto name_of = [this](std::uint64_t number) {
    if (!is_client(number)) return std::string();
    const prism::ClientPlace client = clients_.of(number);
    return holder_text(client.node, client.worker, client.fiber);
  };
  const auto is_lost = [this](std::uint64_t number) {
    return is_client(number) && endpoint_.is_dead(clients_.of(number).node);
  };
  blocks_ = std::make_unique<LocksAtRest>(layout_, region, name_of, is_lost);
}

txn::StateAtRest& LockNode::state() {
  if (blocks_ == nullptr) return nothing_;
  return *blocks_;
}

std::unique_ptr<txn::Transaction> LockNode::transaction(WorkerId worker, std::uint16_t fiber) {
  return std::make_unique<LockOperation>(
      endpoint_.worker(worker), deployment_, layout_, options_, clients_,
      prism::ClientPlace{.node = endpoint_.node(), .worker = worker, .fiber = fiber},
      errands_[worker].of(fiber), workers_[worker]);
}

std::vector<std::function<void()>> LockNode::background(WorkerId worker) {
  std::vector<std::function<void()>> bodies = deaths_.background(endpoint_.worker(worker));
  if (blocks_ != nullptr) return bodies;
  for (auto& body : errands_[worker].background()) bodies.push_back(std::move(body));
  return bodies;
}

}  // namespace verbena::txn::blocks
