// Entries that a worker holds for records it will insert.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "rdma/base/time.h"
#include "rdma/rpc/rpc_batch.h"
#include "txn/nam/messages.h"
#include "txn/nam/records/layout.h"
#include "txn/schema/table.h"

namespace verbena::txn::nam {

/// Holds extents of tables at memory servers (NAM-DB paper, section 5.3): entries allocated to a
/// worker, from which its fibers choose places for the records that they insert. They are taken by
/// RPC, many at a time, for each partition of a table that the worker inserts into. When it takes
/// more, it gives back those of partitions without recent inserts. Belongs to its worker.
class Extents {
 public:
  /// `records`: entries to take at a time, at most the worker's share of a quarter of the table's,
  /// so that others find some. `idle`: unused time after which a partition's entries are given
  /// back. `layout` must outlive it.
  Extents(const Layout& layout, std::uint32_t records, Nanoseconds idle)
      : layout_(layout), records_(records), idle_(idle) {}

  /// Takes an entry of the name's table and partition; kAnyEntry if there is none.
  std::uint32_t take(const RecordName& name, Nanoseconds now);

  /// Puts back an entry that was taken and not claimed.
  void put_back(const RecordName& name, std::uint32_t entry);

  /// Asks memory servers for entries, for `wanted` and others, and waits. Fibers that take right
  /// afterwards find what the servers have given, perhaps too few. `owner` is a lock word of the
  /// asking fiber, `calls` its own, and empty.
  void refill(rdma::RpcBatch& calls, std::span<const RecordName> wanted, std::uint64_t owner,
              Nanoseconds now);

 private:
  struct Pool {
    std::vector<EntryRun> runs;
    Nanoseconds used_at = 0;
  };
  std::uint32_t extent(const TablePart& part) const;
  void free_idle(rdma::RpcBatch& calls, Nanoseconds now);

  const Layout& layout_;
  const std::uint32_t records_;
  const Nanoseconds idle_;
  std::map<TablePart, Pool> pools_;
};

}  // namespace verbena::txn::nam
