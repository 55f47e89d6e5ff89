// One operation of a chain, carried out step by step by the code that owns the memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "rdma/chain/operation.h"

namespace verbena::rdma {

class FreeList;

/// Accesses that peers may make to a region.
struct MemoryRights {
  bool readable = true;
  bool writable = true;
  bool atomics = true;
};

/// Memory that chains name by one key: a region, the rights of peers there, and its free lists.
struct ChainMemory {
  std::uint64_t bytes = 0;
  MemoryRights rights;
  std::span<FreeList* const> free_lists;  ///< [FreeListId]; null: of another region
};

/// Outcome and result of an operation.
struct OperationResult {
  ChainOutcome outcome = ChainOutcome::kDone;
  std::uint32_t length = 0;  ///< bytes read or written, of those asked for
  /// Bytes that go back to the requester: what a READ read, an atomic's old value, the offset of
  /// the buffer that ALLOCATE took. Empty when redirected, and when not carried out.
  std::span<const std::byte> data;
};

/// Defines what operations do (PRISM paper, section 3), independent of verbs and time. It names the
/// bytes to read or change next; an executor accesses them when their time has come.
///
///     OperationRun run(operation, memory, scratch, room);
///     while (const OperationRun::Access* access = run.next()) {
///       ...                       // does what `access` says
///       run.done();
///     }
///     use(run.result());
///
/// Checks each access before it asks for it. Not thread-safe, but the free lists are.
class OperationRun {
 public:
  enum class Kind : std::uint8_t {
    kPointer,  ///< reads `into`, in one piece: one or two words
    kRead,     ///< reads `into`, which may be torn between cache lines
    kWrite,    ///< writes `from`, likewise
    kUpdate,   ///< reads `into` in one piece, and writes the result of apply(), atomically
  };
  struct Access {
    Kind kind;
    std::uint64_t offset;  ///< in the region
    std::span<std::byte> into;
    std::span<const std::byte> from;
  };

  /// `room` is memory of room_for(operation) bytes; all arguments must outlive it.
  OperationRun(const Operation& operation, const ChainMemory& memory, Scratch& scratch,
               std::span<std::byte> room);

  /// Bytes of room that `operation` needs: as many as it asks to read.
  static std::uint32_t room_for(const Operation& operation);

  /// Returns the next access, the same until done(); null when the operation has ended.
  const Access* next() const { return access_ ? &*access_ : nullptr; }

  /// Takes what an update found in `into`, and returns the bytes to write; empty to leave memory as
  /// it is.
  std::span<const std::byte> apply();

  /// Advances, after the access of next() has been made.
  void done();

  /// Returns the result, after next() has returned null. Its data lies in `room` or in this object.
  const OperationResult& result() const { return result_; }

 private:
  enum class Stage : std::uint8_t {
    kPointer,
    kNewOperand,
    kOldOperand,
    kSource,
    kMain,
    kResult,
    kEnd,
  };

  bool begin();
  bool allowed() const;
  bool places_fit() const;
  bool place_fits(const Place& place, std::uint64_t bytes) const;
  bool covers(std::uint64_t offset, std::uint64_t bytes) const;
  std::optional<Access> step(Stage stage);
  std::optional<Access> fetch_pointer();
  void follow_pointer();
  std::optional<Access> fetch(const Place& place, std::span<std::byte> into);
  std::optional<Access> fetch_source();
  std::optional<Access> access_target();
  std::optional<Access> read_target();
  std::optional<Access> write_target();
  std::optional<Access> allocate();
  std::optional<Access> update_target();
  std::optional<Access> redirect_result();
  std::optional<Access> fail(ChainOutcome outcome);

  const Operation& operation_;
  const ChainMemory& memory_;
  Scratch& scratch_;
  std::span<std::byte> room_;
  Stage stage_ = Stage::kPointer;
  std::optional<Access> access_;
  OperationResult result_;
  std::uint64_t target_ = 0;
  std::span<const std::byte> source_;       // of a WRITE
  std::array<std::uint64_t, 2> pointer_{};  // and bound
  OperandWords new_words_{};                // operands, and then what has to be in memory
  OperandWords compare_words_{};
  std::array<std::byte, kMostOperandBytes> old_{};  // value, or a buffer's offset
};

}  // namespace verbena::rdma
