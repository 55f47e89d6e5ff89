// The versions of a node's records before their current ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "rdma/seam/first_touch_memory.h"
#include "txn/store/store_layout.h"

namespace verbena::txn::si2pc {

/// The last K of each entry of a partition's tables, in private memory of the node's. Whoever uses
/// those of an entry keeps others from changing them (Records).
class OldVersions {
 public:
  /// Keeps `kept` versions of each record, at least 1.
  OldVersions(const StoreLayout& layout, std::uint32_t kept);

  /// Keeps a version, absent or not, in the place of the oldest, and gives the place of its
  /// payload, which the caller fills.
  std::byte* add(TableId table, std::uint32_t entry, std::uint64_t version);

  struct Found {
    std::uint64_t version;
    const std::byte* payload;
  };
  /// The latest version that `snapshot` holds, if one is kept.
  std::optional<Found> latest(TableId table, std::uint32_t entry, std::uint64_t snapshot);

  /// The entry's key was taken out of the indexes.
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
