// How the owner's CPU finds, locks and reads a record: for the node's own transactions and, in the
// handler, for its peers'.
#pragma once

#include <cstdint>

#include "rdma/seam/core.h"
#include "txn/schema/table.h"

namespace verbena::txn::occ {

class NodeState;

/// A request for a record of the node's own partition.
struct PrimaryAccess {
  TableId table = 0;
  Key key = 0;
  std::uint64_t owner = 0;  ///< lock word of the transaction
  bool insert = false;      ///< an absent record is added if there is none
  bool lock = false;
  bool lock_if_added = false;  ///< a record that is added in a never used entry is locked anyway
};

/// The record as it was found.
struct PrimaryRecord {
  enum class Status : std::uint8_t {
    kHere,     ///< in `entry`; its record may be absent
    kNowhere,  ///< the index does not have the key; `version` is the stamp of the look-up
    kLocked,   ///< by another transaction
    kChanged,  ///< by another transaction while it was looked at
  };
  Status status = Status::kNowhere;
  bool locked = false;              ///< by this transaction; also when kChanged
  bool locked_since_added = false;  ///< locked before anybody else could find it
  std::uint32_t entry = 0;
  std::uint64_t version = 0;
};

/// Finds the record, adding an absent one for an insert, and locks it as wanted. Spends the CPU's
/// time on `core`.
PrimaryRecord locate_primary(NodeState& node, rdma::Core& core, const PrimaryAccess& wanted);

/// True if a record that was located is absent now.
bool absent_now(NodeState& node, TableId table, const PrimaryRecord& record);

/// Reads version and payload of a record that was located (kHere), or finds it kLocked or kChanged,
/// unless the plan ignores conflicts.
void read_primary(NodeState& node, rdma::Core& core, const PrimaryAccess& wanted,
                  PrimaryRecord& record, std::byte* payload);

/// Gives back the lock of a record of the node's own partition that `owner` has, or took for its
/// own where the plan ignores conflicts.
void unlock_primary(NodeState& node, std::byte* live, std::uint64_t owner);

}  // namespace verbena::txn::occ
