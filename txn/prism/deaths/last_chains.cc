// A question to a server.
#include "txn/prism/deaths/last_chains.h"

#include <cstdint>
#include <span>

#include "rdma/base/message_io.h"
#include "rdma/rpc/rpc.h"
#include "rdma/rpc/rpc_batch.h"
#include "rdma/worker.h"
#include "txn/prism/buffers/scavenger.h"

namespace verbena::txn::prism {
namespace {

constexpr rdma::RpcMethod kHaveEnded = 4;  // after those of Deaths, and Pilaf's

struct Question {
  std::uint64_t client;
};
struct Answer {
  std::uint64_t ended;  // 1: they have
};

}  // namespace

void serve_last_chains(rdma::Rpc& rpc, const Scavenger& scavenger) {
  const std::uint32_t nodes = rpc.health().nodes();
  rpc.serve(kHaveEnded,
            [&scavenger, nodes](const rdma::RpcCaller&, std::span<const std::byte> request,
                                rdma::RpcReply& reply) {
              const auto asked = MessageReader(request).take<Question>();
              check_below(asked.client, nodes, "client that is dead");
              const bool ended = scavenger.has_ended(static_cast<NodeId>(asked.client));
              MessageWriter(reply.allocate(sizeof(Answer))).put(Answer{ended ? 1U : 0U});
            });
}

bool have_ended(rdma::Worker& worker, NodeId server, NodeId client) {
  rdma::RpcBatch call(worker.rpc());
  const Question question{client};
  call.add(server, kHaveEnded, std::as_bytes(std::span(&question, 1)));
  call.post();
  call.wait();
  return call.take(0, [](std::span<const std::byte> reply) {
    return MessageReader(reply).take<Answer>().ended == 1;
  });
}

}  // namespace verbena::txn::prism
