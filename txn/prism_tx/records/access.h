// A record that an attempt wants.
#pragma once

#include <cstdint>
#include <optional>

#include "rdma/base/types.h"
#include "txn/prism_tx/records/timestamp.h"
#include "txn/schema/table.h"

namespace verbena::txn::prism_tx {

/// A record's part in an attempt, besides its Transaction::Item.
struct Access {
  RecordName name;
  NodeId server = 0;
  std::uint64_t passed = 0;           ///< number of slots of other keys before its own
  std::optional<std::uint64_t> slot;  ///< none: keys that were not loaded have none
  Timestamp version = 0;              ///< version read: RC of the paper
  bool validates = false;             ///< the attempt relies on that version
  bool writes = false;                ///< the attempt replaces it
  /// The slot's `written` before this attempt raised it; none if it has not.
  std::optional<Timestamp> raised_from;
};

}  // namespace verbena::txn::prism_tx
