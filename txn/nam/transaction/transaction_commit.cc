// Locking, installing and publishing.
#include <algorithm>

#include "rdma/base/message_io.h"
#include "rdma/rpc/rpc.h"
#include "rdma/worker.h"
#include "txn/nam/records/record_bounds.h"
#include "txn/nam/records/version.h"
#include "txn/nam/transaction/transaction.h"

namespace verbena::txn::nam {

using rdma::Work;

NodeId NamTransaction::server_of(std::size_t access) const {
  return layout_.view().primary(accesses_[access].name.partition);
}

// Compare-and-swap succeeds where the version is still the one that was read.
bool NamTransaction::lock_all() {
  check_written();
  step_ = Step::kLocks;
  const std::uint64_t owner = lock_word(number_, attempts_);
  claimed_.clear();
  for (std::size_t i = 0; i < accesses_.size(); ++i) {
    if (!items_[i].written) continue;
    Access& access = accesses_[i];
    if (!access.entry) {
      claimed_.push_back(i);
      continue;
    }
    check_installs(access.image.installs(), access.name);
    servers_.compare_and_swap(layout_.current(access.name, *access.entry), access.image.version(),
                              owner, &access.found);
  }
  servers_.post();
  const Nanoseconds posted = worker_.now();
  if (!claimed_.empty()) claim_keys(owner);
  servers_.wait();
  if (!claimed_.empty()) {
    take_claims();
    claim_time_ = worker_.now() - posted;
  }
  const bool held = all_locked();
  if (held) take_place();
  // Entries that were given up are not another key's before.
  const bool all = held && check_age() && make_room();
  if (!all) unlock_all();
  if (all) set_back_erased();
  return all;
}

// Before anything is installed: whoever has a snapshot that holds it comes across the key.
void NamTransaction::set_back_erased() {
  erased_.clear();
  for (std::size_t i = 0; i < accesses_.size(); ++i) {
    const Access& access = accesses_[i];
    if (!items_[i].written || !table(access).collects()) continue;
    const std::uint64_t version = access.image.version();
    if (deleted(version) && version != kNeverThere) erased_.push_back(i);
  }
  if (erased_.empty()) return;
  const Nanoseconds began = worker_.now();
  call_servers(erased_, Method::kSetBack, {}, [](const Access& access) {
    return ErasedRecord{.key = access.name.key,
                        .partition = access.name.partition,
                        .table = access.name.table,
                        .reserved = {}};
  });
  calls_.wait();
  calls_.clear();
  worker_.core().reach("nam: erased record about to be inserted again");
  claim_time_ += worker_.now() - began;
}

// Chosen by this side, where it has extents.
void NamTransaction::allot_entries(std::uint64_t owner) {
  std::vector<RecordName> without;
  const auto allot = [&](std::size_t i) {
    Access& access = accesses_[i];
    access.allotted = extents_->take(access.name, worker_.now());
    return access.allotted != kAnyEntry;
  };
  for (const std::size_t i : claimed_) {
    if (!allot(i)) without.push_back(accesses_[i].name);
  }
  if (without.empty()) return;
  extents_->refill(calls_, without, owner, worker_.now());
  metrics_.count(worker_.now(), Counter::kAllocations);
  for (const std::size_t i : claimed_) {
    if (accesses_[i].allotted == kAnyEntry) allot(i);
  }
}

void NamTransaction::claim_keys(std::uint64_t owner) {
  if (extents_ != nullptr) allot_entries(owner);
  metrics_.count(worker_.now(), Counter::kClaims, claimed_.size());
  const ClaimRequest head{.owner = owner};
  call_servers(claimed_, Method::kClaim, std::as_bytes(std::span(&head, 1)),
               [](const Access& access) {
                 return KeyToClaim{.key = access.name.key,
                                   .entry = access.allotted,
                                   .partition = access.name.partition,
                                   .table = access.name.table,
                                   .reserved = {}};
               });
}

void NamTransaction::take_claims() {
  calls_.wait();
  auto next = claimed_.begin();
  for (std::size_t call = 0; call < calls_.size(); ++call) {
    calls_.take(call, [&](std::span<const std::byte> bytes) {
      MessageReader reply(bytes);
      const auto left = static_cast<std::size_t>(claimed_.end() - next);
      const std::size_t least = call + 1 == calls_.size() ? left : 0;
      check_within(reply.count<Claim>(), least, left, "claims");
      for (; !reply.rest().empty(); ++next) take_claim(*next, reply.take<Claim>());
    });
  }
  calls_.clear();
}

// A record that was claimed is as if it had been read, and locked.
void NamTransaction::take_claim(std::size_t claimed, const Claim& claim) {
  Access& access = accesses_[claimed];
  if (claim.fresh == 0) {
    doom(Abort::kKeyTaken);
    if (access.allotted != kAnyEntry) extents_->put_back(access.name, access.allotted);
    return;
  }
  check_entry(layout_, access.name.table, claim.entry);
  worker_.core().reach("nam: key claimed");
  access.entry = claim.entry;
  table(access).format.compose(access.image, kNeverThere, kFirstInstall, access.name.key,
                               items_[claimed].payload);
  access.found = kNeverThere;
  // It has no old versions.
  std::fill_n(access.headers, layout_.headers_of_record(), OldHeader{});
  access.headers_read = true;
}

// Notes which locks were had.
bool NamTransaction::all_locked() {
  bool all = true;
  for (std::size_t i = 0; i < accesses_.size(); ++i) {
    if (!items_[i].written) continue;
    Access& access = accesses_[i];
    access.locked = access.entry && access.found == access.image.version();
    if (access.locked) continue;
    all = false;
    if (!access.entry) continue;
    if (locked(access.found)) {
      worker_.core().reach("nam: lock by compare-and-swap finds it taken");
      lose(access, Abort::kLocked, access.found);
    } else {
      worker_.core().reach("nam: lock by compare-and-swap finds the record changed");
      lose(access, Abort::kStaleSnapshot, access.found);
    }
  }
  return all;
}

void NamTransaction::unlock_all() {
  for (Access& access : accesses_) {
    if (!access.locked) continue;
    worker_.core().reach("nam: lock given back");
    access.image.unlock();
    servers_.unlock(layout_.current(access.name, *access.entry), access.image);
    access.locked = false;
  }
  servers_.post();
  servers_.wait();
}

void NamTransaction::log(const Stamp& stamp) {
  step_ = Step::kLogs;
  changes_.clear();
  for (std::size_t i = 0; i < accesses_.size(); ++i) {
    const Item& item = items_[i];
    if (!item.written) continue;
    const Access& access = accesses_[i];
    changes_.push_back({.record = {.key = access.name.key,
                                   .entry = *access.entry,
                                   .replaced = access.image.version(),
                                   .installs = access.image.installs(),
                                   .partition = access.name.partition,
                                   .table = access.name.table,
                                   .erased = item.erased},
                        .payload = {item.payload, item.bytes}});
  }
  journal_->write(stamp, lock_word(number_, attempts_), snapshot_, changes_);
  worker_.core().reach("nam: journal written");
}

void NamTransaction::install(const Stamp& stamp) {
  step_ = Step::kInstalls;
  for (std::size_t i = 0; i < accesses_.size(); ++i) {
    if (!items_[i].written) continue;
    Access& access = accesses_[i];
    const ImageFormat& format = table(access).format;
    const std::uint32_t installs = access.image.installs();
    const std::uint32_t slot = installs % layout_.versions();
    access.image.unlock();
    OldHeader* header = access.headers + layout_.headers_of_record();
    *header = {.version = access.image.version(), .installs = installs};
    const RecordImage next(allocate(format.bytes()));
    format.compose(next, version_of(stamp, items_[i].erased), installs + 1, access.name.key,
                   items_[i].payload);
    worker_.core().spend(Work::kCopyLine, format.lines());
    if (!deleted(access.image.version())) {
      servers_.write_image(layout_.old(access.name, *access.entry, slot), access.image, format);
    }
    RemoteAddress headers = layout_.headers(access.name, *access.entry);
    headers.offset += slot * sizeof(OldHeader);
    servers_.write_header(headers, header);
    servers_.write_image(layout_.current(access.name, *access.entry), next, format);
    if (layout_.overflows()) hint(access);
  }
  servers_.post();
  worker_.core().reach("nam: new versions are being written");
  servers_.wait();
  step_ = Step::kPublishes;
}

// Who has a timestamp and does not commit says so, also to checks.
bool NamTransaction::give_up(const std::optional<Stamp>& stamp) {
  if (!stamp) return end(false);
  worker_.core().reach("nam: timestamp given up");
  take_place();
  take_stamp(*stamp);
  timestamps_->give_up(*stamp);
  return end(false);
}

bool NamTransaction::commit_attempt() {
  const bool stamps = any_written() || (options_.stamp_empty && kind() == Kind::kReadWrite);
  if (doomed() || !stamps) return end(!doomed());
  need_snapshot();
  const Nanoseconds read = worker_.now();
  const std::optional<Stamp> early = timestamps_->take_before_locks();
  const Nanoseconds stamped = worker_.now();
  worker_.core().reach("nam: about to lock");
  if (any_written() && !lock_all()) return give_up(early);
  worker_.core().reach("nam: all locks held");
  const Nanoseconds held = worker_.now();
  last_commit_ = timestamps_->take();
  take_place();
  take_stamp(last_commit_);
  if (journal_) log(last_commit_);
  const Nanoseconds logged = worker_.now();
  if (any_written()) install(last_commit_);
  worker_.core().reach("nam: new versions installed");
  const Nanoseconds installed = worker_.now();
  timestamps_->publish(last_commit_);
  worker_.core().reach("nam: commit published");
  const Nanoseconds published = worker_.now();
  if (metrics_.measured(published)) {
    metrics_.record(Phase::kTimestamp, timestamp_time_ + (stamped - read));
    const Nanoseconds index = lookup_time_ + claim_time_;
    if (index > 0 * kSecond) metrics_.record(Phase::kIndex, index);
    metrics_.record(Phase::kRead, read - began_at_ - timestamp_time_ - lookup_time_);
    metrics_.record(Phase::kLock, held - stamped - claim_time_);
    if (journal_) metrics_.record(Phase::kLog, logged - held);
    metrics_.record(Phase::kInstall, installed - logged);
    metrics_.record(Phase::kPublish, published - installed);
  }
  return end(true);
}

}  // namespace verbena::txn::nam
