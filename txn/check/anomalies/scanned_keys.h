// Scans against the model.
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

/// The first and last key that a scan has told everything about; none if it has of none.
std::optional<std::pair<Key, Key>> covered(const ClientScan& scan, std::span<const Key> keys);

/// Knows which keys a scan could have met. A scan may give keys of records that are being inserted
/// or erased (Transaction::scan), so what it gives too much is no error by itself; what it left out
/// has to be absent. Not thread-safe.
class ScannedKeys {
 public:
  /// `initial` must outlive it.
  explicit ScannedKeys(const InitialValues& initial) : initial_(initial) {}

  /// The record has come.
  void add(const RecordName& record);

  /// The keys that the scan left out and that the table's partition has, or had some time. Those
  /// that are `gone`, and will be until they are added again, are forgotten.
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
