// An echo, and chains of one operation.
#include "experiments/explain/called_service.h"

#include <algorithm>
#include <span>
#include <vector>

#include "experiments/bench/prism_objects.h"
#include "experiments/bench/prism_operation.h"
#include "experiments/explain/two_ends.h"
#include "rdma/base/random.h"
#include "rdma/endpoint.h"
#include "rdma/prism/chain_server.h"
#include "rdma/prism/prism_batch.h"
#include "rdma/rpc/rpc.h"
#include "rdma/rpc/rpc_batch.h"
#include "rdma/worker.h"

namespace verbena::experiments {
namespace {

constexpr rdma::RpcMethod kEcho = 0;

/// Replies with what it is sent.
class Echo final : public CalledService {
 public:
  explicit Echo(const ExplainCommand& command) : command_(command) {}

  std::size_t message_bytes() const override { return command_.payload; }
  void add_memory(rdma::Endpoint&) override {}

  void serve(rdma::Endpoint& callee) override {
    callee.worker(0).rpc().serve(
        kEcho,
        [](const rdma::RpcCaller&, std::span<const std::byte> request, rdma::RpcReply& reply) {
          std::ranges::copy(request, reply.allocate(request.size()).begin());
        });
  }

  void call(rdma::Worker& caller, NodeId callee) override {
    rdma::RpcBatch batch(caller.rpc());
    batch.add(callee, kEcho, std::vector<std::byte>(command_.payload));
    batch.post(command_.doorbell);
    batch.wait();
  }

 private:
  const ExplainCommand& command_;
};

/// Carries out a chain of one operation on the objects of the bench.
class ChainOfOne final : public CalledService {
 public:
  explicit ChainOfOne(const ExplainCommand& command)
      : command_(command),
        operation_(operation_of(command.record.operation)),
        objects_({.operation = operation_, .payload_bytes = command.payload},
                 *links_of_two_ends(command.cluster.nodes, 1)),
        random_(command.cluster.seed, 0, 0, 0) {}

  std::size_t message_bytes() const override { return objects_.message_bytes(); }

  void add_memory(rdma::Endpoint& callee) override {
    callee.add_region("objects", objects_.region_bytes(), objects_.loader());
  }

  void serve(rdma::Endpoint& callee) override { server_ = objects_.serve(callee); }

  void call(rdma::Worker& caller, NodeId callee) override {
    rdma::PrismBatch batch(caller.rpc());
    add_prism_operation(operation_, batch, batch.chain(callee, 0),
                        std::vector<std::byte>(command_.payload), random_);
    batch.post(command_.doorbell);
    batch.wait();
  }

 private:
  const ExplainCommand& command_;
  Operation operation_;
  PrismObjects objects_;
  Random random_;
  std::unique_ptr<rdma::ChainServer> server_;
};

}  // namespace

std::unique_ptr<CalledService> called_service(const ExplainCommand& command) {
  if (command.is_chain()) return std::make_unique<ChainOfOne>(command);
  return std::make_unique<Echo>(command);
}

}  // namespace verbena::experiments
