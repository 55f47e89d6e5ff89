// Where old versions go before their places are needed again.
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

/// Header of a version in overflow, a line of its own before it. An erased one has no image behind
/// it. Lines are used again, and one transaction may give several records versions that are equal
/// but for whose they are.
struct MovedVersion {
  OldHeader own;
  OldHeader record;    ///< hint_of it
  OldHeader previous;  ///< of the same record, and where it lies

  /// True if this is the version of that record which `link` leads to.
  bool is(const OldHeader& link, const RecordName& name, std::uint64_t entry) const;
};
static_assert(sizeof(MovedVersion) <= kCacheLineBytes);
static_assert(sizeof(MovedVersion) == 3 * sizeof(OldHeader));
/// Cells of such a line that are read.
inline constexpr std::uint32_t kCellsOfMoved = sizeof(MovedVersion) / sizeof(OldHeader);

/// A memory server's overflow (NAM-DB paper, sections 4.1 and 5.3). A record has K places for old
/// versions, which its writers use in turn, each only when the version there is marked as moved:
/// its CPU has copied it here, and linked it to those before it. So all versions are kept, K in
/// their places and those before them here, until no snapshot in use can need them: a version that
/// was moved had been replaced by then, and so is no use to transactions that begin later than its
/// replacement's publication; none goes on for longer than `longest_transaction`. A writer that has
/// installed what replaces it and publishes when its lines are used again, which may be an eighth
/// of that time later, makes others abort, who miss it: they find that its place has become another
/// version's, and take none instead.
///
/// Where this is more than there is room for, writers wait until what was moved longest ago may be
/// forgotten. None waits for ever, however many others come: one that has waited as long as a
/// transaction may last has what was moved longest ago forgotten at once, and readers that still
/// need it abort.
///
/// The CPU writes here, into headers that are not marked, and into those that tell a record's
/// newest version here; NICs write headers that are marked, or empty. Thread-safe.
class Overflow {
 public:
  /// `memory`, that of the server's records, and `layout` must outlive it.
  Overflow(const Layout& layout, rdma::FirstTouchMemory& memory, Nanoseconds longest_transaction);

  /// The fate of versions that are kept when there is no room for another.
  enum class WhenFull : std::uint8_t {
    kKeep,    ///< they stay, the other does not come
    kForget,  ///< those that came first are forgotten before their time
  };

  /// Copies a record's old versions that are not here yet, oldest first, and marks them as moved,
  /// as many as there is room for and follow each other: behind one whose header is being written
  /// none is, since a place looks empty while it changes, and what is passed over is lost. Nobody
  /// writes headers while the caller, or who asks it, has locked the record. False: all are still
  /// in their places, also the oldest, whose place is the next to be used.
  bool move(const RecordName& name, std::uint64_t entry, WhenFull when_full, rdma::Core& core);

  /// Makes a record's headers ones of no version, when its entry becomes another key's.
  void forget(const RecordName& name, std::uint64_t entry, rdma::Core& core);

  /// At rest: whether a record's newest version here is the one before those in their places, or
  /// one of these, and those before it follow each other, as far as they are kept.
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
  std::deque<Kept> kept_;   // in the order in which they came, each behind the one before or at the
                            // beginning
  std::uint64_t next_ = 0;  // line behind the last of them
  std::vector<OldHeader> headers_;  // of the record that is being moved
  std::vector<std::byte> image_;
};

}  // namespace verbena::txn::nam
