// Checks of partitions, entries, keys and versions that files and messages name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "txn/nam/records/layout.h"

namespace verbena::txn::nam {

/// Throws Malformed if the layout has no such table or partition.
void check_part(const Layout& layout, PartitionId partition, TableId table);

/// Throws Malformed as check_part does, and if `server` does not keep the partition.
void check_kept(const Layout& layout, NodeId server, PartitionId partition, TableId table);

/// Throws Malformed if the table, which must exist, has no such entry.
void check_entry(const Layout& layout, TableId table, std::uint64_t entry);

/// Throws Malformed unless the entry, which must exist, may hold the record of `key`.
void check_key(const Layout& layout, TableId table, std::uint64_t entry, Key key);

/// Throws Malformed unless the bytes are a possible image of the entry, which must exist, in a
/// checkpoint.
void check_image(const Layout& layout, TableId table, std::uint64_t entry,
                 std::span<const std::byte> image);

/// Throws Malformed for a version of a slot that is not in the vector, or with flags that no
/// current version has.
void check_version(const Layout& layout, std::uint64_t version);

}  // namespace verbena::txn::nam
