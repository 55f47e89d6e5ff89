// Reading by a snapshot.
#include "txn/nam/transaction/transaction.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "rdma/worker.h"
#include "txn/index/bucket.h"
#include "txn/nam/message_sizes.h"
#include "txn/nam/oracle/own_slot.h"
#include "txn/nam/records/version.h"
#include "txn/nam/versions/overflow.h"

namespace verbena::txn::nam {

using rdma::Work;

namespace {

std::span<OldHeader> headers_in(std::span<std::byte> memory) {
  return {reinterpret_cast<OldHeader*>(memory.data()), memory.size() / sizeof(OldHeader)};
}

}  // namespace

NamTransaction::NamTransaction(rdma::Worker& worker, std::uint16_t fiber, const Layout& layout,
                               const TransactionLimits& limits, const NodeOptions& options,
                               const LatestVector* latest, std::unique_ptr<Timestamps> timestamps,
                               const JournalLayout* journals, rdma::Region* own_records,
                               Extents* extents, CatalogCache* catalog, ToldVectors& told,
                               WorkerMetrics& metrics)
    : Transaction(worker),
      layout_(layout),
      options_(options),
      metrics_(metrics),
      number_(layout.fiber_number(worker.node(), worker.id(), fiber)),
      snapshots_(worker, layout, options, latest, metrics),
      age_limit_({.name = "nam.longest_transaction",
                  .value = options.longest_transaction,
                  .by_default = NodeOptions{}.longest_transaction}),
      timestamps_(std::move(timestamps)),
      batch_(worker.connections()),
      servers_(worker, batch_, own_records),
      calls_(worker.rpc()),
      extents_(extents),
      catalog_(catalog),
      told_(told),
      scan_headers_(headers_in(worker.allocate_scratch(scan_bytes(layout, limits)))),
      memory_(worker.allocate_scratch(record_bytes(layout, limits))) {
  if (journals != nullptr) journal_.emplace(worker, layout, *journals, limits, number_);
  if (catalog != nullptr) {
    const std::span<std::byte> memory = worker.allocate_scratch(catalog_bytes(layout));
    catalog_versions_ = {reinterpret_cast<std::uint64_t*>(memory.data()), memory.size() / 8};
  }
}

std::size_t NamTransaction::scratch_bytes(const Layout& layout, const TransactionLimits& limits,
                                          const NodeOptions& options) {
  return SnapshotSource::scratch_bytes(layout, options) + scan_bytes(layout, limits) +
         record_bytes(layout, limits) + catalog_bytes(layout) +
         (options.journals > 0
              ? Journal::scratch_bytes(layout, limits, !options.checkpoints.empty())
              : 0) +
         (options.restore.empty() ? 0 : OwnSlot::scratch_bytes());
}

// Each record has an image, a payload, headers, and when it is written a second image, and perhaps
// a hint. Images have room for a bucket.
std::size_t NamTransaction::record_bytes(const Layout& layout, const TransactionLimits& limits) {
  std::size_t most = 0;
  for (std::size_t t = 0; t < layout.schema().size(); ++t) {
    most = std::max<std::size_t>(most, layout.table(static_cast<TableId>(t)).format.stride());
  }
  most = std::max<std::size_t>(most, Bucket::kBytes);
  const std::size_t headers = cache_lines(cells_of_record(layout) * sizeof(OldHeader));
  const std::size_t hint = layout.overflows() ? kCacheLineBytes : 0;
  return limits.records * (3 * most + headers * kCacheLineBytes + hint);
}

// Of each key of a scan the headers of its old versions, and then perhaps what is in overflow.
std::size_t NamTransaction::cells_of_scanned(const Layout& layout) {
  return layout.overflows() ? std::max(layout.headers_of_record(), kCellsOfMoved)
                            : layout.headers_of_record();
}

std::size_t NamTransaction::scan_bytes(const Layout& layout, const TransactionLimits& limits) {
  const std::size_t bytes = listed_keys(limits) * cells_of_scanned(layout) * sizeof(OldHeader);
  return std::size_t{cache_lines(bytes)} * kCacheLineBytes;
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
  catalog_homes_.clear();
  used_ = fetched_ = 0;
  snapshot_ = {};
  step_ = Step::kReads;
  ++attempts_;
  began_at_ = worker_.now();
  timestamp_time_ = lookup_time_ = claim_time_ = 0;
}

Transaction::Handle NamTransaction::note(const RecordName& name, Intent intent) {
  const auto known = std::ranges::find(accesses_, name, &Access::name);
  if (known != accesses_.end()) return static_cast<Handle>(known - accesses_.begin());
  const TableDefinition& definition = layout_.schema()[name.table];
  const Layout::Table& table = layout_.table(name.table);
  Access access{.name = name, .entry = definition.initial_index(name.key)};
  if (!access.entry && table.inserts()) access.state = State::kBucket;
  access.image = RecordImage(allocate(std::max<std::size_t>(table.format.bytes(), Bucket::kBytes)));
  access.headers =
      reinterpret_cast<OldHeader*>(allocate(cells_of_record(layout_) * sizeof(OldHeader)));
  accesses_.push_back(access);
  items_.push_back({.payload = allocate(definition.payload_bytes),
                    .bytes = definition.payload_bytes,
                    .intent = intent,
                    .drawn = definition.drawn()});
  return static_cast<Handle>(accesses_.size() - 1);
}

void NamTransaction::need_snapshot() {
  if (!snapshot_.empty()) return;
  const Nanoseconds began = worker_.now();
  const SnapshotSource::Snapshot taken = snapshots_.take(last_commit_);
  snapshot_ = taken.counts;
  snapshot_at_ = taken.began_at;
  const Nanoseconds now = worker_.now();
  timestamp_time_ = now - began;
  metrics_.record(now, Time::kSnapshotAge, now - snapshot_at_);
  take_snapshot({.counts = snapshot_,
                 .fetched_at = snapshot_at_,
                 .usable = ages() ? options_.longest_transaction : kNever});
}

bool NamTransaction::ages() const { return layout_.collects() || layout_.overflows(); }

// What memory servers have taken out of indexes or overflow since may be in an older snapshot.
bool NamTransaction::check_age() {
  if (!ages()) return true;
  if (age_limit_.allows(snapshot_at_, worker_.now())) return true;
  worker_.core().reach("nam: snapshot gets too old");
  doom(Abort::kSnapshotTooOld);
  return false;
}

bool NamTransaction::visible(std::uint64_t version) const {
  return txn::visible(stamp_of(version), snapshot_);
}

bool NamTransaction::fetch_noted() {
  if (doomed()) return false;
  need_snapshot();
  step_ = Step::kReads;
  const auto first = static_cast<std::ptrdiff_t>(fetched_);
  for (std::size_t i = fetched_; i < accesses_.size(); ++i) {
    worker_.core().spend(Work::kTransactionStep);
    if (servers_.by_cpu()) worker_.give_way();
    const Access& access = accesses_[i];
    const bool nowhere = !access.entry && access.state != State::kBucket;
    if (nowhere) settle(accesses_[i], items_[i], false);
  }
  const auto open = [](const Access& access) { return access.state != State::kSettled; };
  while (std::any_of(accesses_.begin() + first, accesses_.end(), open)) {
    const Nanoseconds began = worker_.now();
    bool looks_up = false;
    find_buckets();
    for (std::size_t i = fetched_; i < accesses_.size(); ++i) {
      looks_up |= accesses_[i].state == State::kBucket;
      if (open(accesses_[i])) request(accesses_[i], items_[i].intent);
    }
    servers_.post();
    servers_.wait();
    if (!check_age()) return false;
    check_catalog();
    for (std::size_t i = fetched_; i < accesses_.size(); ++i) {
      if (open(accesses_[i])) consider(accesses_[i], items_[i]);
    }
    if (looks_up) lookup_time_ += worker_.now() - began;
    if (doomed()) return false;
  }
  fetched_ = accesses_.size();
  return true;
}

void NamTransaction::read_link(Access& access) {
  servers_.read_headers(layout_.overflow(access.name, access.link.line), access.headers,
                        kCellsOfMoved);
}

void NamTransaction::read_headers(Access& access) {
  servers_.read_headers(layout_.headers(access.name, *access.entry), access.headers,
                        layout_.headers_of_record());
}

// Who is going to write finds out by the way whether there is a place for what he will replace.
void NamTransaction::request(Access& access, Intent intent) {
  const ImageFormat& format = table(access).format;
  switch (access.state) {
    case State::kBucket:
      metrics_.count(worker_.now(), Counter::kBucketReads);
      return servers_.read_bucket(access.bucket, access.image.bytes());
    case State::kCurrent: {
      const RemoteAddress current = layout_.current(access.name, *access.entry);
      metrics_.count(worker_.now(), Counter::kReads);
      if (servers_.own(current)) metrics_.count(worker_.now(), Counter::kOwnReads);
      servers_.read_image(current, access.image, format);
      access.headers_read = layout_.overflows() && intent != Intent::kRead;
      if (access.headers_read) read_headers(access);
      return;
    }
    case State::kHeaders:
      return read_headers(access);
    case State::kOld:
      metrics_.count(worker_.now(), Counter::kOldReads);
      return servers_.read_image(layout_.old(access.name, *access.entry, access.old_slot),
                                 access.image, format);
    case State::kLink:
      metrics_.count(worker_.now(), Counter::kOverflowReads);
      return read_link(access);
    case State::kMoved:
      metrics_.count(worker_.now(), Counter::kOverflowReads);
      servers_.read_image(layout_.overflow(access.name, access.link.line + 1), access.image,
                          format);
      return read_link(access);
    case State::kSettled:
      return;
  }
}

void NamTransaction::consider(Access& access, Item& item) {
  const bool bucket = access.state == State::kBucket;
  worker_.core().spend(bucket ? Work::kIndexProbe : Work::kRecordAccess);
  switch (access.state) {
    case State::kBucket:
      return take_bucket(access, item);
    case State::kCurrent:
      return take_current(access, item);
    case State::kHeaders:
      return take_headers(access, item);
    case State::kOld:
      return take_old(access, item);
    case State::kLink:
      return take_link(access, item);
    case State::kMoved:
      return take_moved(access, item);
    case State::kSettled:
      return;
  }
}

// A key that has no entry after the snapshot was taken is in no commit that this holds.
void NamTransaction::take_bucket(Access& access, Item& item) {
  if (!access.bucket_known) return;
  Bucket bucket;
  std::memcpy(&bucket, access.image.bytes(), sizeof bucket);
  if (!bucket.untorn()) return worker_.core().reach("nam: READ of a bucket is torn");
  if (const auto entry = bucket.find(access.name.key)) {
    access.entry = *entry;
    access.state = State::kCurrent;
  } else if (const auto next = bucket.next()) {
    worker_.core().reach("nam: link to another bucket followed");
    access.bucket = layout_.indirect_bucket(access.name, access.catalog.generation, *next);
  } else {
    worker_.core().reach("nam: key found nowhere");
    settle(access, item, false);
  }
}

// A writer looks for no older version: what it would replace is another one.
void NamTransaction::take_current(Access& access, Item& item) {
  if (!table(access).format.whole(access.image)) {
    worker_.core().reach("nam: READ of a record is torn");
    metrics_.count(worker_.now(), Counter::kTornReads);
    return;
  }
  if (access.image.lock() == kGivenUp || access.image.key() != access.name.key) {
    worker_.core().reach("nam: entry of an erased record was given up");
    access.entry.reset();
    look_at_catalog_again(access);
    access.state = State::kBucket;
    return;
  }
  const bool is_locked = locked(access.image.lock());
  if (visible(access.image.version())) {
    const bool found = !deleted(access.image.version());
    if (!is_locked) return settle(access, item, found);
    if (item.intent != Intent::kRead) {
      worker_.core().reach("nam: writer finds a lock");
      return lose(access, Abort::kLocked, access.image.lock());
    }
    worker_.core().reach("nam: lock read through");
    metrics_.count(worker_.now(), Counter::kReadThrough);
    return settle(access, item, found);
  }
  if (item.intent != Intent::kRead) {
    worker_.core().reach("nam: writer finds a later version than its snapshot's");
    return lose(access, Abort::kStaleSnapshot, access.image.version());
  }
  access.state = State::kHeaders;
}

Versions NamTransaction::choose(const OldHeader* headers, const OldHeader** best) const {
  const VersionChoice choice = choose_version(std::span(headers, layout_.headers_of_record()),
                                              snapshot_, layout_.overflows());
  *best = choice.latest;
  if (choice.versions == Versions::kTorn) {
    worker_.core().reach("nam: headers of old versions are of different times");
  }
  return choice.versions;
}

void NamTransaction::take_headers(Access& access, Item& item) {
  const OldHeader* best = nullptr;
  const Versions versions = choose(access.headers, &best);
  if (versions == Versions::kTorn) return;
  if (versions == Versions::kFound && best != access.headers + layout_.versions()) {
    if (deleted(best->version)) {
      worker_.core().reach("nam: record was not there in the snapshot");
      return settle(access, item, false);
    }
    access.old_slot = static_cast<std::uint32_t>(best - access.headers);
    access.old_version = without_moved(best->version);
    access.state = State::kOld;
    return;
  }
  if (layout_.overflows()) return follow(access, access.headers[layout_.versions()]);
  worker_.core().reach("nam: no old version is in the snapshot");
  lose(access, Abort::kSnapshotTooOld, access.image.version());
}

void NamTransaction::take_old(Access& access, Item& item) {
  if (!table(access).format.whole(access.image) || access.image.version() != access.old_version) {
    worker_.core().reach("nam: old version replaced before it was read");
    access.state = State::kCurrent;
    return;
  }
  worker_.core().reach("nam: old version read");
  settle(access, item, true);
}

void NamTransaction::settle(Access& access, Item& item, bool found) {
  access.state = State::kSettled;
  item.fetched = true;
  item.found = found;
  if (!found) return;
  worker_.core().spend(Work::kCopyLine, table(access).format.lines());
  table(access).format.extract(access.image, item.payload);
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
  const bool over = committed || cause() == Abort::kRolledBack;
  if (over) full_since_ = kNever;
  age_limit_.attempt_ended(over, decided);
  return committed;
}

}  // namespace verbena::txn::nam
