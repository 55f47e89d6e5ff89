// Keys that a scan passed over.
#include "txn/check/scanned_keys.h"

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
  changed_[{record.table, record.partition}].insert(record.key);
}

std::vector<RecordName> ScannedKeys::left_out(const ClientScan& scan,
                                              std::span<const Key> keys) const {
  std::vector<RecordName> missing;
  const auto range = covered(scan, keys);
  if (!range) return missing;
  std::vector<Key> given(keys.begin(), keys.end());
  std::ranges::sort(given);
  const auto look_at = [&](Key key) {
    if (std::ranges::binary_search(given, key)) return;
    missing.push_back({.table = scan.table, .partition = scan.partition, .key = key});
  };
  initial_.visit(scan.table, range->first, range->second, look_at);
  const auto changed = changed_.find({scan.table, scan.partition});
  if (changed == changed_.end()) return missing;
  for (auto key = changed->second.lower_bound(range->first);
       key != changed->second.end() && *key <= range->second; ++key) {
    look_at(*key);
  }
  return missing;
}

}  // namespace verbena::txn
