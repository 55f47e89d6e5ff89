// Which partitions, entries, keys and versions there are, for what files and messages claim.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "txn/nam/records/layout.h"

namespace verbena::txn::nam {

/// Throws Malformed where the layout has no such table or partition.
void check_part(const Layout& layout, PartitionId partition, TableId table);

/// Likewise, and unless `server` keeps the partition.
void check_kept(const Layout& layout, NodeId server, PartitionId partition, TableId table);

/// Throws Malformed where the table, which there is, has no such entry.
void check_entry(const Layout& layout, TableId table, std::uint64_t entry);

/// Throws Malformed unless the entry, which there is, may have the record of `key`.
void check_key(const Layout& layout, TableId table, std::uint64_t entry, Key key);

/// Throws Malformed unless the bytes are an image that the entry, which there is, may have in a
/// checkpoint.
void check_image(const Layout& layout, TableId table, std::uint64_t entry,
                 std::span<const std::byte> image);

/// Throws Malformed for a version of a slot that the vector does not have, or with flags that
/// current versions have not.
void check_version(const Layout& layout, std::uint64_t version);

}  // namespace verbena::txn::nam
