// Log records in the rings when a run begins, as a long run would have left them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "rdma/base/random.h"
#include "txn/log/log_record.h"
#include "txn/log/log_ring.h"
#include "txn/past_writes.h"
#include "txn/schema/table.h"
#include "txn/store/store_layout.h"

namespace verbena::txn::occ {

/// Makes up log records of transactions that were decided before the run and that backups have not
/// applied yet. Each ring begins with a drawn number of them, less than makes the coordinator ask.
/// Their updates write the records' initial values. Nobody stores them: the coordinator counts
/// their bytes, the backup composes them when first asked. All nodes compute the same. Immutable.
class PastLogs {
 public:
  /// Rules by which transactions log, and the decided bytes of a ring at which the coordinator
  /// asks.
  struct Rules {
    bool whole_log = false;
    bool log_own_backups = false;
    std::uint64_t reclaimed_bytes = 0;
  };

  /// `schema` must outlive it.
  PastLogs(const Schema& schema, const StoreLayout& layout, const LogLayout& rings,
           const PastWrites& past, const Rules& rules);

  /// True if past transactions wrote no loaded records.
  bool empty() const { return records_.empty(); }

  /// Bytes that they take, from its beginning, of the ring of `worker` on `source` at `backup`;
  /// less than `reclaimed_bytes`.
  std::uint64_t bytes(NodeId source, WorkerId worker, NodeId backup) const;

  using Visit = std::function<void(const LogRecordReader&)>;
  /// Passes the ring's records to `visit` in order; returns their bytes.
  std::uint64_t visit(NodeId source, WorkerId worker, NodeId backup, const Visit& visit) const;

 private:
  /// Update of a record whose partition's primary is `behind` nodes before the backup.
  struct Update {
    TableId table;
    std::uint32_t behind;
    std::uint32_t entry;
    Key key;
  };
  struct Record {
    std::vector<std::uint32_t> partitions_behind;
    std::vector<Update> updates;
    std::uint32_t bytes = 0;
  };

  std::uint64_t seed_of(NodeId source, WorkerId worker, NodeId backup) const;
  std::size_t held(std::uint64_t seed) const;
  const Record& draw(SplitMix& random) const;
  void add_records(const std::vector<RecordName>& written, PartitionId home, const Rules& rules);
  void add_record(NodeId backup, const std::vector<RecordName>& written, const Rules& rules);
  bool add_update(const RecordName& name, std::uint32_t behind, Record& record) const;
  std::uint32_t compose(const Record& record, NodeId backup, std::uint64_t position,
                        std::vector<std::byte>& memory) const;
  PartitionId partition(NodeId backup, std::uint32_t behind) const;

  const Schema& schema_;
  const Placement placement_;
  const LogLayout rings_;
  const std::uint64_t seed_;
  const std::uint64_t reclaimed_bytes_;
  std::vector<Record> records_;
};

}  // namespace verbena::txn::occ
