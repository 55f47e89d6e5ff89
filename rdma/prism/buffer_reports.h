// Buffers that nothing refers to any longer, on their way back to their servers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "rdma/base/types.h"
#include "rdma/chain/operation.h"
#include "rdma/prism/prism_methods.h"

namespace verbena::rdma {

class Rpc;

/// Collects the buffers that a worker's fibers give back, and reports several at once to their
/// servers (PRISM paper, section 3.2). A fiber that replaced a pointer gives back the buffer it led
/// to; a fiber whose swap failed, the buffer that was allocated for it. Fewer than kAtOnce stay
/// until flush(), which a fiber that is idle has to call now and then. Used by one worker.
class BufferReports {
 public:
  static constexpr std::size_t kAtOnce = 16;

  /// Reports by notifications of `method`, each a GivenBack with offsets.
  explicit BufferReports(Rpc& rpc, RpcMethod method = kGiveBuffersBack)
      : rpc_(rpc), method_(method) {}

  /// Gives back the buffer at `offset` of a list of `server`, to which no pointer leads. Reports to
  /// the server when there are enough, and may suspend the fiber then.
  void give_back(NodeId server, FreeListId list, std::uint64_t offset);

  /// Reports all collected buffers to their servers. May suspend the fiber.
  void flush();

  /// Number of buffers collected since the last message to their server.
  std::size_t waiting() const;

 private:
  struct Collected {
    NodeId server;
    FreeListId list;
    std::vector<std::uint64_t> offsets;
  };

  std::size_t at_once() const;
  void send(std::size_t index);

  Rpc& rpc_;
  const RpcMethod method_;
  std::vector<Collected> collected_;
};

}  // namespace verbena::rdma
