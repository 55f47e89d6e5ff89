// Overflow, where old versions go before their places are reused.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "rdma/base/spin_lock.h"
#include "rdma/base/time.h"
#include "rdma/base/types.h"
#include "rdma/seam/core.h"
#include "rdma/seam/first_touch_memory.h"
#include "txn/nam/records/layout.h"
#include "txn/nam/records/record_image.h"

namespace verbena::txn::nam {

/// Header of a version in overflow, in the line before its image; an erased version has no image.
/// It names its record, since lines are reused and one transaction may give several records equal
/// versions.
struct MovedVersion {
  OldHeader own;
  OldHeader record;    ///< its record, as hint_of() gives it
  OldHeader previous;  ///< previous version of the record, and its line

  /// True if this is the version of the record to which `link` leads.
  bool is(const OldHeader& link, const RecordName& name, std::uint64_t entry) const;
};
static_assert(sizeof(MovedVersion) <= kCacheLineBytes);
static_assert(sizeof(MovedVersion) == 3 * sizeof(OldHeader));
/// Number of cells of the header line that are read.
inline constexpr std::uint32_t kCellsOfMoved = sizeof(MovedVersion) / sizeof(OldHeader);

/// Holds a memory server's older versions (NAM-DB paper, sections 4.1 and 5.3).
///
/// A record has K places for old versions, which its writers use in turn. A place may be reused
/// only when its version is marked as moved: the server's CPU has copied it here and linked it to
/// the previous ones. So all versions are kept, K in their places and older ones here, until no
/// snapshot in use can need them. A moved version had been replaced by then, so it is of no use to
/// transactions that begin after its replacement was published, and no transaction lasts longer
/// than `longest_transaction`. Lines may be reused an eighth of that time later; if a writer
/// publishes an installed replacement only then, readers miss the version and abort: they find
/// another version in its place, and take none.
///
/// When overflow is full, writers wait until the oldest moved version may be forgotten. None waits
/// for ever: for a writer that has waited as long as a transaction may last, the oldest moved
/// version is forgotten at once, and readers that still need it abort.
///
/// The CPU writes headers that are not marked as moved, and those of records' newest versions here;
/// NICs write headers that are marked or empty. Thread-safe.
class Overflow {
 public:
  /// `layout` and `memory`, that of the server's records, must outlive it.
  Overflow(const Layout& layout, rdma::FirstTouchMemory& memory, Nanoseconds longest_transaction);

  /// Policy for kept versions when there is no room for another.
  enum class WhenFull : std::uint8_t {
    kKeep,    ///< keeps them; the new one finds no room
    kForget,  ///< forgets the oldest before their time
  };

  /// Copies a record's old versions that are not here yet, oldest first, and marks them as moved,
  /// as far as there is room. Stops at a header that is being written: a place looks empty while it
  /// changes, and a version that is passed over is lost. Nobody writes headers while the caller, or
  /// the writer that asked it, holds the record's lock. Returns false if all are still in their
  /// places, even the oldest, whose place is the next to be used.
  bool move(const RecordName& name, std::uint64_t entry, WhenFull when_full, rdma::Core& core);

  /// Empties a record's headers, when its entry becomes another key's.
  void forget(const RecordName& name, std::uint64_t entry, rdma::Core& core);

  /// Checks the links of a record at rest: its newest version here precedes those in their places,
  /// or is one of them, and the kept ones before it follow each other without gaps.
  bool follows(const RecordName& name, std::uint64_t entry);

 private:
  struct Kept {
    std::uint64_t first;  // line
    Nanoseconds since;
  };
  void lock(rdma::Core& core);
  std::optional<OldHeader> append(const RecordName& name, std::uint64_t entry, const OldHeader& old,
                                  const OldHeader& previous, WhenFull when_full, rdma::Core& core);
  std::optional<std::uint32_t> make_room(std::uint64_t lines, Nanoseconds now);
  std::byte* at(const RemoteAddress& address, std::uint64_t bytes) {
    return memory_.at(address.offset, bytes);
  }

  const Layout& layout_;
  rdma::FirstTouchMemory& memory_;
  const Nanoseconds longest_transaction_;
  SpinLock moving_;
  std::deque<Kept> kept_;           // in order of arrival
  std::uint64_t next_ = 0;          // line behind the last of them
  std::vector<OldHeader> headers_;  // of the record being moved
  std::vector<std::byte> image_;
};

}  // namespace verbena::txn::nam
