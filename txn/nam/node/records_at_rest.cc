// Looking at records and their indexes when nothing runs any more.
#include "txn/nam/node/records_at_rest.h"

#include <algorithm>
#include <array>

#include "txn/nam/records/version.h"
#include "txn/rest_of_range.h"

namespace verbena::txn::nam {

RecordImage RecordsAtRest::live(const RecordName& name, std::uint64_t entry) {
  const ImageFormat& format = layout_.table(name.table).format;
  return RecordImage(records_.at(layout_.current(name, entry).offset, format.bytes()));
}

bool RecordsAtRest::get(const RecordName& name, std::span<std::byte> payload) {
  const auto entry = index_of_(name.partition, name.table).find(name.key);
  if (!entry) return false;
  const RecordImage image = live(name, *entry);
  if (deleted(image.version())) return false;
  layout_.table(name.table).format.extract(image, payload.data());
  return true;
}

void RecordsAtRest::visit_changed(TableId table, PartitionId partition,
                                  const StateAtRest::ChangedRecord& visitor) {
  const ImageFormat& format = layout_.table(table).format;
  std::vector<std::byte> payload(format.payload_bytes());
  KeyIndex& keys = index_of_(partition, table);
  const KeyShape& loaded = layout_.table(table).keys;
  for_each_touched(table, partition, [&](const RecordName& name, std::uint64_t entry) {
    const RecordImage image = live(name, entry);
    const bool given_up = image.lock() == kGivenUp || name.key == kNoKey;
    // A key that was loaded here, and is nowhere now.
    if (entry < loaded.count() && (given_up || name.key != loaded.key_of(entry)) &&
        !keys.find(loaded.key_of(entry))) {
      visitor(loaded.key_of(entry), false, {});
    }
    if (given_up) return;
    if (deleted(image.version())) return visitor(name.key, false, {});
    format.extract(image, payload.data());
    visitor(name.key, true, payload);
  });
}

void RecordsAtRest::scan(const KeyRange& range, const StateAtRest::KeyVisitor& visitor) {
  constexpr std::size_t kBatch = 64;
  std::array<ListedKey, kBatch> listed;
  KeyIndex& keys = index_of_(range.partition, range.table);
  KeyIndex::Stop stop{.reached = 0, .more = true};
  std::uint32_t probes = 0;
  for (KeyRange rest = range; stop.more && rest.first <= rest.last;) {
    const std::size_t found =
        keys.list({.first = rest.first,
                   .last = rest.last,
                   .descending = rest.descending,
                   .inserted_only = false},
                  kBatch, listed, stop, probes,
                  [](const ListedKey& key) { return deleted(key.version); }, {}, {});
    for (const ListedKey& key : std::span(listed).first(found)) {
      if (!visitor(key.key)) return;
    }
    if (!go_on_behind(rest, stop.reached)) return;
  }
}

// Loaded records of which there are many are counted, but for those that have been looked at.
std::uint64_t RecordsAtRest::count(const KeyRange& range) {
  const KeyShape& loaded = layout_.table(range.table).keys;
  KeyIndex& keys = index_of_(range.partition, range.table);
  const std::uint64_t from = loaded.rank(range.first);
  const std::uint64_t until = std::max(from, loaded.rank_after(range.last));
  std::uint64_t count = until - from;
  for_each_touched(range.table, range.partition, from, until,
                   [&](const RecordName&, std::uint64_t entry) {
                     const bool here = keys.holds(entry, loaded.key_of(entry));
                     if (!here || deleted(keys.version(entry))) --count;
                   });
  OrderedIndex::Query query{
      .first = range.first, .last = range.last, .descending = false, .inserted_only = true};
  std::array<OrderedIndex::Item, 64> items;
  std::uint32_t nodes = 0;
  while (query.first <= query.last) {
    const std::size_t found = keys.ordered().list(query, items, nodes);
    for (const OrderedIndex::Item& item : std::span(items).first(found)) {
      // One that was loaded and came again where it had been has been counted.
      const bool counted = loaded.index_of(item.key) == item.entry;
      if (!counted && !deleted(keys.version(item.entry))) ++count;
    }
    if (found < items.size() || !go_on_behind(query, items[found - 1].key)) break;
  }
  return count;
}

}  // namespace verbena::txn::nam
