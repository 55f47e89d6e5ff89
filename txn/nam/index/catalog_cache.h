// A worker's memory of the catalog.
#pragma once

#include <cstdint>
#include <map>
#include <span>

#include "rdma/rpc/rpc_batch.h"
#include "txn/nam/messages.h"
#include "txn/nam/records/layout.h"
#include "txn/schema/table.h"

namespace verbena::txn::nam {

/// Answers of memory servers about tables (Catalog), until they are asked again. They may be
/// outdated: whoever goes by one has to find out. Belongs to its worker.
class CatalogCache {
 public:
  struct Entry {
    std::uint32_t generation = 0;  ///< of the hash buckets
    std::uint64_t version = 0;     ///< of the part of the catalog that told it
  };

  /// `layout` must outlive it.
  explicit CatalogCache(const Layout& layout) : layout_(layout) {}

  /// The answer about the name's table and partition; null: nobody has asked. Valid until ask().
  const Entry* find(const RecordName& name) const;

  /// Asks memory servers for those, and waits. `calls` are the fiber's own, with nothing in it.
  void ask(rdma::RpcBatch& calls, std::span<const RecordName> names);

 private:
  const Layout& layout_;
  std::map<TablePart, Entry> entries_;
};

}  // namespace verbena::txn::nam
