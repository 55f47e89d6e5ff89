// Access to a record by its owner's CPU, for the node's own transactions and, in the handler, for
// its peers'.
#pragma once

#include <cstdint>

#include "rdma/seam/core.h"
#include "txn/schema/table.h"

namespace verbena::txn::occ {

class NodeState;

/// Request for a record of the node's own partition.
struct PrimaryAccess {
  TableId table = 0;
  Key key = 0;
  std::uint64_t owner = 0;  ///< lock word of the transaction
  bool insert = false;      ///< add an absent record if there is none
  bool lock = false;
  bool lock_if_added = false;  ///< lock the record if it is added in a never used entry
};

/// Record as it was found.
struct PrimaryRecord {
  enum class Status : std::uint8_t {
    kHere,     ///< in `entry`; the record may be absent
    kNowhere,  ///< key in no index; `version` is the look-up's stamp
    kLocked,   ///< another transaction has locked it
    kChanged,  ///< another transaction changed it during the look-up
  };
  Status status = Status::kNowhere;
  bool locked = false;              ///< by this transaction; also when kChanged
  bool locked_since_added = false;  ///< locked before anybody else could find it
  std::uint32_t entry = 0;
  std::uint64_t version = 0;
};

/// Finds the record, adds an absent one for an insert, and locks it as wanted. Spends CPU time on
/// `core`.
PrimaryRecord locate_primary(NodeState& node, rdma::Core& core, const PrimaryAccess& wanted);

/// True if a located record is absent now.
bool absent_now(NodeState& node, TableId table, const PrimaryRecord& record);

/// Reads version and payload of a located record (kHere), or finds it kLocked or kChanged unless
/// the plan ignores conflicts.
void read_primary(NodeState& node, rdma::Core& core, const PrimaryAccess& wanted,
                  PrimaryRecord& record, std::byte* payload);

/// Releases the lock of a record of the node's own partition that `owner` holds, or believes to
/// hold where the plan ignores conflicts.
void unlock_primary(NodeState& node, std::byte* live, std::uint64_t owner);

}  // namespace verbena::txn::occ
