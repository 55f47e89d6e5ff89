// The execution phase: finding and reading records (DrTM+H paper, section 5.1).
#include <cassert>
#include <cstring>

#include "txn/occ/messages.h"
#include "txn/occ/primary_record.h"
#include "txn/occ/transaction.h"
#include "txn/occ/transaction_node.h"
#include "txn/store/bucket.h"

namespace verbena::txn::occ {

using rdma::Work;

const PhasePlan& Transaction::read_plan() const {
  return kind() == Kind::kReadOnly ? node_.plan().read : node_.plan().execute;
}

void Transaction::prefetch() {
  const std::size_t last = accesses_.size();
  start(started_, last, read_plan().outstanding);
  if (!read_plan().outstanding) return;
  outstanding_ |= post_round(started_, last);
  started_ = last;
}

bool Transaction::fetch() {
  const std::size_t last = accesses_.size();
  const std::size_t first_new = started_;
  started_ = last;
  if (read_plan().outstanding) {
    start(first_new, last, true);
    outstanding_ |= post_round(fetched_, last);
    finish_rounds(fetched_, last);
  } else {
    for (std::size_t i = fetched_; i < last && !doomed(); ++i) {
      start(i, i + 1, true);
      outstanding_ = post_round(i, i + 1);
      finish_rounds(i, i + 1);
    }
  }
  fetched_ = last;
  return !doomed();
}

// Records of this node are done after it; of the others it is decided how they are reached.
void Transaction::start(std::size_t first, std::size_t last, bool remote_too) {
  for (std::size_t i = first; i < last && !doomed(); ++i) {
    Access& access = accesses_[i];
    if (access.state != State::kNoted || (!remote_too && !local(access))) continue;
    worker_.give_way();
    worker_.core().spend(Work::kTransactionStep);
    start_access(access);
  }
}

bool Transaction::post_round(std::size_t first, std::size_t last) {
  bool pending = false;
  if (doomed()) return false;
  for (std::size_t i = first; i < last; ++i) pending |= post_access(accesses_[i]);
  if (!pending) return false;
  const PhasePlan& phase = read_plan();
  if (!requests_.empty()) requests_.post(doorbell(phase));
  if (calls_.size() > 0) calls_.post(doorbell(phase));
  return true;
}

// Each round is one round trip; a record needs one, with one-sided index look-ups one more per
// bucket. What has been posted is waited for even if the attempt is doomed: its memory will be used
// again, and a call may have locked a record.
void Transaction::finish_rounds(std::size_t first, std::size_t last) {
  while (outstanding_) {
    await_outstanding();
    outstanding_ = post_round(first, last);
  }
}

void Transaction::await_outstanding() {
  if (!outstanding_) return;
  outstanding_ = false;
  requests_.wait();
  calls_.wait();
  for (std::size_t i = fetched_; i < started_; ++i) {
    if (accesses_[i].posted) digest(accesses_[i]);
  }
  calls_.clear();
}

bool Transaction::locks_now(const Access& access) const {
  return node_.plan().lock_in_execution && access.item->intent != Intent::kRead;
}

void Transaction::start_access(Access& access) {
  if (local(access)) {
    read_local(access);
  } else if (access.item->intent == Intent::kInsert) {
    access.state = State::kAskOwner;  // only the owner adds to its index
  } else {
    locate(access, node_.plan().location_cache);
  }
}

// Decides how the record is reached.
void Transaction::locate(Access& access, bool use_cache) {
  const Primitive primitive = read_plan().primitive;
  access.state = State::kAskOwner;
  if (primitive == Primitive::kTwoSided || locks_now(access)) return;
  const TableLayout& table = node_.layout().table(access.name.table);
  if (use_cache) {
    worker_.core().spend(Work::kCacheProbe);
    const auto cached = node_.cache().find(access.name);
    if (cached && *cached < table.entries) {
      coordinator_.count(Counter::kCacheHits);
      access.entry = *cached;
      access.state = State::kReadRemembered;
      return;
    }
    coordinator_.count(Counter::kCacheMisses);
  }
  if (primitive == Primitive::kOneSided) read_bucket_of(access);
}

void Transaction::read_bucket_of(Access& access) {
  const TableLayout& table = node_.layout().table(access.name.table);
  access.bucket =
      node_.layout().bucket_offset(0, access.name.table, table.bucket_of(access.name.key));
  access.version = 0;
  access.state = State::kReadBucket;
}

// The node's own records are read by the CPU whatever the plan.
void Transaction::read_local(Access& access) {
  coordinator_.count(Counter::kLocalReads);
  const PrimaryAccess wanted{.table = access.name.table,
                             .key = access.name.key,
                             .owner = owner_word_,
                             .insert = access.item->intent == Intent::kInsert,
                             .lock = locks_now(access),
                             .lock_fresh = true};
  PrimaryRecord own = locate_primary(node_, worker_.core(), wanted);
  if (own.status == PrimaryRecord::Status::kHere)
    read_primary(node_, wanted, own, access.item->payload);
  access.entry = own.status == PrimaryRecord::Status::kNowhere ? kNowhere : own.entry;
  access.version = own.version;
  access.lock = own.fresh ? Lock::kBorn : own.locked ? Lock::kHeld : Lock::kNone;
  switch (own.status) {
    case PrimaryRecord::Status::kNowhere:
      return settle_nowhere(access);
    case PrimaryRecord::Status::kLocked:
      access.state = State::kConflict;
      return doom(Abort::kReadLocked);
    case PrimaryRecord::Status::kChanged:
      access.state = State::kConflict;
      return doom(Abort::kValidationFailed);
    case PrimaryRecord::Status::kHere:
      break;
  }
  settle(access);
  if (access.item->found) worker_.core().spend(Work::kCopyLine, format(access).lines());
}

// Adds the access's next request, if it needs one.
bool Transaction::post_access(Access& access) {
  if (access.posted) return true;
  switch (access.state) {
    case State::kNoted:
    case State::kConflict:
    case State::kAbsent:
    case State::kLocated:
      return false;
    case State::kReadRecord:
    case State::kReadRemembered:
      access.posted = true;
      coordinator_.count(Counter::kOneSidedReads);
      requests_.read(address(access, 0), access.image, format(access).bytes());
      return true;
    case State::kReadBucket:
      access.posted = true;
      if (access.bucket_image == nullptr)
        access.bucket_image = arena_.allocate(Bucket::kBytes, kLineBytes);
      requests_.read(
          {.node = access.name.partition, .region = node_.store_region(), .offset = access.bucket},
          access.bucket_image, Bucket::kBytes);
      return true;
    case State::kAskOwner: {
      access.posted = true;
      coordinator_.count(Counter::kRpcReads);
      const ReadRequest request{.key = access.name.key,
                                .owner = owner_word_,
                                .table = access.name.table,
                                .insert = access.item->intent == Intent::kInsert,
                                .lock = locks_now(access),
                                .reserved = {}};
      access.call = static_cast<std::uint32_t>(calls_.size());
      std::memcpy(calls_.reserve(access.name.partition, Method::kRead, sizeof request).data(),
                  &request, sizeof request);
      return true;
    }
  }
  return false;
}

void Transaction::digest(Access& access) {
  access.posted = false;
  switch (access.state) {
    case State::kNoted:
    case State::kConflict:
    case State::kAbsent:
    case State::kLocated:
      return;
    case State::kReadRecord:
    case State::kReadRemembered:
      return digest_record(access);
    case State::kReadBucket:
      return digest_bucket(access);
    case State::kAskOwner:
      return digest_reply(access);
  }
}

void Transaction::digest_record(Access& access) {
  const RecordFormat& layout = format(access);
  const bool remembered = access.state == State::kReadRemembered;
  if (load_word(access.image + kLockOffset) != kUnlocked) {
    access.state = State::kConflict;
    return doom(Abort::kReadLocked);
  }
  if (!layout.untorn(access.image)) {
    access.state = State::kConflict;
    return doom(Abort::kTornRead);
  }
  access.version = load_word(access.image + kVersionOffset);
  // The location was another record's: stale, or another key with the same hash in the cache. Or
  // the record was erased; its key may have been inserted elsewhere since.
  const bool other_key = load_word(access.image + kKeyOffset) != access.name.key;
  if (other_key || (remembered && absent(access.version))) {
    node_.cache().erase(access.name);
    return locate(access, false);
  }
  settle(access);
  if (!access.item->found) return;
  if (!remembered && node_.plan().location_cache) node_.cache().insert(access.name, access.entry);
  if (layout.lines() > 1) layout.extract(access.image, access.item->payload);
}

void Transaction::digest_bucket(Access& access) {
  worker_.core().spend(Work::kIndexProbe);
  Bucket bucket;
  std::memcpy(&bucket, access.bucket_image, sizeof bucket);
  if (!bucket.untorn()) return;  // its owner is changing it: read it again
  access.version += bucket.lines[0].version;
  if (const auto entry = bucket.find(access.name.key)) {
    access.entry = *entry;
    access.state = State::kReadRecord;
  } else if (const auto next = bucket.next()) {
    access.bucket = node_.layout().indirect_offset(0, access.name.table, *next);
  } else {
    settle_nowhere(access);
  }
}

void Transaction::digest_reply(Access& access) {
  const auto reply = calls_.reply(access.call);
  ReadReply head;
  std::memcpy(&head, reply.data(), sizeof head);
  access.version = head.version;
  if (head.status == ReadReply::Status::kNotFound) return settle_nowhere(access);
  access.entry = head.entry;
  access.lock = head.locked ? Lock::kHeld : Lock::kNone;
  if (head.status == ReadReply::Status::kLocked) {
    access.state = State::kConflict;
    return doom(Abort::kReadLocked);
  }
  settle(access);
  if (!access.item->found) return;
  if (node_.plan().location_cache) node_.cache().insert(access.name, head.entry);
  worker_.core().spend(Work::kCopyLine, format(access).lines());
  std::memcpy(access.item->payload, reply.data() + sizeof head, format(access).payload_bytes());
}

// The record was read, and may be absent. An absent record's version says nothing of its key, which
// may be inserted elsewhere: unless this transaction inserts it, validation looks the key up again.
void Transaction::settle(Access& access) {
  Item& item = *access.item;
  item.fetched = true;
  item.found = !absent(access.version);
  access.state = item.found || item.intent == Intent::kInsert ? State::kLocated : State::kAbsent;
}

// No index has the key.
void Transaction::settle_nowhere(Access& access) {
  access.item->fetched = true;
  access.entry = kNowhere;
  access.state = State::kAbsent;
}

}  // namespace verbena::txn::occ
