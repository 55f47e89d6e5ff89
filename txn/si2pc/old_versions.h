// Old versions of a node's records.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "rdma/seam/first_touch_memory.h"
#include "txn/store/store_layout.h"

namespace verbena::txn::si2pc {

/// Keeps the last K old versions of each entry of a partition's tables, in private memory. The
/// caller excludes others from an entry while it uses the entry's versions (Records).
class OldVersions {
 public:
  /// Keeps `kept` versions of each record, at least 1.
  OldVersions(const StoreLayout& layout, std::uint32_t kept);

  /// Adds a version, absent or not, in the place of the oldest, and returns the place of its
  /// payload for the caller to fill.
  std::byte* add(TableId table, std::uint32_t entry, std::uint64_t version);

  struct Found {
    std::uint64_t version;
    const std::byte* payload;
  };
  /// Returns the latest kept version that `snapshot` holds, if there is one.
  std::optional<Found> latest(TableId table, std::uint32_t entry, std::uint64_t snapshot);

  /// Forgets an entry's versions when its key was removed from the indexes.
  void forget(TableId table, std::uint32_t entry);

  std::uint32_t kept() const { return kept_; }

 private:
  struct Header {
    std::uint64_t version;
    std::uint64_t used;  // 0: nothing is here
  };
  struct Area {
    std::uint64_t offset;
    std::uint64_t stride;
  };

  static std::vector<Area> areas_of(const StoreLayout& layout, std::uint32_t kept);
  static std::uint64_t bytes_of(const StoreLayout& layout, std::uint32_t kept);
  Header& slot(TableId table, std::uint32_t entry, std::uint32_t number);

  const std::uint32_t kept_;
  std::vector<Area> areas_;  // by table
  rdma::FirstTouchMemory memory_;
};

}  // namespace verbena::txn::si2pc
