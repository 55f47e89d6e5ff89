// Reads of versions in overflow.
#pragma once

#include <cstdint>
#include <optional>

#include "txn/nam/attempt/access_set.h"
#include "txn/nam/attempt/attempt.h"
#include "txn/nam/records/record_image.h"
#include "txn/schema/table.h"

namespace verbena::txn::nam {

/// Follows the links of a record's versions in overflow (Overflow), from the newest to the one that
/// the snapshot holds. Each link names the version that it leads to, so only the wanted version is
/// read whole. A version that does not match its link was forgotten, and so were all before it; so
/// every link is checked against what it leads to, even a version without an image. Belongs to the
/// transaction's fiber.
class OverflowReads {
 public:
  OverflowReads(Attempt& attempt, AccessSet& accesses) : attempt_(attempt), accesses_(accesses) {}

  /// Looks for the version at `link` or before it. Dooms the attempt where the link leads nowhere.
  void follow(Access& access, const OldHeader& link);

  // Add the READs of kLink or kMoved to the attempt's requests.
  void request_link(Access& access);
  void request_moved(Access& access);
  // Evaluate what these have read.
  void take_link(Access& access);
  void take_moved(Access& access);

  /// Tells if a record that a scan has listed is in the snapshot, by its versions in overflow from
  /// `link` on. Waits. `cells`: scratch memory for kCellsOfMoved. Returns nothing if no kept
  /// version is in the snapshot, or the attempt is doomed.
  std::optional<bool> present(const RecordName& name, std::uint64_t entry, OldHeader link,
                              OldHeader* cells);

 private:
  void read_link(const RecordName& name, const OldHeader& link, OldHeader* cells);

  Attempt& attempt_;
  AccessSet& accesses_;
};

}  // namespace verbena::txn::nam
