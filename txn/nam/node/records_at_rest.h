// Records of a memory server at rest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "rdma/endpoint.h"
#include "txn/nam/index/key_index.h"
#include "txn/nam/records/layout.h"
#include "txn/nam/records/record_image.h"
#include "txn/nam/records/touched_entries.h"
#include "txn/schema/table.h"
#include "txn/state_at_rest.h"

namespace verbena::txn::nam {

/// Finds and visits records as StateAtRest promises. Not thread-safe.
class RecordsAtRest {
 public:
  /// `records`: the server's region; `index_of`: of its tables. All must outlive it.
  RecordsAtRest(const Layout& layout, rdma::Region& records, IndexOf index_of)
      : layout_(layout), records_(records), index_of_(std::move(index_of)) {}

  // See StateAtRest.
  bool get(const RecordName& name, std::span<std::byte> payload);
  void visit_changed(TableId table, PartitionId partition,
                     const StateAtRest::ChangedRecord& visitor);
  void scan(const KeyRange& range, const StateAtRest::KeyVisitor& visitor);
  std::uint64_t count(const KeyRange& range);

  /// Current version in an entry of the name's table and partition.
  RecordImage live(const RecordName& name, std::uint64_t entry);
  KeyIndex& index(const RecordName& name) { return index_of_(name.partition, name.table); }

  /// Calls visit(name, entry) for the entries in use on touched pages; the others are as loaded.
  template <typename Visit>
  void for_each_touched(TableId table, PartitionId partition, Visit&& visit) {
    for_each_touched(table, partition, 0, index_of_(partition, table).used_entries(),
                     std::forward<Visit>(visit));
  }

 private:
  template <typename Visit>
  void for_each_touched(TableId table, PartitionId partition, std::uint64_t from,
                        std::uint64_t until, Visit&& visit) {
    RecordName name{.table = table, .partition = partition, .key = 0};
    nam::for_each_touched(layout_, records_.memory(), name, from, until, [&](std::uint64_t entry) {
      name.key = live(name, entry).key();
      visit(name, entry);
    });
  }

  const Layout& layout_;
  rdma::Region& records_;
  IndexOf index_of_;
};

}  // namespace verbena::txn::nam
