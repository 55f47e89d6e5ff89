// Comparing with the layout.
#include "txn/nam/records/record_bounds.h"

#include <string>
#include <vector>

#include "rdma/base/bounded_reader.h"
#include "rdma/base/errors.h"
#include "txn/nam/records/version.h"

namespace verbena::txn::nam {

void check_part(const Layout& layout, PartitionId partition, TableId table) {
  check_below(table, layout.schema().size(), "table");
  check_below(partition, layout.view().partitions(), "partition");
}

void check_kept(const Layout& layout, NodeId server, PartitionId partition, TableId table) {
  check_part(layout, partition, table);
  if (layout.view().primary(partition) == server) [[likely]]
    return;
  throw Malformed("has partition " + std::to_string(partition) + "; allowed are those of node " +
                  std::to_string(server));
}

void check_entry(const Layout& layout, TableId table, std::uint64_t entry) {
  check_below(entry, layout.table(table).entries, "entry");
}

void check_key(const Layout& layout, TableId table, std::uint64_t entry, Key key) {
  const Layout::Table& part = layout.table(table);
  if (part.inserts()) return;
  const Key loaded = part.keys.key_of(entry);
  if (key == loaded) [[likely]]
    return;
  throw Malformed("has key " + std::to_string(key) + " in entry " + std::to_string(entry) +
                  "; allowed is " + std::to_string(loaded));
}

void check_image(const Layout& layout, TableId table, std::uint64_t entry,
                 std::span<const std::byte> image) {
  const ImageFormat& format = layout.table(table).format;
  std::vector<std::byte> copy(image.begin(), image.end());
  const RecordImage record(copy.data());
  if (!format.whole(record)) {
    throw Malformed("has a record in entry " + std::to_string(entry) +
                    " that is of several versions; allowed is one");
  }
  check_version(layout, record.version());
  check_within(record.installs(), kFirstInstall, kMostInstalls, "installs");
  check_key(layout, table, entry, record.key());
}

void check_version(const Layout& layout, std::uint64_t version) {
  check_below(stamp_of(version).slot, layout.vector().slots(), "slot of a version");
  if ((version & (kLocked | kMoved)) == 0) [[likely]]
    return;
  throw Malformed("has version " + std::to_string(version) + "; allowed are versions without the " +
                  "flags " + std::to_string(kLocked) + " and " + std::to_string(kMoved));
}

}  // namespace verbena::txn::nam
