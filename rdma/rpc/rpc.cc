// Remote procedure calls over UD datagrams: the interface.
#include "rdma/rpc/rpc.h"

#include <stdexcept>
#include <utility>

#include "rdma/rpc/rpc_engine.h"
#include "rdma/worker.h"

namespace verbena::rdma {

std::span<std::byte> RpcReply::allocate(std::size_t bytes) {
  if (buffer_ != kNoBuffer) throw std::logic_error("a reply is allocated once");
  buffer_ = engine_.take_reply_buffer(bytes);
  return engine_.payload(buffer_);
}

std::size_t RpcReply::bytes() const {
  return buffer_ == kNoBuffer ? 0 : engine_.payload(buffer_).size();
}

Rpc::Rpc(Worker& worker)
    : engine_(std::make_unique<RpcEngine>(worker, worker.verbs(), worker.memory())) {}

Rpc::~Rpc() = default;

void Rpc::serve(RpcMethod method, RpcHandler handler) {
  engine_->serve(method, std::move(handler));
}

void Rpc::notify(NodeId peer, RpcMethod method, std::span<const std::byte> request,
                 Doorbell doorbell) {
  engine_->notify(peer, method, request, doorbell);
}

std::size_t Rpc::max_payload() const { return engine_->max_payload(); }

}  // namespace verbena::rdma
