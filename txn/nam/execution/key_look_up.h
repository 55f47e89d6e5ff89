// Look-up of a record's entry by its key.
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

/// READs hash buckets (NAM-DB paper, section 5.2). Where buckets can move, the worker's cache of
/// the catalog tells their place, and the attempt detects when the catalog has changed. Belongs to
/// the transaction's fiber.
class KeyLookUp {
 public:
  /// `catalog`: the worker's; null if there is none.
  KeyLookUp(Attempt& attempt, AccessSet& accesses, CatalogCache* catalog);

  static std::size_t scratch_bytes(const Layout& layout);

  /// Forgets what the previous attempt found out.
  void begin();

  /// Chooses the first bucket of each record that needs one. Waits if the catalog is asked.
  void find_buckets();
  /// Adds a READ of the record's bucket to the attempt's requests.
  void request(Access& access);
  /// Forgets buckets that were chosen by an outdated catalog. To be called after READs were
  /// awaited.
  void check_catalog();
  /// Evaluates the bucket that was read.
  void take(Access& access);

  /// Looks the record up again, from the catalog on, since it has left its entry.
  void seek_again(Access& access);

 private:
  void ask_for_unknown();
  void read_version(NodeId home);

  Attempt& attempt_;
  AccessSet& accesses_;
  const Layout& layout_;
  CatalogCache* const catalog_;
  std::span<std::uint64_t> versions_;  // of homes, as they are READ
  std::vector<NodeId> homes_;          // homes whose versions the attempt has READ
};

}  // namespace verbena::txn::nam
