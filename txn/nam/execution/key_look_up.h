// Finding a record's entry by its key.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "rdma/base/types.h"
#include "txn/nam/attempt/access_set.h"
#include "txn/nam/attempt/attempt.h"
#include "txn/nam/index/catalog_cache.h"
#include "txn/nam/records/layout.h"

namespace verbena::txn::nam {

/// READs hash buckets (NAM-DB paper, section 5.2). Where these are, if that may change, is told by
/// what the worker remembers of the catalog, and an attempt finds out when that has changed.
/// Belongs to the transaction's fiber.
class KeyLookUp {
 public:
  /// `catalog`, the worker's, may be null: there is none.
  KeyLookUp(Attempt& attempt, AccessSet& accesses, CatalogCache* catalog);

  static std::size_t scratch_bytes(const Layout& layout);

  /// Forgets what the attempt before has found out.
  void begin();

  /// Chooses the first bucket of each record that needs one. Waits, if the catalog is asked.
  void find_buckets();
  /// Adds a READ of the record's bucket to those of the attempt.
  void request(Access& access);
  /// After READs were waited for: forgets buckets that were chosen by what the catalog was before.
  void check_catalog();
  /// Takes what the bucket, as it was read, tells.
  void take(Access& access);

  /// The record has gone from its entry: it is sought again, from the catalog on.
  void seek_again(Access& access);

 private:
  void ask_for_unknown();
  void read_version(NodeId home);

  Attempt& attempt_;
  AccessSet& accesses_;
  const Layout& layout_;
  CatalogCache* const catalog_;
  std::span<std::uint64_t> versions_;  // of homes, as they are READ
  std::vector<NodeId> homes_;          // whose versions the attempt has READ
};

}  // namespace verbena::txn::nam
