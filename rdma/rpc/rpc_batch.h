// Several remote procedure calls of one fiber, in flight together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "rdma/base/errors.h"
#include "rdma/base/types.h"
#include "rdma/device/doorbell.h"
#include "rdma/rpc/rpc_handler.h"

namespace verbena::rdma {

/// A fiber adds calls, posts them, waits, reads the replies, clears, and uses the object again.
/// Calls to the own node run their handler during post(), without network.
class RpcBatch {
 public:
  explicit RpcBatch(Rpc& rpc);
  /// May be destroyed with calls in flight (while an exception unwinds): their replies are then
  /// dropped.
  ~RpcBatch();
  RpcBatch(const RpcBatch&) = delete;
  RpcBatch& operator=(const RpcBatch&) = delete;

  /// Adds a call and copies `request`, at most max_payload() bytes. Returns its index, from 0.
  /// Throws std::logic_error when there is no connection to `peer` and it is another node.
  std::size_t add(NodeId peer, RpcMethod method, std::span<const std::byte> request);

  /// Adds a call whose request of `bytes` the caller writes in place before post(); the span is
  /// valid until the next add, reserve or post.
  std::span<std::byte> reserve(NodeId peer, RpcMethod method, std::size_t bytes);

  std::size_t size() const { return calls_.size(); }

  /// Sends the added calls; with kBatched together with all else that this turn of the event loop
  /// sends, under one doorbell. Suspends the fiber while all slots to a peer are taken. Throws
  /// PeerMissing for a dead peer.
  void post(Doorbell doorbell = Doorbell::kBatched);

  /// Suspends the fiber until all replies are there. Throws PeerMissing, naming the peer, when the
  /// last retransmission to it went unanswered; the other calls have then completed or failed too.
  void wait();

  /// Returns the reply of call `index`, after wait(). Valid until clear().
  std::span<const std::byte> reply(std::size_t index) const;

  /// Returns the request of call `index`; valid until the next add, reserve or clear().
  std::span<const std::byte> request(std::size_t index) const {
    return std::span(requests_).subspan(calls_[index].request_at, calls_[index].request_bytes);
  }

  /// Returns take(reply of call `index`), after wait(). Malformed, thrown for a reply that no peer
  /// gives, becomes a PeerError that names the peer and the method.
  template <typename Take>
  auto take(std::size_t index, Take&& take) const {
    try {
      return take(reply(index));
    } catch (const Malformed& wrong) {
      refuse(index, wrong);
    }
  }

  /// Returns the peers of the calls that have no reply yet, one for each call.
  std::vector<NodeId> awaited() const;

  /// Forgets calls and replies; none may be in flight.
  void clear();

 private:
  friend class Rpc;
  friend class RpcCalls;
  struct Call {
    NodeId peer;
    RpcMethod method;
    std::uint32_t request_at, request_bytes;  // in requests_
    std::uint32_t reply_at, reply_bytes;      // in replies_; kNoReply: it is not there yet
  };
  static constexpr std::uint32_t kNoReply = UINT32_MAX;

  [[noreturn]] void refuse(std::size_t index, const Malformed& wrong) const;
  void store_reply(std::size_t index, std::span<const std::byte> reply);

  Rpc& rpc_;
  std::uint16_t owner_;  // number by which replies find this batch
  std::uint32_t posted_ = 0;
  std::uint32_t pending_ = 0;
  std::uint32_t waiter_;       // fiber
  std::int32_t missing_ = -1;  // a peer that did not answer
  std::vector<Call> calls_;
  std::vector<std::byte> requests_;
  std::vector<std::byte> replies_;
};

}  // namespace verbena::rdma
