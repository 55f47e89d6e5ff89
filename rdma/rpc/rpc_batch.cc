// Several remote procedure calls of one fiber, in flight together.
#include "rdma/rpc/rpc_batch.h"

#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>

#include "rdma/base/errors.h"
#include "rdma/rpc/rpc.h"

namespace verbena::rdma {
namespace {

/// Payloads begin 8 B aligned, so that both sides can read them as structures.
std::size_t aligned(std::size_t bytes) { return (bytes + 7) / 8 * 8; }

}  // namespace

RpcBatch::RpcBatch(Rpc& rpc) : rpc_(rpc), owner_(rpc.calls().add_owner(*this)), waiter_(kNoFiber) {}

RpcBatch::~RpcBatch() { rpc_.calls().remove_owner(owner_); }

std::span<std::byte> RpcBatch::reserve(NodeId peer, RpcMethod method, std::size_t bytes) {
  if (bytes > rpc_.max_payload()) {
    throw std::logic_error("request of " + std::to_string(bytes) + " bytes exceeds max_payload()");
  }
  rpc_.check_peer(peer);
  const std::size_t at = requests_.size();
  requests_.resize(at + aligned(bytes));
  calls_.push_back({peer, method, static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(bytes),
                    0, kNoReply});
  return std::span(requests_).subspan(at, bytes);
}

std::size_t RpcBatch::add(NodeId peer, RpcMethod method, std::span<const std::byte> request) {
  const std::span<std::byte> copy = reserve(peer, method, request.size());
  if (!request.empty()) std::memcpy(copy.data(), request.data(), request.size());
  return calls_.size() - 1;
}

void RpcBatch::post(Doorbell doorbell) { rpc_.post(*this, doorbell); }

void RpcBatch::wait() {
  while (pending_ > 0) {
    waiter_ = rpc_.thread().current_fiber();
    rpc_.thread().suspend();
  }
  waiter_ = kNoFiber;
  const std::int32_t missing = std::exchange(missing_, -1);
  if (missing >= 0) {
    throw PeerMissing(rpc_.health().describe(static_cast<NodeId>(missing)) +
                      " did not answer node " + std::to_string(rpc_.thread().node()) + " (worker " +
                      std::to_string(rpc_.thread().id()) + ")");
  }
}

void RpcBatch::store_reply(std::size_t index, std::span<const std::byte> reply) {
  const std::size_t at = replies_.size();
  replies_.resize(at + aligned(reply.size()));
  if (!reply.empty()) std::memcpy(replies_.data() + at, reply.data(), reply.size());
  calls_[index].reply_at = static_cast<std::uint32_t>(at);
  calls_[index].reply_bytes = static_cast<std::uint32_t>(reply.size());
}

std::span<const std::byte> RpcBatch::reply(std::size_t index) const {
  if (pending_ > 0 || index >= posted_ || calls_[index].reply_bytes == kNoReply) {
    throw std::logic_error("no reply has come for this call");
  }
  return std::span(replies_).subspan(calls_[index].reply_at, calls_[index].reply_bytes);
}

void RpcBatch::refuse(std::size_t index, const Malformed& wrong) const {
  throw PeerError("reply of " + rpc_.health().describe(calls_[index].peer) + " to worker " +
                  std::to_string(rpc_.thread().id()) + " of node " +
                  std::to_string(rpc_.thread().node()) + ", by method " +
                  std::to_string(calls_[index].method) + ": " + wrong.what());
}

std::vector<NodeId> RpcBatch::awaited() const {
  std::vector<NodeId> peers;
  for (const Call& call : std::span(calls_).first(posted_)) {
    if (call.reply_bytes == kNoReply) peers.push_back(call.peer);
  }
  return peers;
}

void RpcBatch::clear() {
  if (pending_ > 0) throw std::logic_error("clear of a batch with calls in flight");
  calls_.clear();
  requests_.clear();
  replies_.clear();
  posted_ = 0;
}

}  // namespace verbena::rdma
