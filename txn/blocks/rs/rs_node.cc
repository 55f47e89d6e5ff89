// Setting a node up.
#include "txn/blocks/rs/rs_node.h"

#include "rdma/rpc/rpc.h"
#include "rdma/worker.h"
#include "txn/blocks/placement.h"
#include "txn/blocks/rs/rs_operation.h"
#include "txn/prism/access/bookkeeping.h"
#include "txn/prism/buffers/buffer_service.h"
#include "txn/prism/buffers/give_back.h"
#include "txn/prism/deaths/last_chains.h"
#include "txn/prism/placement.h"

namespace verbena::txn::blocks {

RsNode::Blocks::Blocks(const RsLayout& layout, std::uint32_t low_water, rdma::Region& region,
                       std::uint32_t workers)
    : server(workers) {
  server.add_memory(region);
  keeper.emplace(layout.lists(), low_water, region.id(), server);
}

RsNode::Client::Client(rdma::Worker& worker, const std::vector<NodeId>& replicas,
                       std::uint32_t fibers, prism::Deaths& deaths,
                       const prism::ServerOptions& options)
    : errands(worker, replicas, fibers, deaths, options.deaths.suspect_after) {
  for (std::size_t place = 0; place < replicas.size(); ++place) {
    reports.emplace_back(worker.rpc(), prism::return_method(options.without));
    if (options.without == prism::Without::kAllocation) {
      stocks.emplace_back(worker, std::uint64_t{fibers} * options.spares);
    }
  }
}

RsNode::RsNode(rdma::Endpoint& endpoint, const Deployment& deployment, const SystemInfo& info,
               const prism::ServerOptions& servers, const Options& options)
    : endpoint_(endpoint),
      deployment_(deployment),
      options_(options),
      without_(servers.without),
      clients_(endpoint.links(), deployment),
      layout_(deployment.schema, clients_.count() * servers.spares,
              servers.without == prism::Without::kCas),
      deaths_(endpoint, deployment_.view, servers.deaths, prism::Spared::kAll) {
  endpoint.check_chains();
  for (std::uint32_t w = 0; w < endpoint.workers(); ++w) workers_.emplace_back(info);
  if (!deployment.view.computes(endpoint.node())) {
    keep_blocks(servers.low_water);
    return;
  }
  for (std::uint32_t w = 0; w < endpoint.workers(); ++w) {
    asking_.emplace_back(endpoint.worker(static_cast<WorkerId>(w)), replicas(deployment.view),
                         deployment.fibers, deaths_, servers);
  }
}

void RsNode::keep_blocks(std::uint32_t low_water) {
  // There is one partition.
  rdma::Region& region = endpoint_.add_region("blocks", layout_.region_bytes(),
                                              layout_.loader(PartitionId{0}), layout_.unit_areas());
  blocks_ = std::make_unique<Blocks>(layout_, low_water, region, endpoint_.workers());
  const bool primary = deployment_.view.primary(PartitionId{0}) == endpoint_.node();
  blocks_->scavenger.emplace(
      endpoint_, deployment_.view, blocks_->server, layout_.lists().size(),
      [this](NodeId client) { return most_buffers_of(client); }, prism::holders(without_));
  blocks_->state.emplace(layout_, region, blocks_->server, *blocks_->keeper, primary,
                         [this] { return options_.ask == Ask::kAll && !deaths_.clients_lost(); });
  blocks_->state->lost_with(*blocks_->scavenger);
  if (without_ == prism::Without::kCas) {
    blocks_->state->check_locks([this](std::uint64_t holder) {
      return holder <= clients_.count() && endpoint_.is_dead(clients_.of(holder).node);
    });
  }
  if (without_ == prism::Without::kAllocation) blocks_->server.keep_lists();
  endpoint_.serve_chains(blocks_->server);
  for (std::uint32_t w = 0; w < endpoint_.workers(); ++w) {
    rdma::Rpc& rpc = endpoint_.worker(static_cast<WorkerId>(w)).rpc();
    if (without_ == prism::Without::kNothing) continue;
    prism::serve_buffers(rpc, blocks_->server, layout_.lists().size());
    if (without_ == prism::Without::kCas) prism::serve_last_chains(rpc, *blocks_->scavenger);
  }
}

// A fiber has one errand at each replica.
std::uint64_t RsNode::most_buffers_of(NodeId client) const {
  const std::uint64_t workers = endpoint_.links().workers(client);
  return prism::most_buffers(workers, deployment_.fibers, 1,
                             endpoint_.options().rpc.notify_window) +
         workers * prism::most_in_stock(without_);
}

txn::StateAtRest& RsNode::state() {
  if (blocks_ == nullptr) return nothing_;
  return *blocks_->state;
}

void RsNode::start() {
  prism::check_messages(endpoint_.worker(static_cast<WorkerId>(0)).rpc().max_payload(),
                        message_bytes(without_, layout_), "a chain that writes the longest record");
}

std::vector<std::shared_ptr<RsReplica>> RsNode::asked_by(WorkerId worker, std::uint16_t fiber,
                                                         std::uint64_t number) {
  std::vector<std::shared_ptr<RsReplica>> asked;
  rdma::Worker& own = endpoint_.worker(worker);
  Client& client = asking_[worker];
  const RsClient self{.worker = own, .layout = layout_, .clients = clients_, .number = number};
  for (const auto& one : client.errands.of(fiber)) {
    asked.push_back(std::make_shared<RsReplica>(
        own, one, make_rs_access(without_, self, one->replica(), client.stock(one->place())),
        client.reports[one->place()], workers_[worker]));
  }
  return asked;
}

std::unique_ptr<txn::Transaction> RsNode::transaction(WorkerId worker, std::uint16_t fiber) {
  const std::uint64_t number =
      clients_.number_of({.node = endpoint_.node(), .worker = worker, .fiber = fiber});
  return std::make_unique<RsOperation>(endpoint_.worker(worker), deployment_, layout_, options_,
                                       number, asked_by(worker, fiber, number),
                                       asking_[worker].errands.of(fiber), workers_[worker]);
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
  for (std::uint32_t place = 0; place < client.reports.size(); ++place) {
    bodies.emplace_back([&client, &own, place] {
      prism::give_back_when_due(own, client.reports[place], client.stock(place),
                                [&client] { return client.errands.ended(); });
    });
  }
  return bodies;
}

}  // namespace verbena::txn::blocks
