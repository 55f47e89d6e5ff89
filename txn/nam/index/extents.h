// Entries that a worker has for records which it will insert.
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

/// Extents of tables at memory servers (NAM-DB paper, section 5.3): entries that were allocated to
/// a worker, whose fibers choose among them where the records lie that they insert. They are taken
/// by RPC, many at a time, from each partition of a table that the worker inserts into. When it
/// takes others, those of partitions into which it has not inserted for long are given back.
/// Belongs to its worker.
class Extents {
 public:
  /// Takes `records` entries at a time, but no more than a worker's share of a quarter of those of
  /// the table, so that others find some; and gives back those of which none was used for `idle`.
  /// `layout` must outlive it.
  Extents(const Layout& layout, std::uint32_t records, Nanoseconds idle)
      : layout_(layout), records_(records), idle_(idle) {}

  /// An entry of the name's table and partition; kAnyEntry: there is none.
  std::uint32_t take(const RecordName& name, Nanoseconds now);

  /// One that was taken, and not claimed.
  void put_back(const RecordName& name, std::uint32_t entry);

  /// Asks memory servers for entries, for `wanted` and others, and waits for them: whoever takes at
  /// once finds as many as the servers have given, which may be too few. `owner` is a lock word of
  /// the fiber that asks, `calls` its own, with nothing in it.
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
