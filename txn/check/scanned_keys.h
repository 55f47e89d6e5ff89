// Scans against the model.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "txn/check/initial_values.h"
#include "txn/client_history.h"

namespace verbena::txn {

/// Knows which keys a scan could have met. A scan may give keys of records that are being inserted
/// or erased (Transaction::scan), so what it gives too much is no error by itself; what it left out
/// has to be absent. Not thread-safe.
class ScannedKeys {
 public:
  /// `initial` must outlive it.
  explicit ScannedKeys(const InitialValues& initial) : initial_(initial) {}

  /// The record came or went.
  void add(const RecordName& record);

  /// The keys that the scan left out and that the table's partition has, or had some time.
  std::vector<RecordName> left_out(const ClientScan& scan, std::span<const Key> keys) const;

 private:
  const InitialValues& initial_;
  std::map<std::pair<TableId, PartitionId>, std::set<Key>> changed_;  // of ordered tables
};

/// The first and last key that the scan has told everything about; none if it has of none.
std::optional<std::pair<Key, Key>> covered(const ClientScan& scan, std::span<const Key> keys);

}  // namespace verbena::txn
