// The steps of a look-up.
#include "txn/occ/execution/look_up.h"

#include <cassert>
#include <cstring>

#include "txn/index/bucket.h"
#include "txn/occ/node/messages.h"
#include "txn/occ/node/primary_record.h"
#include "txn/store/lock_word.h"

namespace verbena::txn::occ {

using rdma::Work;

void LookUp::start(Access& access) {
  assert(access.state() == Access::State::kNoted);
  if (attempt_.local(access)) {
    read_local(access);
  } else if (access.inserts()) {
    access.ask_owner();  // only the owner adds to its index
  } else {
    choose_way(access, attempt_.plan().location_cache);
  }
}

void LookUp::start_again(Access& access, const PhasePlan& phase) {
  access.seek_again();
  if (attempt_.local(access)) {
    read_local(access);
  } else if (phase.primitive == Primitive::kOneSided) {
    read_first_bucket(access);
  } else {
    access.ask_owner();
  }
}

bool LookUp::locks_now(const Access& access) const {
  return attempt_.plan().lock_in_execution && !access.only_wanted_to_read();
}

void LookUp::choose_way(Access& access, bool use_cache) {
  const Primitive primitive = attempt_.read_plan().primitive;
  if (primitive == Primitive::kTwoSided || locks_now(access)) return access.ask_owner();
  if (use_cache) {
    attempt_.core().spend(Work::kCacheProbe);
    const auto cached = attempt_.node().cache().find(access.name());
    if (cached && *cached < access.table().entries) {
      attempt_.count(Counter::kCacheHits);
      return access.read_entry(*cached, Access::State::kReadRemembered);
    }
    attempt_.count(Counter::kCacheMisses);
  }
  if (primitive == Primitive::kOneSided) {
    read_first_bucket(access);
  } else {
    access.ask_owner();
  }
}

void LookUp::read_first_bucket(Access& access) {
  const RecordName& name = access.name();
  access.read_first_bucket(
      attempt_.node().layout().bucket_offset(0, name.table, access.table().bucket_of(name.key)));
}

// The node's own records are read by the CPU whatever the plan.
void LookUp::read_local(Access& access) {
  attempt_.count(Counter::kLocalReads);
  const PrimaryAccess wanted{.table = access.name().table,
                             .key = access.name().key,
                             .owner = attempt_.lock_word(),
                             .insert = access.inserts(),
                             .lock = locks_now(access),
                             .lock_if_added = true};
  NodeState& node = attempt_.node();
  PrimaryRecord primary = locate_primary(node, attempt_.core(), wanted);
  if (primary.status == PrimaryRecord::Status::kHere)
    read_primary(node, attempt_.core(), wanted, primary, access.payload());
  if (primary.status == PrimaryRecord::Status::kNowhere) {
    attempt_.reach("occ: key found nowhere, by CPU");
    return access.settle_nowhere(primary.version);
  }
  access.learned(primary.entry, primary.version);
  if (primary.locked) {
    access.lock().take(primary.locked_since_added ? HeldLock::How::kHeldSinceAdded
                                                  : HeldLock::How::kHeld);
  }
  if (primary.status == PrimaryRecord::Status::kLocked) {
    return take_conflict(access, Abort::kReadLocked);
  }
  if (primary.status == PrimaryRecord::Status::kChanged) {
    return take_conflict(access, Abort::kValidationFailed);
  }
  settle(access);
  if (access.found()) attempt_.core().spend(Work::kCopyLine, access.table().format.lines());
}

void LookUp::take_conflict(Access& access, AbortCause cause, std::uint64_t lock) {
  access.settle_conflict();
  attempt_.doom(cause, {.name = access.name(), .lock = lock});
}

void LookUp::settle(Access& access) {
  if (access.inserts() && attempt_.plan().ignore_conflicts) return access.settle_as_absent();
  access.settle();
}

bool LookUp::add_request(Access& access) {
  if (access.posted()) return true;
  switch (access.state()) {
    case Access::State::kNoted:
    case Access::State::kConflict:
    case Access::State::kFetched:
      return false;
    case Access::State::kReadRecord:
    case Access::State::kReadRemembered:
      attempt_.count(Counter::kOneSidedReads);
      attempt_.requests().read(attempt_.address(access, 0), access.image(),
                               access.table().format.bytes());
      access.was_posted();
      return true;
    case Access::State::kReadBucket:
      if (access.next_bucket().image == nullptr) {
        access.next_bucket().image = attempt_.arena().allocate(Bucket::kBytes, kLineBytes);
      }
      attempt_.requests().read({.node = Attempt::owner(access),
                                .region = attempt_.node().store_region(),
                                .offset = access.next_bucket().offset},
                               access.next_bucket().image, Bucket::kBytes);
      access.was_posted();
      return true;
    case Access::State::kAskOwner:
      ask_owner(access);
      return true;
  }
  return false;
}

void LookUp::ask_owner(Access& access) {
  attempt_.count(Counter::kRpcReads);
  const ReadRequest request{.key = access.name().key,
                            .owner = attempt_.lock_word(),
                            .table = access.name().table,
                            .insert = access.inserts(),
                            .lock = locks_now(access),
                            .reserved = {}};
  rdma::RpcBatch& calls = attempt_.calls();
  access.was_posted(static_cast<std::uint32_t>(calls.size()));
  std::memcpy(calls.reserve(Attempt::owner(access), Method::kRead, sizeof request).data(), &request,
              sizeof request);
}

void LookUp::take_answer(Access& access) {
  access.was_answered();
  switch (access.state()) {
    case Access::State::kNoted:
    case Access::State::kConflict:
    case Access::State::kFetched:
      return;
    case Access::State::kReadRecord:
    case Access::State::kReadRemembered:
      return take_record(access);
    case Access::State::kReadBucket:
      return take_bucket(access);
    case Access::State::kAskOwner:
      return take_reply(access);
  }
}

void LookUp::reach_stale_location(bool remembered, bool other_key) {
  if (!remembered) {
    attempt_.reach("occ: another key's record where a bucket leads");
  } else if (other_key) {
    attempt_.reach("occ: another key's record in a remembered location");
  } else {
    attempt_.reach("occ: no record in a remembered location");
  }
}

void LookUp::take_record(Access& access) {
  const RecordFormat& format = access.table().format;
  const std::byte* image = access.image();
  const bool remembered = access.state() == Access::State::kReadRemembered;
  const bool ignores = attempt_.plan().ignore_conflicts;
  const std::uint64_t lock = load_word(image + kLockOffset);
  if (lock != kUnlocked && !ignores) {
    attempt_.reach("occ: READ finds a lock");
    return take_conflict(access, Abort::kReadLocked, lock);
  }
  if (!format.untorn(image) && !ignores) {
    attempt_.reach("occ: READ of a record is torn");
    return take_conflict(access, Abort::kTornRead);
  }
  access.learned(access.entry(), load_word(image + kVersionOffset));
  // The location was another record's: stale, or another key with the same hash in the cache. Or
  // the record was erased; its key may have been inserted elsewhere since.
  const bool other_key = load_word(image + kKeyOffset) != access.name().key;
  if (other_key || (remembered && absent(access.version()))) {
    reach_stale_location(remembered, other_key);
    attempt_.node().cache().erase(access.name());
    return choose_way(access, false);
  }
  settle(access);
  if (!access.found()) return attempt_.reach("occ: record absent where its bucket leads, by READ");
  if (!remembered && attempt_.plan().location_cache) {
    attempt_.node().cache().insert(access.name(), access.entry());
  }
  if (format.lines() > 1) format.extract(image, access.payload());
}

void LookUp::take_bucket(Access& access) {
  attempt_.core().spend(Work::kIndexProbe);
  Bucket bucket;
  std::memcpy(&bucket, access.next_bucket().image, sizeof bucket);
  if (!bucket.untorn()) {  // its owner is changing it: read it again
    return attempt_.reach("occ: READ of a bucket is torn");
  }
  access.visited_bucket(bucket.lines[0].version);
  if (const auto entry = bucket.find(access.name().key)) {
    access.read_entry(*entry, Access::State::kReadRecord);
  } else if (const auto next = bucket.next()) {
    attempt_.reach("occ: link to another bucket followed by READ");
    access.read_next_bucket(
        attempt_.node().layout().indirect_offset(0, access.name().table, *next));
  } else {
    attempt_.reach("occ: key found nowhere, by READ");
    access.settle_nowhere(access.version());
  }
}

void LookUp::take_reply(Access& access) {
  attempt_.calls().take(access.call(), [&](std::span<const std::byte> bytes) {
    MessageReader reply(bytes);
    take_reply(access, reply);
  });
}

void LookUp::take_reply(Access& access, MessageReader& reply) {
  const auto head = reply.take<ReadReply>();
  if (head.status == ReadReply::Status::kNotFound) {
    attempt_.reach("occ: key found nowhere, by handler");
    return access.settle_nowhere(head.version);
  }
  check_below(head.entry, attempt_.node().layout().table(access.name().table).entries, "entry");
  access.learned(head.entry, head.version);
  if (head.locked) access.lock().take(HeldLock::How::kHeld);
  if (head.status == ReadReply::Status::kLocked) return take_conflict(access, Abort::kReadLocked);
  settle(access);
  if (!access.found()) return;
  if (attempt_.plan().location_cache) attempt_.node().cache().insert(access.name(), head.entry);
  attempt_.core().spend(Work::kCopyLine, access.table().format.lines());
  const auto payload = reply.take_bytes(access.table().format.payload_bytes());
  std::memcpy(access.payload(), payload.data(), payload.size());
}

}  // namespace verbena::txn::occ
