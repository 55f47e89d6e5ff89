// Cache of the catalog for a worker.
#pragma once

#include <cstdint>
#include <map>
#include <span>

#include "rdma/rpc/rpc_batch.h"
#include "txn/nam/messages.h"
#include "txn/nam/records/layout.h"
#include "txn/schema/table.h"

namespace verbena::txn::nam {

/// Caches the answers of memory servers about tables (Catalog). Entries may be outdated: the user
/// of one must check its version. Belongs to its worker.
class CatalogCache {
 public:
  struct Entry {
    std::uint32_t generation = 0;  ///< of the hash buckets
    std::uint64_t version = 0;     ///< of the part of the catalog that told it
  };

  /// `layout` must outlive it.
  explicit CatalogCache(const Layout& layout) : layout_(layout) {}

  /// Finds the entry of the name's table and partition; null if it was never asked for. Valid until
  /// ask().
  const Entry* find(const RecordName& name) const;

  /// Asks memory servers about `names` and waits. `calls` are the fiber's own, and empty.
  void ask(rdma::RpcBatch& calls, std::span<const RecordName> names);

 private:
  const Layout& layout_;
  std::map<TablePart, Entry> entries_;
};

}  // namespace verbena::txn::nam
