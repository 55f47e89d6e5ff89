// Setting a node up.
#include "txn/kv/prism_node.h"

#include <string>

#include "rdma/base/errors.h"
#include "rdma/rpc/rpc.h"
#include "rdma/worker.h"
#include "txn/kv/prism_operation.h"
#include "txn/prism/give_back.h"
#include "txn/prism/nothing_at_rest.h"
#include "txn/prism/placement.h"

namespace verbena::txn::kv {

PrismNode::Objects::Objects(const prism::Layout& layout, std::uint32_t low_water,
                            rdma::Region& region, std::uint32_t workers)
    : server(workers) {
  server.add_memory(region);
  keeper.emplace(layout.lists(), low_water, region.id(), server);
  state.emplace(layout, region, server, *keeper);
}

PrismNode::PrismNode(rdma::Endpoint& endpoint, const Deployment& deployment, const SystemInfo& info,
                     const prism::ServerOptions& options)
    : endpoint_(endpoint),
      deployment_(deployment),
      layout_(deployment.schema, prism::clients(endpoint.links(), deployment) * options.spares) {
  for (std::uint32_t w = 0; w < endpoint.workers(); ++w) workers_.emplace_back(info);
  const NodeId node = endpoint.node();
  if (deployment.view.computes(node)) {
    for (std::uint32_t w = 0; w < endpoint.workers(); ++w) {
      reports_.emplace_back(endpoint.worker(static_cast<WorkerId>(w)).rpc());
    }
    nothing_ = std::make_unique<prism::NothingAtRest>();
    state_ = nothing_.get();
    return;
  }
  // A server has one partition.
  const PartitionId partition = deployment.view.primaries(node).front();
  rdma::Region& region = endpoint.add_region("objects", layout_.region_bytes(),
                                             layout_.loader(partition), layout_.unit_areas());
  objects_ = std::make_unique<Objects>(layout_, options.low_water, region, endpoint.workers());
  for (std::uint32_t w = 0; w < endpoint.workers(); ++w) {
    objects_->server.serve(endpoint.worker(static_cast<WorkerId>(w)).rpc());
  }
  state_ = &*objects_->state;
}

void PrismNode::start() {
  prism::check_messages(endpoint_.worker(static_cast<WorkerId>(0)).rpc().max_payload(),
                        PrismOperation::message_bytes(layout_),
                        "a chain that installs the longest record");
}

std::unique_ptr<txn::Transaction> PrismNode::transaction(WorkerId worker, std::uint16_t) {
  return std::make_unique<PrismOperation>(endpoint_.worker(worker), deployment_, layout_,
                                          reports_[worker], workers_[worker]);
}

std::vector<std::function<void()>> PrismNode::background(WorkerId worker) {
  rdma::Worker& own = endpoint_.worker(worker);
  if (objects_ == nullptr) {
    return {[this, &own] {
      prism::give_back_when_due(own, reports_[own.id()], [&own] { return own.over(); });
    }};
  }
  if (worker != 0) return {};
  return {[this, &own] { objects_->keeper->run(own); }};
}

}  // namespace verbena::txn::kv
