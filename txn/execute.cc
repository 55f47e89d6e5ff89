// The execution phase: finding and reading records (DrTM+H paper, section 5.1).
#include <cassert>
#include <cstring>

#include "txn/bucket.h"
#include "txn/messages.h"
#include "txn/transaction.h"
#include "txn/transaction_node.h"

namespace verbena::txn {

using rdma::Work;

const PhasePlan& Transaction::read_plan() const {
  return kind_ == Kind::kReadOnly ? node_.plan().read : node_.plan().execute;
}

bool Transaction::fetch() {
  const std::size_t last = accesses_.size();
  worker_.core().spend(Work::kTransactionStep, static_cast<std::uint32_t>(last - fetched_));
  if (read_plan().outstanding) {
    fetch_range(fetched_, last);
  } else {
    for (std::size_t i = fetched_; i < last && !doomed(); ++i) fetch_range(i, i + 1);
  }
  fetched_ = last;
  return !doomed();
}

void Transaction::fetch_range(std::size_t first, std::size_t last) {
  for (std::size_t i = first; i < last; ++i) start_access(accesses_[i]);
  // Each round is one round trip; a record needs one, with one-sided index look-ups one more per
  // bucket.
  while (!doomed()) {
    bool pending = false;
    for (std::size_t i = first; i < last; ++i) pending |= post_access(accesses_[i]);
    if (!pending) return;
    post_and_wait(read_plan());
    for (std::size_t i = first; i < last; ++i) {
      if (accesses_[i].step != Step::kDone) digest(accesses_[i]);
    }
    calls_.clear();
  }
}

void Transaction::start_access(Access& access) {
  if (local(access)) {
    read_local(access);
  } else {
    locate(access, node_.plan().location_cache);
  }
}

// Decides how the record is reached.
void Transaction::locate(Access& access, bool use_cache) {
  const Primitive primitive = read_plan().primitive;
  access.step = Step::kAskOwner;
  if (primitive == Primitive::kTwoSided) return;
  const TableLayout& table = node_.layout().table(access.name.table);
  if (use_cache) {
    worker_.core().spend(Work::kCacheProbe);
    const auto cached = node_.cache().find(access.name);
    if (cached && *cached < table.entries) {
      coordinator_.count(Counter::kCacheHits);
      access.entry = *cached;
      access.step = Step::kReadRecord;
      return;
    }
    coordinator_.count(Counter::kCacheMisses);
  }
  if (primitive == Primitive::kOneSided) {
    access.bucket =
        node_.layout().bucket_offset(0, access.name.table, table.bucket_of(access.name.key));
    access.step = Step::kReadBucket;
  }
}

// The node's own records are read by the CPU whatever the plan.
void Transaction::read_local(Access& access) {
  coordinator_.count(Counter::kLocalReads);
  std::uint32_t probes = 0;
  const auto entry = node_.store().find(0, access.name.table, access.name.key, &probes);
  worker_.core().spend(Work::kIndexProbe, probes);
  access.step = Step::kDone;
  if (!entry) return;
  access.entry = *entry;
  Key key = 0;
  worker_.core().spend(Work::kRecordAccess);
  worker_.core().spend(Work::kCopyLine, format(access).lines());
  if (!node_.store().read(0, access.name.table, *entry, access.version, key, access.payload)) {
    return doom(AbortCause::kReadLocked);
  }
  access.found = true;
}

// Adds the access's next request, if it needs one.
bool Transaction::post_access(Access& access) {
  switch (access.step) {
    case Step::kDone:
      return false;
    case Step::kReadRecord:
      coordinator_.count(Counter::kOneSidedReads);
      requests_.read(address(access, 0), access.image, format(access).bytes());
      return true;
    case Step::kReadBucket:
      if (access.bucket_image == nullptr)
        access.bucket_image = arena_.allocate(Bucket::kBytes, kLineBytes);
      requests_.read(
          {.node = access.name.partition, .region = node_.store_region(), .offset = access.bucket},
          access.bucket_image, Bucket::kBytes);
      return true;
    case Step::kAskOwner: {
      coordinator_.count(Counter::kRpcReads);
      const ReadRequest request{.key = access.name.key, .table = access.name.table, .reserved = {}};
      access.call = static_cast<std::uint32_t>(calls_.size());
      std::memcpy(calls_.reserve(access.name.partition, Method::kRead, sizeof request).data(),
                  &request, sizeof request);
      return true;
    }
  }
  return false;
}

void Transaction::digest(Access& access) {
  switch (access.step) {
    case Step::kDone:
      return;
    case Step::kReadRecord:
      return digest_record(access);
    case Step::kReadBucket:
      return digest_bucket(access);
    case Step::kAskOwner:
      return digest_reply(access);
  }
}

void Transaction::digest_record(Access& access) {
  const RecordFormat& layout = format(access);
  if (load_word(access.image + kLockOffset) != kUnlocked) return doom(AbortCause::kReadLocked);
  if (!layout.untorn(access.image)) return doom(AbortCause::kTornRead);
  access.version = load_word(access.image + kVersionOffset);
  if (access.version == 0 || load_word(access.image + kKeyOffset) != access.name.key) {
    // The location was another record's: stale, or another key with the same hash in the cache.
    node_.cache().erase(access.name);
    return locate(access, false);
  }
  if (layout.lines() > 1) layout.extract(access.image, access.payload);
  access.found = true;
  access.step = Step::kDone;
}

void Transaction::digest_bucket(Access& access) {
  worker_.core().spend(Work::kIndexProbe);
  Bucket bucket;
  std::memcpy(&bucket, access.bucket_image, sizeof bucket);
  if (!bucket.untorn()) return;  // its owner is changing it: read it again
  if (const auto entry = bucket.find(access.name.key)) {
    access.entry = *entry;
    access.step = Step::kReadRecord;
    if (node_.plan().location_cache) node_.cache().insert(access.name, *entry);
  } else if (const auto next = bucket.next()) {
    access.bucket = node_.layout().indirect_offset(0, access.name.table, *next);
  } else {
    access.step = Step::kDone;
  }
}

void Transaction::digest_reply(Access& access) {
  const auto reply = calls_.reply(access.call);
  ReadReply head;
  std::memcpy(&head, reply.data(), sizeof head);
  access.step = Step::kDone;
  if (head.status == ReadReply::Status::kNotFound) return;
  access.entry = head.entry;
  if (node_.plan().location_cache) node_.cache().insert(access.name, head.entry);
  if (head.status == ReadReply::Status::kLocked) return doom(AbortCause::kReadLocked);
  access.version = head.version;
  worker_.core().spend(Work::kCopyLine, format(access).lines());
  std::memcpy(access.payload, reply.data() + sizeof head, format(access).payload_bytes());
  access.found = true;
}

}  // namespace verbena::txn
