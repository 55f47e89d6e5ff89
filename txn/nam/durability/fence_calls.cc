// A call for each node.
#include "txn/nam/durability/fence_calls.h"

#include <span>

#include "rdma/base/message_io.h"
#include "rdma/endpoint.h"
#include "txn/nam/durability/unless_dead.h"

namespace verbena::txn::nam {

std::vector<NodeId> FenceCalls::others() const {
  std::vector<NodeId> all = worker_.endpoint().links().peers(worker_.node());
  std::erase(all, worker_.node());
  return all;
}

void FenceCalls::post(const FenceRequest& request, const std::vector<NodeId>& peers) {
  calls_.clear();
  for (const NodeId peer : peers) {
    if (worker_.endpoint().is_dead(peer)) continue;
    Call& call = calls_.emplace_back(peer, worker_.rpc());
    call.batch.add(peer, Method::kFence, std::as_bytes(std::span(&request, 1)));
    if (!unless_dead(worker_.endpoint(), peer, [&] { call.batch.post(); })) calls_.pop_back();
  }
}

std::vector<NodeId> FenceCalls::wait() {
  std::vector<NodeId> again;
  for (Call& call : calls_) {
    unless_dead(worker_.endpoint(), call.peer, [&] {
      call.batch.wait();
      if (take_reply<FenceReply>(call.batch, 0).claims > 0) again.push_back(call.peer);
    });
  }
  calls_.clear();
  return again;
}

}  // namespace verbena::txn::nam
