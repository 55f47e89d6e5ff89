// Keys that a scan passed over.
#include "txn/check/anomalies/scanned_keys.h"

#include <algorithm>

namespace verbena::txn {

std::optional<std::pair<Key, Key>> covered(const ClientScan& scan, std::span<const Key> keys) {
  if (scan.whole) return std::pair(scan.first, scan.last);
  if (keys.empty()) return std::nullopt;  // of a scan of no keys
  if (scan.descending) return std::pair(keys.back(), scan.last);
  return std::pair(scan.first, keys.back());
}

void ScannedKeys::add(const RecordName& record) {
  if (!initial_.ordered(record.table)) return;
  partitions_[{record.table, record.partition}].keys.insert(record.key);
}

std::vector<RecordName> ScannedKeys::left_out(const ClientScan& scan, std::span<const Key> keys,
                                              const std::function<bool(const RecordName&)>& gone) {
  std::vector<RecordName> missing;
  const auto range = covered(scan, keys);
  if (!range) return missing;
  Partition& partition = partitions_[{scan.table, scan.partition}];
  if (!std::exchange(partition.loaded, true)) {
    initial_.visit(scan.table, 0, kNoKey, [&](Key key) { partition.keys.insert(key); });
  }
  std::vector<Key> given(keys.begin(), keys.end());
  std::ranges::sort(given);
  auto key = partition.keys.lower_bound(range->first);
  while (key != partition.keys.end() && *key <= range->second) {
    const RecordName record{.table = scan.table, .partition = scan.partition, .key = *key};
    if (std::ranges::binary_search(given, *key)) {
      ++key;
    } else if (gone(record)) {
      key = partition.keys.erase(key);
    } else {
      missing.push_back(record);
      ++key;
    }
  }
  return missing;
}

}  // namespace verbena::txn
