// A node whose cores carry out chains for others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "rdma/base/message_io.h"
#include "rdma/base/types.h"
#include "rdma/chain/chain_state.h"
#include "rdma/chain/free_list.h"
#include "rdma/chain/operation_epochs.h"
#include "rdma/chain/operation_run.h"
#include "rdma/memory/region.h"
#include "rdma/prism/line_locks.h"
#include "rdma/rpc/rpc.h"
#include "rdma/seam/core.h"

namespace verbena::rdma {

/// The software executor (PRISM paper, section 4.1): a chain is one call, which a worker carries
/// out from its first operation to its last. Within a cache line, operations of all workers are
/// atomic to each other; what lies in several lines may be torn. Nothing but chains may touch the
/// memory that it serves once the run has begun: neither NICs nor other code knows its locks.
///
/// One for a node, set up by one thread; afterwards each worker carries out its own calls.
class PrismServer {
 public:
  /// Serves on a node of so many workers.
  explicit PrismServer(std::uint32_t workers) : epochs_(workers), executors_(workers) {}

  /// Lets chains name `region`, which must outlive this.
  void add_memory(Region& region, MemoryRights rights = {});

  /// Adds an empty list of `buffers` buffers of `buffer_bytes`, whole cache lines that lie in
  /// `region`, which was added, from `first` > 0 on, in no other list. Lists are numbered from 0,
  /// over all regions. Throws std::logic_error for what cannot be.
  FreeListId add_free_list(RegionId region, std::uint64_t first, std::uint32_t buffer_bytes,
                           std::uint32_t buffers);
  FreeList& free_list(FreeListId id) { return *lists_[id]; }

  /// Has the worker of `rpc` serve its peers.
  void serve(Rpc& rpc);

 private:
  struct Memory {
    Region* region;
    MemoryRights rights;
    std::vector<FreeList*> lists;  // [FreeListId]
    std::unique_ptr<LineLocks> locks;
  };
  // Memory that a worker needs for a chain, kept from one to the next.
  struct Executor {
    std::vector<Operation> operations;
    std::vector<std::byte> room;   // for what operations read
    std::vector<std::byte> reply;  // as it will be sent
  };

  Memory* memory_of(RegionId region);
  void carry_out(Rpc& rpc, std::span<const std::byte> request, RpcReply& reply);
  static std::size_t take_turn(Core& core, Memory* memory, const Operation& operation,
                               ChainState& state, std::vector<std::byte>& room,
                               MessageWriter& reply);
  static void access(Core& core, Memory& memory, OperationRun& run);
  void give_back(Core& core, std::span<const std::byte> notification);

  OperationEpochs epochs_;
  std::vector<Executor> executors_;
  std::vector<Memory> memories_;
  std::vector<std::unique_ptr<FreeList>> lists_;
};

}  // namespace verbena::rdma
