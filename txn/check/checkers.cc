// The check for each promise.
#include "txn/check/checkers.h"

#include "txn/check/registers/register_check.h"
#include "txn/check/replay/serializability_check.h"
#include "txn/check/replay/snapshot_check.h"
#include "txn/check/replay/timestamp_check.h"

namespace verbena::txn {

bool can_check(Isolation isolation) {
  return SerializabilityCheck::can_check(isolation) || SnapshotCheck::can_check(isolation) ||
         RegisterCheck::can_check(isolation);
}

std::unique_ptr<HistoryChecker> make_checker(const Schema& schema, const SystemInfo& system) {
  if (SnapshotCheck::can_check(system.isolation)) {
    return std::make_unique<SnapshotCheck>(schema, system);
  }
  if (RegisterCheck::can_check(system.isolation)) {
    return std::make_unique<RegisterCheck>(schema, system.isolation);
  }
  if (system.ordered_by_timestamps) {
    return std::make_unique<TimestampCheck>(schema, system.isolation);
  }
  return std::make_unique<SerializabilityCheck>(schema, system.isolation);
}

}  // namespace verbena::txn
