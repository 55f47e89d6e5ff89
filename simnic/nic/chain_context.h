// The responder's state of a queue pair that PRISM's operations come by, and that of its NIC.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "rdma/chain/chain_state.h"
#include "rdma/chain/free_list.h"
#include "rdma/chain/operation_run.h"
#include "rdma/seam/prismdv.h"
#include "simnic/engine/meetings.h"
#include "simnic/nic/chain_work.h"
#include "simnic/nic/order_waits.h"
#include "simnic/nic/packet.h"
#include "simnic/nic/running_operations.h"

namespace verbena::simnic {

struct ChainContext;

/// An access to memory on its way over PCIe, which happens at the event that was scheduled for it.
struct ChainAccess {
  enum class Kind : std::uint8_t {
    kFetch,     ///< of a pointer or an operand
    kRead,      ///< of what is asked for
    kWrite,     ///< of data; nobody waits for it
    kRedirect,  ///< of a result, for which the operation waits
    kUpdate,    ///< compare-and-swap or addition
    kNone,      ///< nothing: what was accessed last reaches the NIC
  };
  Kind kind = Kind::kNone;
  std::uint64_t offset = 0;  ///< in the region
  std::span<std::byte> into;
  std::span<const std::byte> from;

  // Chaos: cache lines accessed at different times; of an update, its read and its write.
  std::uint32_t lines = 0;  ///< 0: not begun
  std::uint32_t lines_done = 0;
  std::uint32_t first_line = 0;
  Picoseconds end{};  ///< by then all of it happens
  Appointment appointment;

  std::size_t bytes() const { return from.empty() ? into.size() : from.size(); }
};

/// One operation, from its arrival to its answer.
struct ChainExecution {
  Packet* packet = nullptr;
  ChainContext* context = nullptr;
  bool arrived = false;  ///< has passed the processing unit
  bool begun = false;
  bool known = false;           ///< its outcome is known at the NIC
  bool counted = false;         ///< among the operations that run
  bool fetched = false;         ///< something was fetched, so further fetches overlap with that
  bool accessed = false;        ///< its first access was scheduled
  bool touched = false;         ///< its first access was made, or at least begun
  std::uint64_t number = 0;     ///< among the operations that run
  std::uint32_t events = 0;     ///< number of events scheduled for it
  Picoseconds fetches_begin{};  ///< time of the first fetch
  Picoseconds behind{};         ///< time from an access to when the NIC has what it read
  Picoseconds last_time{};      ///< of its last access
  rdma::ChainMemory memory;
  std::vector<rdma::FreeList*> lists;
  std::optional<rdma::OperationRun> run;
  rdma::OperationResult result;
  std::vector<std::byte> room;
  std::deque<ChainAccess> accesses;

  const ChainWork& work() const { return *reinterpret_cast<const ChainWork*>(packet->payload); }
  const rdma::Operation& operation() const { return work().operation; }
  /// True if it has made its accesses, but for writes that are on their way.
  bool ended() const { return known || (run && run->next() == nullptr); }
  /// Returns how it ends, if that has come about; before, kDone.
  rdma::ChainOutcome outcome() const {
    return !known && ended() ? run->result().outcome : result.outcome;
  }
  bool answerable() const { return known && accesses.empty() && events == 0; }
};

/// An answer, kept for a requester that did not get it.
struct KeptReply {
  std::uint32_t psn;
  std::vector<std::byte> bytes;  ///< ChainReply, and the data
};

/// State of one queue pair, made by the first operation of PRISM that comes to it.
struct ChainContext {
  rdma::ChainState state;
  bool scratch_on_nic = false;
  bool abandoned = false;               ///< its queue pair was reset, or has failed
  std::deque<ChainExecution*> pending;  ///< accepted and not answered, in order
  std::deque<Packet*> held;             ///< requests of libibverbs behind them, and what follows
  std::deque<KeptReply> kept;           ///< the latest last
  rdma::ChainOutcome last = rdma::ChainOutcome::kDone;  ///< of the operation answered last
  Picoseconds first_access{};                           ///< of the operation that began last
  OrderWaits* order = nullptr;  ///< of its queue pair; null once abandoned by it
};

/// A free list of a NIC.
struct ChainFreeList : prismdv_free_list {
  ChainFreeList(std::uint64_t memory_start, const prismdv_free_list_attr& attr,
                const RunningOperations& running)
      : start(memory_start),
        end(attr.first + std::uint64_t{attr.buffer_bytes} * attr.buffers),
        list(attr.first, attr.buffer_bytes, attr.buffers, running) {}
  std::uint64_t start;  ///< address of the memory that its buffers lie in
  std::uint64_t end;    ///< end of the last buffer there
  rdma::FreeList list;
};

/// State of one NIC for PRISM's operations.
struct NicChains {
  /// A compare-and-swap or addition between its read and its write, in chaos mode.
  struct Update {
    const ChainExecution* by;
    std::uint64_t address;
    std::size_t bytes;
    Picoseconds end;  ///< by then it has written
  };
  RunningOperations running;
  std::vector<std::unique_ptr<ChainFreeList>> lists;  ///< by number; null: destroyed
  std::vector<Update> updates;
  std::int64_t scratch_bytes = 0;  ///< in use on the NIC
};

}  // namespace verbena::simnic
