// Setting a node up.
#include "txn/prism/objects_node.h"

#include <string>

#include "rdma/worker.h"
#include "txn/prism/access/bookkeeping.h"
#include "txn/prism/buffers/buffer_service.h"
#include "txn/prism/buffers/give_back.h"
#include "txn/prism/deaths/last_chains.h"
#include "txn/prism/placement.h"

namespace verbena::txn::prism {

ObjectsNode::Objects::Objects(const Layout& layout, std::uint32_t low_water, rdma::Region& region,
                              std::uint32_t workers)
    : server(workers) {
  server.add_memory(region);
  keeper.emplace(layout.lists(), low_water, region.id(), server);
}

ObjectsNode::ObjectsNode(rdma::Endpoint& endpoint, const Deployment& deployment,
                         const SystemInfo& info, const ServerOptions& options,
                         const SlotFormat& format, const MakeState& make_state)
    : endpoint_(endpoint),
      deployment_(deployment),
      without_(options.without),
      layout_(deployment.schema, clients(endpoint.links(), deployment) * options.spares, format),
      deaths_(endpoint, deployment_.view, options.deaths, Spared::kClients) {
  endpoint.check_chains();
  for (std::uint32_t w = 0; w < endpoint.workers(); ++w) workers_.emplace_back(info);
  if (!deployment.view.computes(endpoint.node())) {
    keep_objects(options, make_state);
    return;
  }
  for (std::uint32_t w = 0; w < endpoint.workers(); ++w) {
    rdma::Worker& worker = endpoint.worker(static_cast<WorkerId>(w));
    reports_.emplace_back(worker.rpc(), return_method(without_));
    if (without_ == Without::kAllocation) {
      stocks_.emplace_back(worker, std::uint64_t{deployment.fibers} * options.spares);
    }
  }
}

void ObjectsNode::keep_objects(const ServerOptions& options, const MakeState& make_state) {
  // A server has one partition.
  const PartitionId partition = deployment_.view.primaries(endpoint_.node()).front();
  rdma::Region& region = endpoint_.add_region("objects", layout_.region_bytes(),
                                              layout_.loader(partition), layout_.unit_areas());
  objects_ = std::make_unique<Objects>(layout_, options.low_water, region, endpoint_.workers());
  objects_->scavenger.emplace(
      endpoint_, deployment_.view, objects_->server, layout_.lists().size(),
      [this](NodeId client) { return most_buffers_of(client); }, holders(without_));
  objects_->state = make_state(layout_, region, objects_->server, *objects_->keeper);
  objects_->state->lost_with(*objects_->scavenger);
  state_ = objects_->state.get();
  if (without_ == Without::kAllocation) objects_->server.keep_lists();
  endpoint_.serve_chains(objects_->server);
  for (std::uint32_t w = 0; w < endpoint_.workers(); ++w) {
    rdma::Rpc& rpc = endpoint_.worker(static_cast<WorkerId>(w)).rpc();
    if (without_ != Without::kNothing) serve_buffers(rpc, objects_->server, layout_.lists().size());
    serve_last_chains(rpc, *objects_->scavenger);
  }
}

std::uint64_t ObjectsNode::most_buffers_of(NodeId client) const {
  const std::uint64_t workers = endpoint_.links().workers(client);
  return most_buffers(workers, deployment_.fibers, deployment_.limits.records,
                      endpoint_.options().rpc.notify_window) +
         workers * most_in_stock(without_);
}

std::vector<std::function<void()>> ObjectsNode::background(WorkerId worker) {
  rdma::Worker& own = endpoint_.worker(worker);
  std::vector<std::function<void()>> bodies = deaths_.background(own);
  if (objects_ == nullptr) {
    bodies.emplace_back([this, &own] {
      give_back_when_due(own, reports_[own.id()], stock(own.id()), [&own] { return own.over(); });
    });
  } else if (worker == 0) {
    bodies.emplace_back([this, &own] { objects_->keeper->run(own, *objects_->scavenger); });
  }
  return bodies;
}

}  // namespace verbena::txn::prism
