// Handlers of RPCs: the procedures that a node carries out when a peer calls it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "rdma/base/types.h"

namespace verbena::rdma {

class Rpc;

/// Procedure that a request asks for, 0 to 255.
using RpcMethod = std::uint8_t;

/// The node and worker that call.
struct RpcCaller {
  NodeId node;
  WorkerId worker;
};

/// The reply that a handler fills in; empty if it allocates nothing. A reply that is not sent,
/// since it answers a notification or its handler threw, gives its memory back.
class RpcReply {
 public:
  ~RpcReply();
  RpcReply(const RpcReply&) = delete;
  RpcReply& operator=(const RpcReply&) = delete;

  /// Memory for the reply's payload, in the buffer from which it is sent; at most max_payload()
  /// bytes, uninitialized. Called at most once.
  std::span<std::byte> allocate(std::size_t bytes);

  /// Size of the allocated payload; 0 without one.
  std::size_t bytes() const;

 private:
  friend class Rpc;
  explicit RpcReply(Rpc& rpc) : rpc_(rpc) {}

  /// Hands the buffer over, an empty one where nothing was allocated.
  std::uint32_t take_buffer();

  Rpc& rpc_;
  std::uint32_t buffer_ = UINT32_MAX;  // holds header and payload
};

/// Runs on the event loop, or on the calling fiber when caller and callee are the same node. Never
/// suspends, and sends nothing but its reply. `request` is valid until it returns; it is 8 B
/// aligned.
using RpcHandler = std::function<void(const RpcCaller& caller, std::span<const std::byte> request,
                                      RpcReply& reply)>;

}  // namespace verbena::rdma
