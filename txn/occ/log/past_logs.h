// Log records in the rings when a run begins, as a long run would have left them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
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
    std::uint16_t behind;
    std::uint32_t entry;
    Key key;
  };
  /// A record, by the numbers of its partitions and updates among those of all.
  struct Record {
    std::uint32_t first_partition;
    std::uint32_t last_partition;  ///< the one behind its last
    std::uint32_t first_update;
    std::uint32_t last_update;  ///< likewise
    std::uint32_t bytes = 0;
  };

  std::uint64_t seed_of(NodeId source, WorkerId worker, NodeId backup) const;
  std::size_t held(std::uint64_t seed) const;
  const Record& draw(SplitMix& random) const;
  void add_records(const std::vector<RecordName>& written, PartitionId home, const Rules& rules);
  void add_record(NodeId backup, const std::vector<RecordName>& written, const Rules& rules);
  bool add_update(const RecordName& name, std::uint16_t behind);
  std::span<const std::uint16_t> partitions_behind(const Record& record) const {
    return std::span(partitions_behind_)
        .subspan(record.first_partition, record.last_partition - record.first_partition);
  }
  std::span<const Update> updates(const Record& record) const {
    return std::span(updates_).subspan(record.first_update,
                                       record.last_update - record.first_update);
  }
  std::uint32_t compose(const Record& record, NodeId backup, std::uint64_t position,
                        std::vector<std::byte>& memory) const;
  PartitionId partition(NodeId backup, std::uint32_t behind) const;

  const Schema& schema_;
  const Placement placement_;
  const LogLayout rings_;
  const std::uint64_t seed_;
  const std::uint64_t reclaimed_bytes_;
  std::vector<Record> records_;
  // Partitions and updates of all records, one record after the other.
  std::vector<std::uint16_t> partitions_behind_;
  std::vector<Update> updates_;
};

}  // namespace verbena::txn::occ
