// Setting a node up.
#include "txn/kv/pilaf_node.h"

#include <string>

#include "rdma/base/errors.h"
#include "rdma/rpc/rpc.h"
#include "rdma/worker.h"
#include "txn/kv/pilaf_operation.h"
#include "txn/prism/nothing_at_rest.h"
#include "txn/prism/placement.h"

namespace verbena::txn::kv {

PilafNode::PilafNode(rdma::Endpoint& endpoint, const Deployment& deployment, const SystemInfo& info,
                     const prism::DeathOptions& deaths, std::uint64_t spares)
    : endpoint_(endpoint),
      deployment_(deployment),
      layout_(deployment.schema, spares),
      deaths_(endpoint, deployment_.view, deaths, prism::Spared::kClients) {
  for (std::uint32_t w = 0; w < endpoint.workers(); ++w) workers_.emplace_back(info);
  const NodeId node = endpoint.node();
  if (deployment.view.computes(node)) {
    nothing_ = std::make_unique<prism::NothingAtRest>();
    state_ = nothing_.get();
    return;
  }
  // A server has one partition.
  const PartitionId partition = deployment.view.primaries(node).front();
  rdma::Region& region = endpoint.add_region("objects", layout_.region_bytes(),
                                             layout_.loader(partition), layout_.unit_areas());
  server_ = std::make_unique<PilafServer>(layout_, region);
  for (std::uint32_t w = 0; w < endpoint.workers(); ++w) {
    server_->serve(endpoint.worker(static_cast<WorkerId>(w)));
  }
  state_ = server_.get();
}

void PilafNode::start() {
  prism::check_messages(endpoint_.worker(static_cast<WorkerId>(0)).rpc().max_payload(),
                        PilafOperation::message_bytes(layout_), "a PUT of the longest record");
}

std::unique_ptr<txn::Transaction> PilafNode::transaction(WorkerId worker, std::uint16_t) {
  return std::make_unique<PilafOperation>(endpoint_.worker(worker), deployment_, layout_,
                                          workers_[worker]);
}

}  // namespace verbena::txn::kv
