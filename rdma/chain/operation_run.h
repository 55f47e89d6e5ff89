// One operation that is carried out, step by step, by the code that has the memory.
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

/// Memory that chains may name by one key: a region, what peers may do there, and the lists of free
/// buffers in it.
struct ChainMemory {
  std::uint64_t bytes = 0;
  MemoryRights rights;
  std::span<FreeList* const> free_lists;  ///< [FreeListId]; null: of another region
};

/// The end of an operation, with its result.
struct OperationResult {
  ChainOutcome outcome = ChainOutcome::kDone;
  std::uint32_t length = 0;  ///< bytes that were read or written, of those that were asked for
  /// Bytes that go back to who asked: of READ what it read, of an atomic the old value, of ALLOCATE
  /// the buffer's offset; empty where it was redirected, and of what was not carried out.
  std::span<const std::byte> data;
};

/// The one definition of what operations do (PRISM paper, section 3), which knows neither verbs nor
/// time: it says which bytes have to be looked at or changed next, and an executor does that when
/// its time has come.
///
///     OperationRun run(operation, memory, scratch, room);
///     while (const OperationRun::Access* access = run.next()) {
///       ...                       // does what `access` says
///       run.done();
///     }
///     use(run.result());
///
/// All checks of an access are made before it is asked for. Not thread-safe; uses the free lists,
/// which are.
class OperationRun {
 public:
  enum class Kind : std::uint8_t {
    kPointer,  ///< reads `into`, in one piece: one or two words
    kRead,     ///< reads `into`, which may be torn between cache lines
    kWrite,    ///< writes `from`, likewise
    kUpdate,   ///< reads `into`, in one piece, and writes what apply() then returns, with nothing
               ///< coming between
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

  /// The bytes that an operation needs for what it reads, as many as it claims to.
  static std::uint32_t room_for(const Operation& operation);

  /// Tells what has to be done next; null when it has ended. The same until done().
  const Access* next() const { return access_ ? &*access_ : nullptr; }

  /// Takes what an update found in `into`, and returns what has to be there instead; empty: that
  /// stays.
  std::span<const std::byte> apply();

  /// Goes on, after what next() said has been done.
  void done();

  /// After next() has returned null. Its data lies in `room` or in this object.
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
