// Moving old versions before somebody waits for it.
#pragma once

#include <cstdint>
#include <vector>

#include "rdma/seam/first_touch_memory.h"
#include "rdma/worker.h"
#include "txn/nam/records/layout.h"
#include "txn/nam/versions/overflow.h"

namespace verbena::txn::nam {

/// A hint is a cell like a header: which record needs its old versions moved soon, as its version,
/// and how many it had by then.
OldHeader hint_of(const RecordName& name, std::uint64_t entry, std::uint32_t installs);

/// The version mover of a memory server (NAM-DB paper, section 5.3), a fiber in the background of
/// its first worker. The paper's scans for what is to be moved; this one is told: who installs a
/// version for whose successor there is no place WRITEs a hint behind it, into cells of its own,
/// which it uses in turn. The mover looks at all of them now and then. A hint that is
/// overwritten before it was seen costs its record's next writer a call (Method::kMove).
class Mover {
 public:
  /// All must outlive it.
  Mover(const Layout& layout, rdma::FirstTouchMemory& memory, Overflow& overflow);

  /// The body of the fiber, for as long as others run.
  void run(rdma::Worker& worker);

 private:
  void look(std::uint32_t fiber, rdma::Worker& worker);
  void take(const OldHeader& hint, rdma::Worker& worker);

  const Layout& layout_;
  rdma::FirstTouchMemory& memory_;
  Overflow& overflow_;
  std::vector<OldHeader> seen_;  // of each fiber its cells
};

}  // namespace verbena::txn::nam
