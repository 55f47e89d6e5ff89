// Look-up, lock and read by the owner's CPU.
#include "txn/occ/node/primary_record.h"

#include "txn/occ/node/node_state.h"
#include "txn/store/lock_word.h"
#include "txn/store/record.h"

namespace verbena::txn::occ {

using rdma::Work;

namespace {

// Fills in where the record is. False: nowhere.
bool find(NodeState& node, rdma::Core& core, const PrimaryAccess& wanted, PrimaryRecord& record) {
  if (wanted.insert) {
    core.spend(Work::kIndexInsert);
    const bool lock = wanted.lock || wanted.lock_if_added;
    const auto place =
        node.store().reserve(wanted.table, wanted.key, lock ? wanted.owner : kUnlocked, &core);
    record.entry = place.entry;
    record.version = place.version;
    record.locked = record.locked_since_added = place.locked;
    if (place.locked) core.reach("occ: record locked since it was added");
    return true;
  }
  std::uint32_t probes = 0;
  const auto entry = node.store().find(0, wanted.table, wanted.key, core, &probes, &record.version);
  core.spend(Work::kIndexProbe, probes);
  record.entry = entry.value_or(0);
  return entry.has_value();
}

// True if the index leads to `entry` now.
bool is_indexed(NodeState& node, rdma::Core& core, const PrimaryAccess& wanted,
                std::uint32_t entry) {
  return node.store().find(0, wanted.table, wanted.key, core) == entry;
}

}  // namespace

PrimaryRecord locate_primary(NodeState& node, rdma::Core& core, const PrimaryAccess& wanted) {
  PrimaryRecord record;
  if (!find(node, core, wanted, record)) return record;
  record.status = PrimaryRecord::Status::kHere;
  core.spend(Work::kRecordAccess);
  if (!wanted.lock || record.locked) return record;
  core.spend(Work::kLocalAtomic);
  record.locked = try_lock(node.store().record(0, wanted.table, record.entry), wanted.owner);
  if (record.locked) return record;
  core.reach("occ: lock in execution finds it taken");
  record.status = PrimaryRecord::Status::kLocked;
  return record;
}

bool absent_now(NodeState& node, TableId table, const PrimaryRecord& record) {
  std::byte* live = node.store().record(0, table, record.entry);
  return absent(shared_word(live + kVersionOffset).load(std::memory_order_acquire));
}

void read_primary(NodeState& node, rdma::Core& core, const PrimaryAccess& wanted,
                  PrimaryRecord& record, std::byte* payload) {
  const std::uint64_t reserved = record.version;
  Key key = wanted.key;
  const bool ignores = node.plan().ignore_conflicts;
  if (record.locked || ignores) {
    const RecordFormat& format = node.layout().table(wanted.table).format;
    format.read_locked(node.store().record(0, wanted.table, record.entry), record.version, key,
                       payload);
  } else if (!node.store().read(0, wanted.table, record.entry, record.version, key, payload,
                                &core)) {
    core.reach("occ: read by CPU finds a lock");
    record.status = PrimaryRecord::Status::kLocked;
    return;
  }
  core.step(node.store().record(0, wanted.table, record.entry));
  if (ignores) return;
  // Another key's by now, or absent other than it was reserved, or locked where the index does not
  // lead any more: its erase was committed since the look-up, and its lock protects nothing.
  bool erased = key != wanted.key;
  if (absent(record.version)) {
    erased |= wanted.insert ? record.version != reserved
                            : record.locked && !is_indexed(node, core, wanted, record.entry);
  }
  if (!erased) return;
  record.status = PrimaryRecord::Status::kChanged;
  if (wanted.insert) {
    core.reach("occ: insert finds its record erased since it was sought");
  } else {
    core.reach("occ: record erased since a CPU sought it");
  }
}

void unlock_primary(NodeState& node, std::byte* live, std::uint64_t owner) {
  if (node.plan().ignore_conflicts) {
    unlock_whoever_holds(live);
  } else {
    unlock(live, owner);
  }
}

}  // namespace verbena::txn::occ
