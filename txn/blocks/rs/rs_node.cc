// Setting a node up.
#include "txn/blocks/rs/rs_node.h"

#include "rdma/rpc/rpc.h"
#include "rdma/worker.h"
#include "txn/blocks/placement.h"
#include "txn/blocks/rs/rs_operation.h"
#include "txn/prism/buffers/give_back.h"
#include "txn/prism/placement.h"

namespace verbena::txn::blocks {

RsNode::Blocks::Blocks(const RsLayout& layout, std::uint32_t low_water, rdma::Region& region,
                       std::uint32_t workers)
    : server(workers) {
  server.add_memory(region);
  keeper.emplace(layout.lists(), low_water, region.id(), server);
}

RsNode::Client::Client(rdma::Worker& worker, const std::vector<NodeId>& replicas,
                       std::uint32_t fibers, prism::Deaths& deaths, Nanoseconds suspect_after)
    : errands(worker, replicas, fibers, deaths, suspect_after) {
  for (std::size_t place = 0; place < replicas.size(); ++place) reports.emplace_back(worker.rpc());
}

RsNode::RsNode(rdma::Endpoint& endpoint, const Deployment& deployment, const SystemInfo& info,
               const prism::ServerOptions& servers, const Options& options)
    : endpoint_(endpoint),
      deployment_(deployment),
      options_(options),
      clients_(endpoint.links(), deployment),
      layout_(deployment.schema, clients_.count() * servers.spares),
      deaths_(endpoint, deployment_.view, servers.deaths, prism::Spared::kAll) {
  for (std::uint32_t w = 0; w < endpoint.workers(); ++w) workers_.emplace_back(info);
  if (!deployment.view.computes(endpoint.node())) {
    keep_blocks(servers.low_water);
    return;
  }
  for (std::uint32_t w = 0; w < endpoint.workers(); ++w) {
    asking_.emplace_back(endpoint.worker(static_cast<WorkerId>(w)), replicas(deployment.view),
                         deployment.fibers, deaths_, servers.deaths.suspect_after);
  }
}

void RsNode::keep_blocks(std::uint32_t low_water) {
  // There is one partition.
  rdma::Region& region = endpoint_.add_region("blocks", layout_.region_bytes(),
                                              layout_.loader(PartitionId{0}), layout_.unit_areas());
  blocks_ = std::make_unique<Blocks>(layout_, low_water, region, endpoint_.workers());
  const bool primary = deployment_.view.primary(PartitionId{0}) == endpoint_.node();
  blocks_->scavenger.emplace(endpoint_, deployment_.view, blocks_->server, layout_.lists().size(),
                             [this](NodeId client) { return most_buffers_of(client); });
  blocks_->state.emplace(layout_, region, blocks_->server, *blocks_->keeper, primary,
                         [this] { return options_.ask == Ask::kAll && !deaths_.clients_lost(); });
  for (std::uint32_t w = 0; w < endpoint_.workers(); ++w) {
    blocks_->server.serve(endpoint_.worker(static_cast<WorkerId>(w)).rpc());
  }
}

// A fiber has one errand at each replica.
std::uint64_t RsNode::most_buffers_of(NodeId client) const {
  return prism::most_buffers(endpoint_.links().workers(client), deployment_.fibers, 1,
                             endpoint_.options().rpc.notify_window);
}

txn::StateAtRest& RsNode::state() {
  if (blocks_ == nullptr) return nothing_;
  return *blocks_->state;
}

void RsNode::start() {
  prism::check_messages(endpoint_.worker(static_cast<WorkerId>(0)).rpc().max_payload(),
                        RsReplica::message_bytes(layout_),
                        "a chain that writes the longest record");
}

std::unique_ptr<txn::Transaction> RsNode::transaction(WorkerId worker, std::uint16_t fiber) {
  const std::uint64_t number =
      clients_.number_of({.node = endpoint_.node(), .worker = worker, .fiber = fiber});
  return std::make_unique<RsOperation>(endpoint_.worker(worker), deployment_, layout_, options_,
                                       number, asking_[worker].errands.of(fiber),
                                       asking_[worker].reports, workers_[worker]);
}

std::vector<std::function<void()>> RsNode::background(WorkerId worker) {
  rdma::Worker& own = endpoint_.worker(worker);
  std::vector<std::function<void()>> bodies = deaths_.background(own);
  if (blocks_ != nullptr) {
    if (worker == 0) {
      bodies.emplace_back([this, &own] { blocks_->keeper->run(own, *blocks_->scavenger); });
    }
    return bodies;
  }
  Client& client = asking_[worker];
  for (auto& body : client.errands.background()) bodies.push_back(std::move(body));
  for (rdma::BufferReports& reports : client.reports) {
    bodies.emplace_back([&client, &own, &reports] {
      prism::give_back_when_due(own, reports, [&client] { return client.errands.ended(); });
    });
  }
  return bodies;
}

}  // namespace verbena::txn::blocks
