// Moves of old versions before a writer needs their places.
#pragma once

#include <cstdint>
#include <vector>

#include "rdma/seam/first_touch_memory.h"
#include "rdma/worker.h"
#include "txn/nam/records/layout.h"
#include "txn/nam/versions/overflow.h"

namespace verbena::txn::nam {

/// Makes a hint, a cell like a header: the record whose old versions need moving soon, as its
/// `version`, and the number of versions that it had by then, as its `installs`.
OldHeader hint_of(const RecordName& name, std::uint64_t entry, std::uint32_t installs);

/// Moves old versions to overflow, as a background fiber of a memory server's first worker (NAM-DB
/// paper, section 5.3). The paper's mover scans for work; this one is told by hints. A writer whose
/// new version leaves no place for the next one WRITEs a hint behind it, into one of its own cells,
/// used in turn. The mover looks at all cells now and then. A hint overwritten before it was seen
/// costs the record's next writer a call (Method::kMove).
class Mover {
 public:
  /// All arguments must outlive it.
  Mover(const Layout& layout, rdma::FirstTouchMemory& memory, Overflow& overflow);

  /// Body of the fiber, which runs as long as others do.
  void run(rdma::Worker& worker);

 private:
  void look(std::uint32_t fiber, rdma::Worker& worker);
  void take(const OldHeader& hint, rdma::Worker& worker);

  const Layout& layout_;
  rdma::FirstTouchMemory& memory_;
  Overflow& overflow_;
  std::vector<OldHeader> seen_;  // of each fiber, its cells
};

}  // namespace verbena::txn::nam
