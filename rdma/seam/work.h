// The kinds of CPU work that a core is charged for, and their costs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "rdma/base/time.h"

namespace verbena::rdma {

/// Work of the code above the verbs seam. The fabric itself charges for posting and polling, which
/// depend on the NIC (write-combined lines, doorbell registers, locks).
enum class Work : std::uint8_t {
  kEventLoop,     ///< one turn of a worker's event loop that found something to do
  kFiberSwitch,   ///< one switch between two coroutines (DrTM+H paper, section 4.1: about 20 ns)
  kRpcBuild,      ///< writing one RPC message header and choosing its buffer
  kRpcDispatch,   ///< taking one received message to its handler or waiting coroutine
  kPollLine,      ///< looking whether a NIC has written to one cache line
  kCopyLine,      ///< copying one 64 B cache line between buffers
  kCacheProbe,    ///< one look-up in the location cache
  kIndexProbe,    ///< one bucket visited in a hash table
  kIndexInsert,   ///< adding one key to a table's indexes, or taking it out
  kRecordAccess,  ///< reading or writing the header of one record in local memory
  kLocalAtomic,   ///< one compare-and-swap by the CPU
  kLogApply,      ///< applying one logged update at a backup
  kPrismOp,       ///< decoding and carrying out one operation of a chain, but for its copies
  kHostAccess,    ///< one access to the memory of a chain, beyond its copies and atomics
  kCrcLine,       ///< computing the CRC of one cache line
  kTransactionInput,  ///< choosing a transaction's input, and accounting for it in the end
  kTransactionSetup,  ///< beginning and ending one attempt of a transaction
  kTransactionStep,   ///< application logic per record that a transaction touches
  kCount
};

inline constexpr std::size_t kWorkKinds = static_cast<std::size_t>(Work::kCount);

/// Time of a unit of each kind of work. All zero on hardware, where work takes real time.
using WorkCosts = std::array<Picoseconds, kWorkKinds>;

/// The activities on which a core spends its time.
enum class Activity : std::uint8_t {
  kTransactions,  ///< transactions and handlers of RPCs, but for copying
  kCopying,
  kRpc,         ///< messages: writing and parsing them
  kScheduling,  ///< the event loop, switches between coroutines
  kPosting,     ///< work requests: building them, ringing doorbells
  kPolling,     ///< taking completions, looking for written messages
  kEmptyPolls,  ///< polls that found nothing
  kLocks,       ///< locks of the driver: waiting for them and taking them
  kSharing,     ///< waiting for cache lines that other cores have changed
  kCount
};

inline constexpr std::size_t kActivities = static_cast<std::size_t>(Activity::kCount);

/// Returns e.g. "transactions", "empty polls".
const char* activity_name(Activity activity);

/// Returns the activity to which `work` belongs.
constexpr Activity activity_of(Work work) {
  switch (work) {
    case Work::kEventLoop:
    case Work::kFiberSwitch:
      return Activity::kScheduling;
    case Work::kRpcBuild:
    case Work::kRpcDispatch:
      return Activity::kRpc;
    case Work::kPollLine:
      return Activity::kPolling;
    case Work::kCopyLine:
      return Activity::kCopying;
    default:
      return Activity::kTransactions;
  }
}

/// Returns the name of a kind of work as a profile spells it, e.g. "fiber_switch".
const char* work_name(Work work);

}  // namespace verbena::rdma
