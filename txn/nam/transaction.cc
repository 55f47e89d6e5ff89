// Reading by a snapshot, locking, installing and publishing.
#include "txn/nam/transaction.h"

#include <algorithm>
#include <cassert>
#include <stdexcept>

#include "rdma/worker.h"
#include "txn/nam/version.h"

namespace verbena::txn::nam {

using rdma::Work;

NamTransaction::NamTransaction(rdma::Worker& worker, std::uint16_t fiber, const Layout& layout,
                               const TransactionLimits& limits, bool stable_snapshots,
                               WorkerMetrics& metrics)
    : Transaction(worker),
      layout_(layout),
      metrics_(metrics),
      slot_(layout.slot_of(worker.node(), worker.id(), fiber)),
      reader_(worker, layout, stable_snapshots, metrics),
      batch_(worker.connections()),
      memory_(worker.allocate_scratch(scratch_bytes(layout, limits) -
                                      SnapshotReader::scratch_bytes(layout))) {}

// Each record has an image, a payload, headers, and when it is written a second image.
std::size_t NamTransaction::scratch_bytes(const Layout& layout, const TransactionLimits& limits) {
  std::size_t most = 0;
  for (std::size_t t = 0; t < layout.schema().size(); ++t) {
    most = std::max<std::size_t>(most, layout.table(static_cast<TableId>(t)).format.stride());
  }
  const std::size_t headers = cache_lines((layout.versions() + 1) * sizeof(OldHeader));
  return SnapshotReader::scratch_bytes(layout) +
         limits.records * (3 * most + headers * kCacheLineBytes);
}

std::byte* NamTransaction::allocate(std::size_t bytes) {
  const std::size_t whole = std::size_t{cache_lines(bytes)} * kCacheLineBytes;
  if (used_ + whole > memory_.size()) {
    throw std::logic_error("a transaction touches more records than was declared");
  }
  used_ += whole;
  return memory_.data() + used_ - whole;
}

void NamTransaction::begin_attempt(Kind kind) {
  start_attempt(kind);
  worker_.core().spend(Work::kTransactionSetup);
  accesses_.clear();
  used_ = fetched_ = 0;
  snapshot_ = {};
  ++attempts_;
  began_at_ = worker_.now();
  timestamp_time_ = 0;
}

Transaction::Handle NamTransaction::note(const RecordName& name, Intent intent) {
  const auto known = std::ranges::find(accesses_, name, &Access::name);
  if (known != accesses_.end()) return static_cast<Handle>(known - accesses_.begin());
  const TableDefinition& definition = layout_.schema()[name.table];
  Access access{.name = name, .index = definition.initial_index(name.key)};
  access.image = RecordImage(allocate(layout_.table(name.table).format.bytes()));
  access.headers =
      reinterpret_cast<OldHeader*>(allocate((layout_.versions() + 1) * sizeof(OldHeader)));
  accesses_.push_back(access);
  items_.push_back({.payload = allocate(definition.payload_bytes),
                    .bytes = definition.payload_bytes,
                    .intent = intent});
  return static_cast<Handle>(accesses_.size() - 1);
}

void NamTransaction::take_new_snapshot() {
  const Nanoseconds began = worker_.now();
  snapshot_ = reader_.read();
  timestamp_time_ = worker_.now() - began;
  assert(snapshot_[slot_] == commits_);
  take_snapshot(snapshot_);
}

bool NamTransaction::visible(std::uint64_t version) const {
  return txn::visible(stamp_of(version), snapshot_);
}

bool NamTransaction::fetch_noted() {
  if (doomed()) return false;
  if (snapshot_.empty()) take_new_snapshot();
  const auto first = static_cast<std::ptrdiff_t>(fetched_);
  for (std::size_t i = fetched_; i < accesses_.size(); ++i) {
    worker_.core().spend(Work::kTransactionStep);
    if (!accesses_[i].index) settle(accesses_[i], items_[i]);
  }
  const auto open = [](const Access& access) { return access.state != State::kSettled; };
  while (std::any_of(accesses_.begin() + first, accesses_.end(), open)) {
    for (std::size_t i = fetched_; i < accesses_.size(); ++i) {
      if (open(accesses_[i])) request(accesses_[i]);
    }
    batch_.post();
    batch_.wait();
    for (std::size_t i = fetched_; i < accesses_.size(); ++i) {
      if (open(accesses_[i])) consider(accesses_[i], items_[i]);
    }
    if (doomed()) return false;
  }
  fetched_ = accesses_.size();
  return true;
}

void NamTransaction::request(Access& access) {
  const std::uint32_t bytes = table(access).format.bytes();
  switch (access.state) {
    case State::kCurrent:
      metrics_.count(worker_.now(), Counter::kReads);
      return batch_.read(layout_.current(access.name, *access.index), access.image.bytes(), bytes);
    case State::kHeaders:
      return batch_.read(layout_.headers(access.name, *access.index), access.headers,
                         static_cast<std::uint32_t>(layout_.versions() * sizeof(OldHeader)));
    case State::kOld:
      metrics_.count(worker_.now(), Counter::kOldReads);
      return batch_.read(layout_.old(access.name, *access.index, access.old_slot),
                         access.image.bytes(), bytes);
    case State::kSettled:
      return;
  }
}

void NamTransaction::consider(Access& access, Item& item) {
  worker_.core().spend(Work::kRecordAccess);
  switch (access.state) {
    case State::kCurrent:
      return take_current(access, item);
    case State::kHeaders:
      return take_headers(access);
    case State::kOld:
      return take_old(access, item);
    case State::kSettled:
      return;
  }
}

// A writer looks for no older version: what it would replace is another one.
void NamTransaction::take_current(Access& access, Item& item) {
  if (!table(access).format.whole(access.image)) {
    worker_.core().reach("nam: READ of a record is torn");
    metrics_.count(worker_.now(), Counter::kTornReads);
    return;
  }
  const bool is_locked = locked(access.image.lock());
  if (visible(access.image.version())) {
    if (!is_locked) return settle(access, item);
    if (item.intent != Intent::kRead) {
      worker_.core().reach("nam: writer finds a lock");
      return doom(Abort::kLocked);
    }
    worker_.core().reach("nam: lock read through");
    metrics_.count(worker_.now(), Counter::kReadThrough);
    return settle(access, item);
  }
  if (item.intent != Intent::kRead) {
    worker_.core().reach("nam: writer finds a later version than its snapshot's");
    return doom(Abort::kStaleSnapshot);
  }
  access.state = State::kHeaders;
}

// Old versions of one record follow each other by their installs. Those that were there when the
// current version was read are there or have been replaced by later ones.
void NamTransaction::take_headers(Access& access) {
  const std::span<const OldHeader> headers(access.headers, layout_.versions());
  const OldHeader* best = nullptr;
  for (const OldHeader& header : headers) {
    if (header.installs == 0 || !visible(header.version)) continue;
    if (best == nullptr || header.installs > best->installs) best = &header;
  }
  if (best == nullptr) {
    worker_.core().reach("nam: no old version is in the snapshot");
    return doom(Abort::kSnapshotTooOld);
  }
  access.old_slot = static_cast<std::uint32_t>(best - headers.data());
  access.old_version = best->version;
  access.state = State::kOld;
}

void NamTransaction::take_old(Access& access, Item& item) {
  if (!table(access).format.whole(access.image) || access.image.version() != access.old_version) {
    worker_.core().reach("nam: old version replaced before it was read");
    access.state = State::kCurrent;
    return;
  }
  worker_.core().reach("nam: old version read");
  settle(access, item);
}

void NamTransaction::settle(Access& access, Item& item) {
  access.state = State::kSettled;
  item.fetched = true;
  item.found = access.index && !deleted(access.image.version());
  if (!item.found) return;
  worker_.core().spend(Work::kCopyLine, table(access).format.lines());
  table(access).format.extract(access.image, item.payload);
}

// Compare-and-swap succeeds where the version is still the one that was read.
bool NamTransaction::lock_all() {
  const std::uint64_t owner = lock_word(slot_, attempts_);
  for (std::size_t i = 0; i < accesses_.size(); ++i) {
    if (!items_[i].written) continue;
    Access& access = accesses_[i];
    batch_.compare_and_swap(layout_.current(access.name, *access.index), access.image.version(),
                            owner, &access.found);
  }
  batch_.post();
  batch_.wait();
  bool all = true;
  for (std::size_t i = 0; i < accesses_.size(); ++i) {
    if (!items_[i].written) continue;
    Access& access = accesses_[i];
    access.locked = access.found == access.image.version();
    if (access.locked) continue;
    all = false;
    if (locked(access.found)) {
      worker_.core().reach("nam: lock by compare-and-swap finds it taken");
      doom(Abort::kLocked);
    } else {
      worker_.core().reach("nam: lock by compare-and-swap finds the record changed");
      doom(Abort::kStaleSnapshot);
    }
  }
  if (!all) unlock_all();
  return all;
}

void NamTransaction::unlock_all() {
  for (Access& access : accesses_) {
    if (!access.locked) continue;
    worker_.core().reach("nam: lock given back");
    access.image.unlock();
    batch_.write(layout_.current(access.name, *access.index), access.image.bytes() + kLockOffset,
                 8);
    access.locked = false;
  }
  if (!batch_.empty()) batch_.post();
  batch_.wait();
}

void NamTransaction::install(const Stamp& stamp) {
  for (std::size_t i = 0; i < accesses_.size(); ++i) {
    if (!items_[i].written) continue;
    Access& access = accesses_[i];
    const ImageFormat& format = table(access).format;
    const std::uint32_t installs = access.image.installs();
    const std::uint32_t slot = installs % layout_.versions();
    access.image.unlock();
    OldHeader* header = access.headers + layout_.versions();
    *header = {.version = access.image.version(), .installs = installs};
    const RecordImage next(allocate(format.bytes()));
    format.compose(next, version_of(stamp, items_[i].erased), installs + 1, access.name.key,
                   items_[i].payload);
    worker_.core().spend(Work::kCopyLine, format.lines());
    batch_.write(layout_.old(access.name, *access.index, slot), access.image.bytes(),
                 format.bytes());
    RemoteAddress headers = layout_.headers(access.name, *access.index);
    headers.offset += slot * sizeof(OldHeader);
    batch_.write(headers, header, sizeof(OldHeader));
    batch_.write(layout_.current(access.name, *access.index), next.bytes(), format.bytes());
  }
  batch_.post();
  batch_.wait();
}

// No queue pair orders it behind what was installed elsewhere.
void NamTransaction::publish(const Stamp& stamp) {
  batch_.write(layout_.vector(stamp.slot), &stamp.count, sizeof stamp.count);
  batch_.post();
  batch_.wait();
}

bool NamTransaction::commit_attempt() {
  if (doomed() || !any_written()) return end(!doomed());
  const Nanoseconds read = worker_.now();
  if (!lock_all()) return end(false);
  const Nanoseconds held = worker_.now();
  assert(commits_ < kMostCount);
  const Stamp stamp{.slot = slot_, .count = ++commits_};
  take_place();
  take_stamp(stamp);
  install(stamp);
  const Nanoseconds installed = worker_.now();
  publish(stamp);
  const Nanoseconds published = worker_.now();
  if (metrics_.measured(published)) {
    metrics_.record(Phase::kTimestamp, timestamp_time_);
    metrics_.record(Phase::kRead, read - began_at_ - timestamp_time_);
    metrics_.record(Phase::kLock, held - read);
    metrics_.record(Phase::kInstall, installed - held);
    metrics_.record(Phase::kPublish, published - installed);
  }
  return end(true);
}

// What was read is in a snapshot, so it was a state.
bool NamTransaction::roll_back_attempt() {
  const bool stands = !doomed();
  if (stands) doom(Abort::kRolledBack);
  end(false);
  return stands;
}

bool NamTransaction::end(bool committed) {
  const Nanoseconds decided = worker_.now();
  if (metrics_.measured(decided)) {
    if (committed) {
      ++metrics_.metrics().committed;
    } else {
      metrics_.metrics().count(*cause());
    }
  }
  end_attempt(decided);
  return committed;
}

}  // namespace verbena::txn::nam
