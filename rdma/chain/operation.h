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

/// How the operand of a compare-and-swap has to stand to what is in memory: with kGreater it swaps
/// where the operand is greater (section 3.3, table 1). Unsigned, word by word, the word at the
/// lowest address being the most significant one.
enum class CompareMode : std::uint8_t {
  kEqual,
  kNotEqual,
  kGreater,
  kGreaterOrEqual,
  kLess,
  kLessOrEqual,
  kAlways,
};

/// Memory of a connection at the server, in which operations of one chain leave values for later
/// ones (section 4.2). Its content is undefined when a chain begins.
inline constexpr std::size_t kScratchBytes = 32;
using Scratch = std::array<std::byte, kScratchBytes>;

/// The largest operand of a compare-and-swap, in bytes.
inline constexpr std::size_t kMostOperandBytes = 32;
inline constexpr std::size_t kMostOperandWords = kMostOperandBytes / 8;

/// The most operations of one chain.
inline constexpr std::size_t kMostOperations = 16;

/// Bytes at a server, or those that the request itself carries.
struct Place {
  enum class Where : std::uint8_t {
    kRequest,  ///< of a source: in the request; of a result: it goes back to who asked
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

/// One operation. Which members count depends on the opcode; `defect` tells what does not fit.
/// Pointers in memory are offsets from the beginning of the chain's region.
struct Operation {
  ChainOpcode opcode = ChainOpcode::kRead;
  bool conditional = false;      ///< skipped unless the operation before it was successful
  bool target_indirect = false;  ///< the target is where a pointer lies, which is followed
  bool bounded = false;          ///< behind the pointer lies how many bytes there are at most
  CompareMode mode = CompareMode::kEqual;  ///< of a compare-and-swap
  Place target;              ///< of all but ALLOCATE; in scratch of READ and WRITE only, and direct
  std::uint32_t length = 0;  ///< in bytes; of a compare-and-swap 8, 16 or 32, of FETCH_AND_ADD 8
  FreeListId free_list = 0;  ///< of ALLOCATE
  Place data;  ///< source of WRITE and ALLOCATE; the new value of a compare-and-swap; what is added
  Place compare;                       ///< of a compare-and-swap: what memory is compared with
  Place redirect;                      ///< where the result goes; of all but WRITE
  std::span<const std::byte> payload;  ///< source of WRITE and ALLOCATE in the request
  OperandWords swap_words{};           ///< operands in the request
  OperandWords compare_words{};
  OperandWords swap_mask{};     ///< bits that are replaced
  OperandWords compare_mask{};  ///< bits that are compared
};

/// The end of an operation, for whoever asked for it.
enum class ChainOutcome : std::uint8_t {
  kDone,
  kNotSwapped,  ///< the comparison failed; the old value is the result all the same
  kNoBuffer,    ///< the free list was empty
  kSkipped,     ///< it was conditional, and the operation before it was not successful

  // Errors, after which the rest of the chain is flushed.
  kInvalid,      ///< flags, sizes or alignment that no operation may have
  kAccessError,  ///< outside of the region, the scratch or the free lists, or without the right
  kLengthError,  ///< more than a buffer of the list holds
  kFlushed,      ///< not begun, since one before it was an error
};

/// True when operations that are conditional on this one run.
constexpr bool successful(ChainOutcome outcome) { return outcome == ChainOutcome::kDone; }

constexpr bool is_error(ChainOutcome outcome) { return outcome >= ChainOutcome::kInvalid; }

/// For people: "not swapped".
const char* outcome_text(ChainOutcome outcome);

/// Tells why no server carries `operation` out whatever its memory holds, as a phrase for people;
/// null: one may.
const char* defect(const Operation& operation);

/// The most bytes of result that go back to who asked: of READs and atomics that are not
/// redirected, and of every ALLOCATE, whose address is told in any case.
std::uint32_t most_returned(const Operation& operation);

}  // namespace verbena::rdma
