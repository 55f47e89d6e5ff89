// A node whose cores carry out one-sided requests of others.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "rdma/base/cache_line.h"
#include "rdma/base/message_io.h"
#include "rdma/base/types.h"
#include "rdma/device/peer_health.h"
#include "rdma/memory/region.h"
#include "rdma/prism/line_locks.h"
#include "rdma/prism/request_message.h"
#include "rdma/rpc/rpc.h"
#include "rdma/seam/core.h"

namespace verbena::rdma {

/// Carries out READs, WRITEs and 8 B atomics that peers send as calls, with the effects of a NIC's:
/// atomics are the processor's, longer accesses ascend line by line. An access of one line is
/// atomic for other requests; code of this node that reads the line meanwhile sees its words change
/// one by one.
///
/// One for a node, set up by one thread; afterwards each worker carries out its own calls.
class RequestServer {
 public:
  /// Serves `regions`, [RegionId], on `workers` workers of this node. Regions and `health` must
  /// outlive it.
  RequestServer(std::vector<Region*> regions, const PeerHealth& health, std::uint32_t workers);

  /// Has the worker of `rpc` serve its peers.
  void serve(Rpc& rpc);

  /// Waits until no worker is accessing a line for `peer`, which has been declared dead; none will
  /// afterwards. Thread-safe.
  void await_last_access(NodeId peer) const;

 private:
  struct Request {
    RequestOpcode opcode;
    Region* region;
    std::uint64_t offset;
    std::uint32_t length;
    AtomicOperands operands;
    std::span<const std::byte> payload;
  };
  // Memory that a worker needs for its calls, and a mark of the access of a line that is under way.
  struct alignas(kCacheLineBytes) Executor {
    std::atomic<std::uint32_t> accesses_for{kNobody};
    std::vector<Request> requests;
    std::vector<std::vector<std::uint32_t>> passive;  // messages carried out: [node][worker]
  };
  static constexpr std::uint32_t kNobody = UINT32_MAX;

  void carry_out(Rpc& rpc, const RpcCaller& caller, std::span<const std::byte> message,
                 RpcReply& reply);
  std::size_t take_requests(MessageReader& reader, std::size_t most, std::vector<Request>& to);
  Request take_request(MessageReader& reader);
  std::uint32_t& passive_of(Executor& executor, const RpcCaller& caller) const;
  bool carry_out(Core& core, Executor& executor, NodeId caller, const Request& request,
                 MessageWriter& reply);
  template <typename Access>
  bool access_line(Executor& executor, NodeId caller, Access&& access) const;
  bool copy(Core& core, Executor& executor, NodeId caller, const Request& request, std::byte* to);

  std::vector<Region*> regions_;
  const PeerHealth& health_;
  std::vector<Executor> executors_;
  LineLocks locks_;
};

}  // namespace verbena::rdma
