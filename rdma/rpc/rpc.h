// Remote procedure calls over UD datagrams, executed exactly once, and notifications that need no
// reply.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "rdma/base/time.h"
#include "rdma/base/types.h"
#include "rdma/device/doorbell.h"

namespace verbena::rdma {

class RpcBatch;
class RpcEngine;
class Worker;
struct WorkerCounters;

/// Which procedure a request asks for, 0 to 255.
using RpcMethod = std::uint8_t;

/// Who asks.
struct RpcCaller {
  NodeId node;
  WorkerId worker;
};

/// The reply that a handler fills in. Not allocating anything means an empty reply; a
/// notification's is discarded.
class RpcReply {
 public:
  /// Memory for the reply's payload, in the buffer from which it is sent; at most max_payload()
  /// bytes, uninitialized. Called at most once.
  std::span<std::byte> allocate(std::size_t bytes);

  /// Of what was allocated; 0: nothing.
  std::size_t bytes() const;

 private:
  friend class RpcEngine;
  explicit RpcReply(RpcEngine& engine) : engine_(engine) {}
  RpcEngine& engine_;
  std::uint32_t buffer_ = UINT32_MAX;  // holds header and payload
};

/// Runs on the event loop, or on the calling fiber when caller and callee are the same node. Never
/// suspends, and sends nothing but its reply. `request` is valid until it returns; it is 8 B
/// aligned.
using RpcHandler = std::function<void(const RpcCaller& caller, std::span<const std::byte> request,
                                      RpcReply& reply)>;

/// The RPCs of one worker, whose peers are the workers of the same number on the other nodes
/// (DrTM+H paper, section 3.1). Datagrams may be lost, duplicated and reordered; effects are
/// exactly once nevertheless: requests are repeated until answered, a request that was executed
/// before is answered from the reply kept in its slot.
class Rpc {
 public:
  explicit Rpc(Worker& worker);
  ~Rpc();

  /// Installs the handler of `method`, before run(). Every node must serve the same methods.
  void serve(RpcMethod method, RpcHandler handler);

  /// Sends a request whose execution the caller does not wait for (section 3.2, passive ACK for
  /// two-sided primitives): executed exactly once, in any order, acknowledged by whatever message
  /// comes back. Suspends the fiber while the window to the peer is full. `request` is free on
  /// return. To the own node: runs the handler directly.
  void notify(NodeId peer, RpcMethod method, std::span<const std::byte> request,
              Doorbell doorbell = Doorbell::kBatched);

  /// The largest request or reply, in bytes; the same on all nodes that have the same MTU.
  std::size_t max_payload() const;

  /// For RpcBatch, Worker and Endpoint.
  RpcEngine& engine() { return *engine_; }

 private:
  std::unique_ptr<RpcEngine> engine_;
};

}  // namespace verbena::rdma
