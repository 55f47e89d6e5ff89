// Check of scans against the model.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "txn/check/anomalies/initial_values.h"
#include "txn/client_history.h"

namespace verbena::txn {

/// Returns the first and last key of the range that a scan reported completely; none if there is
/// none.
std::optional<std::pair<Key, Key>> covered(const ClientScan& scan, std::span<const Key> keys);

/// Knows which keys a scan could have met. A scan may return keys of records that are being
/// inserted or erased (Transaction::scan), so an extra key is no error by itself; a record that it
/// left out has to be absent. Not thread-safe.
class ScannedKeys {
 public:
  /// `initial` must outlive it.
  explicit ScannedKeys(const InitialValues& initial) : initial_(initial) {}

  /// Adds a record that has come into being.
  void add(const RecordName& record);

  /// Returns the keys that the scan left out and that the table's partition has or once had.
  /// Forgets records that are `gone`; they stay so until they are added again.
  std::vector<RecordName> left_out(const ClientScan& scan, std::span<const Key> keys,
                                   const std::function<bool(const RecordName&)>& gone);

 private:
  struct Partition {
    std::set<Key> keys;
    bool loaded = false;  // with the initial keys
  };

  const InitialValues& initial_;
  std::map<std::pair<TableId, PartitionId>, Partition> partitions_;  // of ordered tables
};

}  // namespace verbena::txn
