// The handlers of a recovery.
#include "txn/nam/durability/recovery_service.h"

#include <utility>

#include "rdma/base/message_io.h"
#include "rdma/drain.h"
#include "rdma/endpoint.h"
#include "rdma/rpc/rpc.h"

namespace verbena::txn::nam {

RecoveryService::RecoveryService(rdma::Worker& worker, IndexOf index_of,
                                 std::function<void(const FenceRequest&)> note_dead,
                                 const std::atomic<std::uint32_t>& claims)
    : worker_(worker),
      index_of_(std::move(index_of)),
      note_dead_(std::move(note_dead)),
      claims_(claims) {
  using rdma::RpcCaller;
  using rdma::RpcReply;
  worker.rpc().serve(Method::kFence,
                     [this](const RpcCaller&, Request q, RpcReply& r) { fence(q, r); });
  if (!index_of_) return;
  worker.rpc().serve(Method::kRelease,
                     [this](const RpcCaller&, Request q, RpcReply& r) { release(q, r); });
}

// A claim that began before the fence may lock a key still.
void RecoveryService::fence(Request request, rdma::RpcReply& reply) {
  const auto asked = MessageReader(request).take<FenceRequest>();
  check_below(asked.dead, worker_.endpoint().nodes(), "node that is dead");
  check_below(asked.by, worker_.endpoint().nodes(), "node that finishes transactions");
  worker_.core().reach("nam: queue pairs to a dead server fenced");
  // Before the death is known, and until what follows from it is.
  worker_.endpoint().drain().hold();
  if (worker_.endpoint().connected(asked.dead)) worker_.endpoint().fence(asked.dead);
  note_dead_(asked);
  worker_.endpoint().drain().release();
  MessageWriter(reply.allocate(sizeof(FenceReply)))
      .put(FenceReply{.claims = claims_.load(std::memory_order_acquire), .reserved = 0});
}

void RecoveryService::release(Request request, rdma::RpcReply& reply) {
  const auto asked = MessageReader(request).take<ReleaseRequest>();
  KeyIndex& index = index_of_(asked.partition, asked.table);
  MessageWriter(reply.allocate(sizeof(ReleaseReply))).put(index.release(asked, worker_.core()));
}

}  // namespace verbena::txn::nam
