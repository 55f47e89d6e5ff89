// Reading, locking and installing versions.
#include "txn/si2pc/records.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <mutex>

#include "rdma/base/bounded_reader.h"
#include "rdma/base/errors.h"
#include "rdma/base/random.h"
#include "txn/rest_of_range.h"
#include "txn/store/lock_word.h"

namespace verbena::txn::si2pc {

using rdma::Work;

namespace {

std::uint64_t version_of(std::byte* live) {
  return shared_word(live + kVersionOffset).load(std::memory_order_acquire);
}

Key key_of(std::byte* live) {
  return shared_word(live + kKeyOffset).load(std::memory_order_acquire);
}

bool locked(std::byte* live) {
  return shared_word(live + kLockOffset).load(std::memory_order_acquire) != kUnlocked;
}

bool holds(std::uint64_t snapshot, std::uint64_t version) {
  return change_count(version) <= snapshot;
}

Look look_of(std::uint64_t version) { return absent(version) ? Look::kAbsent : Look::kPresent; }

ReadStatus status(Look look) {
  return {.look = look, .room = false, .locked = false, .old = false, .reserved = {}};
}

// The holder of a record while it is taken out of the indexes: no node.
constexpr std::uint64_t kTakenOut = UINT64_MAX;

// Most who ask for something have later snapshots.
constexpr Nanoseconds kSettled = kMillisecond;

}  // namespace

// Keeps versions of an entry from being installed, and its old ones as they are.
class Records::Still {
 public:
  Still(Records& records, TableId table, std::uint32_t entry, rdma::Core& core) {
    const std::uint64_t where = std::uint64_t{table} << 32 | entry;
    SpinLock& lock = records.stripes_[mix64(where) % kStripes].changing;
    lock.lock([&core] {
      core.reach("si2pc: record being installed by another");
      core.give_way();
    });
    held_ = std::unique_lock(lock, std::adopt_lock);
  }

 private:
  std::unique_lock<SpinLock> held_;
};

Records::Records(Store& store, std::uint32_t old_versions, Nanoseconds longest_transaction)
    : store_(store),
      old_(store.layout(), old_versions),
      horizon_(longest_transaction),
      settled_(std::min(longest_transaction, kSettled)) {}

const TableLayout& Records::table(TableId table) const {
  check_below(table, store_.layout().tables(), "table");
  return store_.layout().table(table);
}

void Records::check(TableId name, std::uint32_t entry) const {
  check_below(entry, table(name).entries, "entry");
}

std::optional<std::uint32_t> Records::find(TableId name, Key key, rdma::Core& core) {
  check_below(name, store_.layout().tables(), "table");
  std::uint32_t probes = 0;
  const auto entry = store_.find(0, name, key, core, &probes);
  core.spend(Work::kIndexProbe, probes);
  return entry;
}

ReadStatus Records::read(const WantedRecord& wanted, std::uint32_t entry, std::uint64_t snapshot,
                         std::byte* payload, rdma::Core& core) {
  for (;;) {
    if (const auto read = read_entry(wanted, entry, snapshot, payload, core)) return *read;
    core.reach("si2pc: entry got another key before it was read");
    const auto other = find(wanted.table, wanted.key, core);
    if (!other) return status(Look::kAbsent);
    entry = *other;
  }
}

// Nothing: it is another key's. Most records are not locked, and their versions are in all
// snapshots.
std::optional<ReadStatus> Records::read_entry(const WantedRecord& wanted, std::uint32_t entry,
                                              std::uint64_t snapshot, std::byte* payload,
                                              rdma::Core& core) {
  core.spend(Work::kRecordAccess);
  std::byte* live = store_.record(0, wanted.table, entry);
  const RecordFormat& format = store_.layout().table(wanted.table).format;
  std::uint64_t version = 0;
  Key key = 0;
  const auto found = format.read_live(live, version, key, payload, &core);
  if (found == RecordFormat::ReadStatus::kOk && holds(snapshot, version)) {
    if (key != wanted.key) return std::nullopt;
    if (!absent(version)) core.spend(Work::kCopyLine, format.lines());
    return status(look_of(version));
  }
  core.spend(Work::kLocalAtomic);
  return read_still(wanted, entry, snapshot, payload, core);
}

std::optional<ReadStatus> Records::read_still(const WantedRecord& wanted, std::uint32_t entry,
                                              std::uint64_t snapshot, std::byte* payload,
                                              rdma::Core& core) {
  std::byte* live = store_.record(0, wanted.table, entry);
  const RecordFormat& format = store_.layout().table(wanted.table).format;
  ReadStatus read = status(Look::kAbsent);
  {
    const Still still(*this, wanted.table, entry, core);
    core.step(live);
    if (key_of(live) != wanted.key) return std::nullopt;
    const std::uint64_t version = version_of(live);
    read.locked = locked(live);
    if (holds(snapshot, version)) {
      read.look = look_of(version);
      if (read.look == Look::kPresent) format.extract(live, payload);
    } else if (const auto old = old_.latest(wanted.table, entry, snapshot)) {
      read.old = true;
      read.look = look_of(old->version);
      const std::uint32_t bytes = format.payload_bytes();
      if (read.look == Look::kPresent) std::memcpy(payload, old->payload, bytes);
    } else {
      read.look = Look::kTooOld;
    }
    if (wanted.to_write && !holds(snapshot, version)) {
      read.look = Look::kNewer;
    } else if (wanted.to_write && read.locked) {
      read.look = Look::kLocked;
    }
  }
  if (read.old) {
    core.reach("si2pc: old version read");
    core.spend(Work::kRecordAccess);
  } else if (read.locked) {
    core.reach("si2pc: lock read through");
  }
  if (read.look == Look::kPresent) core.spend(Work::kCopyLine, format.lines());
  return read;
}

// One that nobody has touched is as it was loaded. Nothing: the entry is another key's.
std::optional<Look> Records::look(TableId table, const OrderedIndex::Item& item,
                                  std::uint64_t snapshot, rdma::Core& core) {
  if (!store_.touched(0, table, item.entry)) return Look::kPresent;
  std::byte* live = store_.record(0, table, item.entry);
  const std::uint64_t version = version_of(live);
  core.step(live);
  if (key_of(live) != item.key) return std::nullopt;
  if (holds(snapshot, version)) {
    if (!absent(version)) return Look::kPresent;
    pass_over({.table = table, .item = item, .version = version}, core);
    return Look::kAbsent;
  }
  core.reach("si2pc: scan finds a later version than its snapshot's");
  core.spend(Work::kLocalAtomic);
  core.spend(Work::kRecordAccess);
  const Still still(*this, table, item.entry, core);
  if (key_of(live) != item.key) return std::nullopt;
  if (holds(snapshot, version_of(live))) return look_of(version_of(live));
  const auto old = old_.latest(table, item.entry, snapshot);
  return old ? look_of(old->version) : Look::kTooOld;
}

// An entry that is used again begins with a version one higher, which is in all snapshots, too.
// False: somebody has locked it.
bool Records::take_out(const Erased& erased, rdma::Core& core) {
  const auto& [table, item, version] = erased;
  std::byte* live = store_.record(0, table, item.entry);
  if (!try_lock(live, kTakenOut)) return false;
  core.step(live);
  if (version_of(live) == version && key_of(live) == item.key &&
      store_.find(0, table, item.key, core) == item.entry) {
    core.reach("si2pc: erased record taken out of the indexes");
    {
      const Still still(*this, table, item.entry, core);
      old_.forget(table, item.entry);
    }
    store_.unindex(table, item.key, item.entry, version, &core);
  }
  txn::unlock(live, kTakenOut);
  core.spend(Work::kIndexInsert);
  return true;
}

// Where records cannot be inserted, keys that were loaded come again where they were.
void Records::pass_over(const Erased& erased, rdma::Core& core) {
  const TableLayout& layout = store_.layout().table(erased.table);
  if (layout.entries == layout.initial_records) return;
  const Nanoseconds now = core.now();
  const std::uint64_t since = change_count(erased.version);
  if (since < horizon_.held_by_all(now)) {
    take_out(erased, core);
  } else if (since < settled_.held_by_all(now)) {
    set_aside(erased, core);
  }
}

// Sets the record aside. An inserter locks it first, and then has it set back.
void Records::set_aside(const Erased& erased, rdma::Core& core) {
  const auto& [table, item, version] = erased;
  std::byte* live = store_.record(0, table, item.entry);
  const auto still = [live, &item, version] {
    return !locked(live) && version_of(live) == version && key_of(live) == item.key;
  };
  if (!store_.set_aside(table, item.key, change_count(version), still)) return;
  core.reach("si2pc: erased key set aside");
  core.spend(Work::kIndexInsert);
  const std::lock_guard guard(adding_);
  aside_.push_back(erased);
}

// Takes out keys set aside that no snapshot holds by now, some at a time.
void Records::take_out_aside(rdma::Core& core) {
  const std::uint64_t held = horizon_.held_by_all(core.now());
  for (std::size_t i = 0; i < kScanBatch; ++i) {
    std::optional<Erased> erased;
    {
      const std::lock_guard guard(adding_);
      if (aside_.empty() || change_count(aside_.front().version) >= held) return;
      erased = aside_.front();
      aside_.pop_front();
    }
    if (take_out(*erased, core)) continue;
    const std::lock_guard guard(adding_);
    return aside_.push_back(*erased);
  }
}

Look Records::look_again(TableId table, OrderedIndex::Item item, std::uint64_t snapshot,
                         rdma::Core& core) {
  for (;;) {
    if (const auto seen = look(table, item, snapshot, core)) return *seen;
    core.reach("si2pc: entry got another key before a scan came to it");
    const auto other = find(table, item.key, core);
    if (!other) return Look::kAbsent;
    item.entry = *other;
  }
}

ScanReply Records::scan(const ScanRequest& range, std::span<Key> keys, rdma::Core& core) {
  constexpr std::uint32_t kMostLooks = 1024;  // others want to be served, too
  std::uint32_t looks = 0;
  std::array<OrderedIndex::Item, kScanBatch> items;
  const std::span batch = std::span(items).first(std::min(kScanBatch, keys.size() + 1));
  if (!table(range.table).ordered) throw Malformed("is a scan of a table that is not ordered");
  const OrderedIndex& index = store_.ordered_index(range.table);
  take_out_aside(core);
  ScanReply reply{};
  OrderedIndex::Query rest{.first = range.first,
                           .last = range.last,
                           .descending = range.descending,
                           .inserted_only = false,
                           .holds = range.snapshot};
  std::uint32_t probes = 0;
  for (bool through = false; !through;) {
    const std::size_t found = index.list(rest, batch, probes);
    core.step();
    for (const OrderedIndex::Item& item : std::span(batch).first(found)) {
      reply.more = reply.keys == keys.size() || looks == kMostLooks;
      if (reply.more || reply.too_old) break;
      ++looks;
      reply.reached = item.key;
      const Look seen = look_again(range.table, item, range.snapshot, core);
      reply.too_old = seen == Look::kTooOld;
      if (seen == Look::kPresent) keys[reply.keys++] = item.key;
    }
    through =
        reply.more || reply.too_old || found < batch.size() || !go_on_behind(rest, reply.reached);
  }
  core.spend(Work::kIndexProbe, probes + looks);
  return reply;
}

// An absent record may have been taken out before it was locked.
Records::Prepared Records::prepare(const PreparedRecord& record, const PrepareRequest& request,
                                   rdma::Core& core) {
  using Status = PrepareReply::Status;
  check_below(record.table, store_.layout().tables(), "table");
  check_below(record.key, kNoKey, "key");
  core.spend(record.present ? Work::kIndexProbe : Work::kIndexInsert);
  core.spend(Work::kLocalAtomic);
  core.spend(Work::kRecordAccess);
  for (;;) {
    std::optional<std::uint32_t> entry;
    if (record.present) {
      entry = store_.find(0, record.table, record.key, core);
      // Its snapshot is too old.
      if (!entry) return {.status = Status::kStale, .entry = 0};
    } else {
      const auto reserved = store_.reserve(record.table, record.key, request.owner, &core);
      if (reserved.locked) return {.status = Status::kPrepared, .entry = reserved.entry};
      entry = reserved.entry;
    }
    std::byte* live = store_.record(0, record.table, *entry);
    core.step(live);
    if (!try_lock(live, request.owner)) {
      core.reach("si2pc: lock found taken");
      return {.status = Status::kLocked, .entry = 0};
    }
    core.step(live);
    const std::uint64_t version = version_of(live);
    const bool here =
        key_of(live) == record.key &&
        (!absent(version) || store_.find(0, record.table, record.key, core) == *entry);
    if (here && holds(request.snapshot, version)) {
      if (absent(version)) store_.set_back(record.table, record.key);
      return {.status = Status::kPrepared, .entry = *entry};
    }
    txn::unlock(live, request.owner);
    if (here) {
      core.reach("si2pc: record changed before it was locked");
      return {.status = Status::kStale, .entry = 0};
    }
    core.reach("si2pc: record taken out before it was locked");
  }
}

void Records::install(const InstalledRecord& record, const CommitRequest& request,
                      const std::byte* payload, rdma::Core& core) {
  check(record.table, record.entry);
  const RecordFormat& format = store_.layout().table(record.table).format;
  std::byte* live = store_.record(0, record.table, record.entry);
  check_held(live, request.owner);
  core.spend(Work::kLocalAtomic, 2);
  core.spend(Work::kCopyLine, format.lines() * (record.erased ? 1 : 2));
  {
    const Still still(*this, record.table, record.entry, core);
    const std::uint64_t before = version_of(live);
    std::byte* kept = old_.add(record.table, record.entry, before);
    if (!absent(before)) format.extract(live, kept);
    core.step(live);
    if (record.erased) {
      format.write_absent(live, request.timestamp | kAbsent, record.key, &core);
    } else {
      format.write_live(live, request.timestamp, record.key, payload, &core);
    }
  }
  core.step(live);
  txn::unlock(live, request.owner);
}

void Records::release(const ReleasedRecord& record) {
  check(record.table, record.entry);
  std::byte* live = store_.record(0, record.table, record.entry);
  check_held(live, record.owner);
  txn::unlock(live, record.owner);
}

}  // namespace verbena::txn::si2pc
