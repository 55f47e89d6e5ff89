// Records of a node when nothing runs any more, for checks after a run.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "rdma/base/types.h"
#include "txn/schema/table.h"
#include "txn/transaction.h"

namespace verbena::txn {

/// Findings of a system about the partition copies that a node holds.
struct SelfCheck {
  /// Two copies of a partition are equal just when their digests are; nodes compare them.
  struct Copy {
    PartitionId partition;
    bool primary;
    std::uint64_t digest;
  };
  /// A commit of a slot of the vector of which this node knows, so that it has to be published
  /// (StateAtRest::published), in systems with snapshots that have journals.
  struct Commit {
    std::uint32_t slot = 0;
    std::uint32_t count = 0;
    bool last = false;  ///< no later one of the slot is
  };
  std::vector<Copy> copies;
  std::vector<Commit> commits;  ///< nodes compare them with what is published
  std::uint64_t records = 0;    ///< looked at, in all copies
  /// Records with a write of a transaction of a dead client that is not decided: others of its
  /// writes may be there, so what holds between records may not.
  std::uint64_t undecided = 0;
  std::vector<std::string> errors;  ///< one line each: locks that were left, broken indexes, ...
};

/// A node's records at rest. Only of partitions whose primary copy the node holds, except for
/// self_check; of all that it holds in systems with quorums. Not thread-safe.
class StateAtRest {
 public:
  /// Receives a key that may differ from what was loaded; the payload is empty where it is absent.
  using ChangedRecord =
      std::function<void(Key key, bool present, std::span<const std::byte> payload)>;
  /// Receives a key; false: no more.
  using KeyVisitor = std::function<bool(Key key)>;

  virtual ~StateAtRest() = default;

  /// Numbers of published commits, one for each slot of the vector, in systems with snapshots.
  /// Empty where this node does not keep it.
  virtual std::vector<std::uint32_t> published() { return {}; }

  /// Reads a record into `payload`, which is as long as the table's payloads. False: there is none,
  /// or it cannot be read.
  virtual bool get(const RecordName& name, std::span<std::byte> payload) = 0;

  /// The version of a record in this copy, where copies need not be equal: the greatest one of all
  /// copies is the record's. 0 elsewhere.
  virtual std::uint64_t version(const RecordName& /*name*/) { return 0; }

  /// Visits every key of a table's partition that may have changed since it was loaded, once.
  virtual void visit_changed(TableId table, PartitionId partition,
                             const ChangedRecord& visitor) = 0;

  /// Visits the keys of the records in `range` in its order. Only of systems that scan, as count.
  virtual void scan(const KeyRange& range, const KeyVisitor& visitor);

  /// Number of keys that such a scan would visit.
  virtual std::uint64_t count(const KeyRange& range);

  /// The system's own check of all copies on this node.
  virtual SelfCheck self_check() = 0;
};

}  // namespace verbena::txn
