// One operation of a chain, as a request describes it: READ, WRITE, ALLOCATE, enhanced
// compare-and-swap, or FETCH_AND_ADD.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "rdma/base/types.h"

namespace verbena::rdma {

/// Operations of PRISM (section 3 of its paper), and plain FETCH_AND_ADD, which may stand in a
/// chain as well.
enum class ChainOpcode : std::uint8_t {
  kRead,
  kWrite,
  kAllocate,
  kCompareAndSwap,
  kFetchAndAdd,
};

/// Comparison of a compare-and-swap's operand with memory: kGreater swaps where the operand is
/// greater (section 3.3, table 1). Unsigned, word by word; the word at the lowest address is the
/// most significant.
enum class CompareMode : std::uint8_t {
  kEqual,
  kNotEqual,
  kGreater,
  kGreaterOrEqual,
  kLess,
  kLessOrEqual,
  kAlways,
};

/// Scratch memory of a connection at the server, where operations of one chain leave values for
/// later ones (section 4.2). Its content is undefined when a chain begins.
inline constexpr std::size_t kScratchBytes = 32;
using Scratch = std::array<std::byte, kScratchBytes>;

/// The largest operand of a compare-and-swap, in bytes.
inline constexpr std::size_t kMostOperandBytes = 32;
inline constexpr std::size_t kMostOperandWords = kMostOperandBytes / 8;

/// The most operations of one chain.
inline constexpr std::size_t kMostOperations = 16;

/// Bytes at a server, or in the request itself.
struct Place {
  enum class Where : std::uint8_t {
    kRequest,  ///< of a source: in the request; of a result: back to the requester
    kScratch,
    kMemory,  ///< in the region that the chain names
  };
  Where where = Where::kRequest;
  std::uint64_t offset = 0;  ///< from the beginning of the scratch or the region, in bytes
};

/// Number of a free list at its server.
using FreeListId = std::uint32_t;

/// Words of an operand or a mask, in host order; the first one is the most significant.
using OperandWords = std::array<std::uint64_t, kMostOperandWords>;

/// One operation. The opcode decides which members count; `defect` tells a contradiction. Pointers
/// in memory are offsets from the beginning of the chain's region.
struct Operation {
  ChainOpcode opcode = ChainOpcode::kRead;
  bool conditional = false;      ///< skipped unless the operation before it was successful
  bool target_indirect = false;  ///< the target holds a pointer, which is followed
  bool bounded = false;          ///< a bound follows the pointer: the most bytes there
  CompareMode mode = CompareMode::kEqual;  ///< of a compare-and-swap
  Place target;              ///< all but ALLOCATE; scratch only for direct READ and WRITE
  std::uint32_t length = 0;  ///< in bytes; of a compare-and-swap 8, 16 or 32, of FETCH_AND_ADD 8
  FreeListId free_list = 0;  ///< of ALLOCATE
  Place data;      ///< source of WRITE and ALLOCATE; new value of a compare-and-swap; addend
  Place compare;   ///< compared with memory by a compare-and-swap
  Place redirect;  ///< where the result goes; of all but WRITE
  std::span<const std::byte> payload;  ///< source of WRITE and ALLOCATE in the request
  OperandWords swap_words{};           ///< operands in the request
  OperandWords compare_words{};
  OperandWords swap_mask{};     ///< bits that are replaced
  OperandWords compare_mask{};  ///< bits that are compared
};

/// Outcome of an operation, as its requester learns it.
enum class ChainOutcome : std::uint8_t {
  kDone,
  kNotSwapped,  ///< the comparison failed; the old value is the result all the same
  kNoBuffer,    ///< the free list was empty
  kSkipped,     ///< conditional, and the operation before it was not successful

  // Errors, after which the rest of the chain is flushed.
  kInvalid,      ///< flags, sizes or alignment that no operation may have
  kAccessError,  ///< outside of the region, the scratch or the free lists, or not permitted
  kLengthError,  ///< more than a buffer of the list holds
  kFlushed,      ///< not begun, since one before it was an error
};

/// True when operations that are conditional on this one run.
constexpr bool successful(ChainOutcome outcome) { return outcome == ChainOutcome::kDone; }

/// True when an operation that ended so has a result, which goes back or to where it is redirected.
constexpr bool has_result(ChainOutcome outcome) {
  return outcome == ChainOutcome::kDone || outcome == ChainOutcome::kNotSwapped;
}

constexpr bool is_error(ChainOutcome outcome) { return outcome >= ChainOutcome::kInvalid; }

/// Returns text for people: "not swapped".
const char* outcome_text(ChainOutcome outcome);

/// Returns why no server carries out `operation`, whatever its memory holds, as a phrase for
/// people; null when one may.
const char* defect(const Operation& operation);

/// Returns the most bytes of result that go back to the requester: of READs and atomics that are
/// not redirected, and of every ALLOCATE, which always returns the address.
std::uint32_t most_returned(const Operation& operation);

}  // namespace verbena::rdma
