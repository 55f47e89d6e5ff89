// Setting a node up.
#include "txn/si2pc/node.h"

#include <string>

#include "rdma/base/errors.h"
#include "rdma/rpc/rpc.h"
#include "rdma/rpc/transport/rpc_message.h"
#include "rdma/worker.h"
#include "txn/si2pc/transaction.h"

namespace verbena::txn::si2pc {
namespace {

// The counter server has no records.
class CountersAtRest final : public txn::StateAtRest {
 public:
  explicit CountersAtRest(const Timestamps& timestamps) : timestamps_(timestamps) {}

  bool get(const RecordName&, std::span<std::byte>) override { return false; }
  void visit_changed(TableId, PartitionId, const ChangedRecord&) override {}
  SelfCheck self_check() override {
    SelfCheck check;
    if (timestamps_.pending() > 0) {
      check.errors.push_back("the counter server has " + std::to_string(timestamps_.pending()) +
                             " commits from the first that is not finished on");
    }
    return check;
  }

 private:
  const Timestamps& timestamps_;
};

}  // namespace

Node::Node(rdma::Endpoint& endpoint, const Deployment& deployment, const SystemInfo& info,
           const NodeOptions& options)
    : endpoint_(endpoint),
      deployment_(deployment),
      options_(options),
      layout_(deployment.schema, {.nodes = deployment.view.partitions(), .replicas = 1},
              options.bucket_slots_percent) {
  const NodeId node = endpoint.node();
  if (deployment.view.computes(node)) {
    rdma::Region& region =
        endpoint.add_region("records", layout_.region_bytes(),
                            layout_.loader(deployment_.schema, node), layout_.unit_areas());
    partition_ =
        std::make_unique<Partition>(layout_, node, region.memory(), deployment_.schema, options);
    state_ = &partition_->state;
  } else {
    counters_at_rest_ = std::make_unique<CountersAtRest>(timestamps_);
    state_ = counters_at_rest_.get();
  }
  for (std::uint32_t w = 0; w < endpoint.workers(); ++w) {
    workers_.emplace_back(info);
    services_.emplace_back(endpoint.worker(static_cast<WorkerId>(w)), deployment_.schema,
                           workers_.back());
    if (partition_) {
      services_.back().serve(partition_->records);
    } else {
      services_.back().serve(timestamps_);
    }
  }
}

void Node::start() {
  const std::size_t least =
      Service::least_message_bytes(deployment_.schema) - sizeof(rdma::MessageHeader);
  const std::size_t longest = endpoint_.worker(static_cast<WorkerId>(0)).rpc().max_payload();
  if (longest < least) {
    throw ConfigurationError("messages of " + std::to_string(longest) +
                             " bytes (rdma.rpc_max_message_bytes, or the port's MTU); the longest "
                             "record needs " +
                             std::to_string(least));
  }
}

std::unique_ptr<txn::Transaction> Node::transaction(WorkerId worker, std::uint16_t fiber) {
  return std::make_unique<Si2pcTransaction>(endpoint_.worker(worker), fiber, deployment_,
                                            options_.longest_transaction, workers_[worker]);
}

}  // namespace verbena::txn::si2pc
