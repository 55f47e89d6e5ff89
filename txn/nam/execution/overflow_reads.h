// Reading versions in overflow.
#pragma once

#include <cstdint>
#include <optional>

#include "txn/nam/attempt/access_set.h"
#include "txn/nam/attempt/attempt.h"
#include "txn/nam/records/record_image.h"
#include "txn/schema/table.h"

namespace verbena::txn::nam {

/// Follows what links a record's versions in overflow (Overflow), from the newest to the one that
/// the snapshot holds. Each link tells the version that it leads to, so that only what the snapshot
/// holds is read whole. A version that is not what its link says was forgotten, and with it those
/// before; so no link is believed before what it leads to was seen, also where it leads to a
/// version without an image. Belongs to the transaction's fiber.
class OverflowReads {
 public:
  OverflowReads(Attempt& attempt, AccessSet& accesses) : attempt_(attempt), accesses_(accesses) {}

  /// The version is what `link` leads to, or one before it. Dooms the attempt where it leads
  /// nowhere.
  void follow(Access& access, const OldHeader& link);

  // Add the READs of kLink or kMoved to those of the attempt.
  void request_link(Access& access);
  void request_moved(Access& access);
  // Take what these have read.
  void take_link(Access& access);
  void take_moved(Access& access);

  /// Tells if a record that a scan has listed is in the snapshot, by what is in overflow from
  /// `link` on, for which it waits. `cells` are scratch memory of kCellsOfMoved. Nothing: no
  /// version that is kept is in the snapshot, or the attempt is doomed.
  std::optional<bool> present(const RecordName& name, std::uint64_t entry, OldHeader link,
                              OldHeader* cells);

 private:
  void read_link(const RecordName& name, const OldHeader& link, OldHeader* cells);

  Attempt& attempt_;
  AccessSet& accesses_;
};

}  // namespace verbena::txn::nam
