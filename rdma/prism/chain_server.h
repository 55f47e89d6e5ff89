// A node whose cores carry out chains for others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "rdma/base/cache_line.h"
#include "rdma/base/message_io.h"
#include "rdma/base/spin_lock.h"
#include "rdma/base/types.h"
#include "rdma/chain/chain_state.h"
#include "rdma/chain/free_list.h"
#include "rdma/chain/operation_epochs.h"
#include "rdma/chain/operation_run.h"
#include "rdma/device/device_context.h"
#include "rdma/memory/region.h"
#include "rdma/prism/buffer_holders.h"
#include "rdma/prism/line_locks.h"
#include "rdma/rpc/rpc.h"
#include "rdma/seam/core.h"
#include "rdma/seam/prismdv.h"

namespace verbena::rdma {

/// The software executor (PRISM paper, section 4.1): a chain is one call, which a worker carries
/// out from its first operation to its last. Within a cache line, operations of all workers are
/// atomic to each other; what lies in several lines may be torn. Nothing but chains may touch the
/// memory that it serves once the run has begun: neither NICs nor other code knows its locks.
///
/// Where the node's NIC carries out chains (go_to), this only keeps its free lists: it takes the
/// buffers that clients give back, and posts them to the NIC.
///
/// One for a node, set up by one thread; afterwards each worker carries out its own calls.
class ChainServer {
 public:
  /// Serves on a node of so many workers.
  explicit ChainServer(std::uint32_t workers) : epochs_(workers), executors_(workers) {}
  ChainServer(const ChainServer&) = delete;
  ChainServer& operator=(const ChainServer&) = delete;

  /// Lets chains name `region`, which must outlive this.
  void add_memory(Region& region, MemoryRights rights = {});

  /// Adds an empty list of `buffers` buffers of `buffer_bytes`, whole cache lines that lie in
  /// `region`, which was added, from `first` > 0 on, in no other list. Lists are numbered from 0,
  /// over all regions. Throws std::logic_error for what cannot be.
  FreeListId add_free_list(RegionId region, std::uint64_t first, std::uint32_t buffer_bytes,
                           std::uint32_t buffers);
  /// Returns a list, as it is now; those of a NIC as it has told last.
  FreeList& free_list(FreeListId id);

  /// Keeps the lists from NICs: no chain takes a buffer, the server's own code does. Before
  /// go_to().
  void keep_lists() { keeps_lists_ = true; }

  /// True where the NIC carries out chains. Nobody notes which buffers a client has then, so those
  /// of a dead one are lost.
  bool by_nic() const { return device_ != nullptr; }

  /// Has the worker of `rpc` serve its peers.
  void serve(Rpc& rpc);

  /// Makes the lists, those there are and those to come, on the NIC of `device`, by which the
  /// regions are registered, and posts what is free to it. From now on that NIC alone takes
  /// buffers. `device` must outlive this. Throws VerbsError.
  void go_to(const DeviceContext& device);

  /// The chains that are being carried out now, and whether these have ended. Thread-safe.
  Epochs::InFlight in_flight() const { return epochs_.now(); }
  bool over(Epochs::InFlight& in_flight) const { return epochs_.over(in_flight); }

  /// Puts the buffers of a list that `client` has (BufferHolders) back into it, for a client that
  /// is known to be dead at this node, once the chains that were in flight then have ended, after
  /// which it gets no other. Returns how many. Whatever it still reports counts for nothing. Knows
  /// only of pointers that are replaced by a compare-and-swap whose operand an ALLOCATE of the same
  /// chain has left in the scratch. Thread-safe.
  std::uint64_t scavenge(FreeListId list, NodeId client);

 private:
  struct Memory {
    Region* region;
    MemoryRights rights;
    std::vector<FreeList*> lists;  // [FreeListId]
    std::unique_ptr<LineLocks> locks;
  };
  // A buffer that a chain has taken, and where it has left its offset for later operations.
  struct Taken {
    FreeListId list;
    std::uint64_t buffer;
    Place at;
    bool placed = false;  // a pointer leads to it by now
  };
  // Memory that a worker needs for a chain, kept from one to the next.
  struct alignas(kCacheLineBytes) Executor {
    NodeId client;
    std::vector<Operation> operations;
    std::vector<Taken> taken;
    std::vector<std::byte> room;   // for what operations read
    std::vector<std::byte> reply;  // as it will be sent
  };

  /// A list on a NIC.
  struct NicFreeList {
    const prismdv_table* table;
    prismdv_free_list* list;
    std::unique_ptr<SpinLock> lock;  // of the steps that follow it
  };

  Memory* memory_of(RegionId region);
  void make_on_nic(FreeListId id);
  void carry_out(Rpc& rpc, NodeId client, std::span<const std::byte> request, RpcReply& reply);
  std::size_t carry_out(Rpc& rpc, Memory* memory, Executor& executor, MessageWriter& writer);
  std::size_t take_turn(Core& core, Memory* memory, const Operation& operation, ChainState& state,
                        Executor& executor, MessageWriter& reply);
  void access(Core& core, Memory& memory, const Operation& operation, Executor& executor,
              OperationRun& run);
  static void note_taken(const Operation& operation, const OperationResult& result,
                         Executor& executor);
  void note_replaced(const Operation& operation, Executor& executor,
                     std::span<const std::byte> before, std::span<const std::byte> after);
  void note_kept(const Executor& executor);
  void give_back(Core& core, NodeId client, std::span<const std::byte> notification);

  /// Epochs of the cores, or of the NIC that carries out chains.
  class ServerEpochs final : public Epochs {
   public:
    explicit ServerEpochs(std::uint32_t workers) : cores(workers) {}
    InFlight now() const override;
    bool over(InFlight& in_flight) const override;

    OperationEpochs cores;
    const DeviceContext* device = nullptr;  // whose NIC carries out chains
  };

  ServerEpochs epochs_;
  std::vector<Executor> executors_;
  std::vector<Memory> memories_;
  std::vector<std::unique_ptr<FreeList>> lists_;
  std::vector<std::unique_ptr<BufferHolders>> holders_;  // [FreeListId]
  bool keeps_lists_ = false;
  const DeviceContext* device_ = nullptr;  // whose NIC takes buffers
  std::vector<NicFreeList> on_nic_;        // [FreeListId]; empty: cores take buffers
};

}  // namespace verbena::rdma
