// Operations: for each kind of work request, how the stations of the model treat it.
//
// A station asks a request's operation; it never compares opcodes. The rows of libibverbs' opcodes
// are in operations.h, which also tells how to add others.
#pragma once

#include <infiniband/verbs.h>

#include <array>
#include <cstdint>

#include "simnic/nic/counters.h"
#include "simnic/profile/profile.h"

namespace verbena::simnic {

/// Effect on the memory that a request names at its responder.
enum class Effect : std::uint8_t {
  kNone,  ///< names none: its payload goes to the memory of a receive request
  kWrite,
  kRead,
  kCompareAndSwap,
  kFetchAndAdd,
  kChain,  ///< an operation of PRISM, which its payload describes (ChainExecutor)
};

/// Order in which chaos mode makes the accesses of one request, at different times.
enum class LineOrder : std::uint8_t {
  kAtOnce,         ///< in one access
  kUpwards,        ///< cache lines by rising address, as PCIe orders writes
  kFromAnywhere,   ///< cache lines, beginning at any of them
  kReadThenWrite,  ///< one word, written later than it was read
};

/// Properties that nearly every event asks for. A request has a copy of those of its operation.
struct OperationTraits {
  Effect effect = Effect::kNone;
  bool carries_payload : 1 = false;    ///< brings data to the responder
  bool returns_data : 1 = false;       ///< brings data from there into the requester's memory
  bool returns_payload : 1 = false;    ///< as payload; else the word found, in a header
  bool takes_receive : 1 = false;      ///< takes a receive request, which completes
  bool has_immediate : 1 = false;      ///< gives that completion immediate data
  bool by_receivers : 1 = false;       ///< taken by the responder's receive units; else by `units`
  bool counts_as_read : 1 = false;     ///< limited by the outstanding reads of a queue pair
  bool takes_atomic_slot : 1 = false;  ///< has the operands of `wr.atomic`, and takes a slot
};

/// A constant of a NIC's profile.
using NicTime = Picoseconds NicProfile::*;
using NicBytes = std::int64_t NicProfile::*;

/// One kind of work request.
struct Operation {
  std::uint8_t opcode = 0;  ///< ibv_wr_opcode, or a number behind them
  OperationTraits traits;

  // For posting.
  std::uint8_t queue_pair_types = 0;   ///< types that may post it; see type_bit
  std::uint8_t wqe_segment_bytes = 0;  ///< of segments beside control, address vector and data
  std::uint8_t only_bytes = 0;         ///< length that it must have; 0: any
  Counter counter = Counter::kCount;   ///< counts those posted

  // For the responder.
  std::uint8_t access = 0;     ///< ibv_access_flags needed there
  std::uint8_t alignment = 1;  ///< of the remote address, a power of two
  LineOrder line_order = LineOrder::kAtOnce;

  // For completions, as ibv_wc_opcode.
  std::uint8_t completes_as = 0;  ///< at the requester
  std::uint8_t received_as = 0;   ///< of the receive request; meaningless where none is taken

  // Constants of profiles, which Machine adds up. Headers come once per message; null: no more.
  NicTime requester_service = nullptr;  ///< of a processing unit
  NicTime responder_service = nullptr;  ///< of a processing unit
  std::array<NicBytes, 2> request_headers{};
  std::array<NicBytes, 2> response_headers{};
};

/// The bit of a type in Operation::queue_pair_types.
constexpr std::uint8_t type_bit(ibv_qp_type type) { return static_cast<std::uint8_t>(1U << type); }

inline bool may_post(ibv_qp_type type, const Operation& operation) {
  return (operation.queue_pair_types >> type & 1) != 0;
}

}  // namespace verbena::simnic
