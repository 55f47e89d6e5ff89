// Scans of ordered tables, and validation of what is not there: keys that were not found, and
// ranges that hold no other keys than were seen.
#include <cassert>
#include <cstring>
#include <stdexcept>
#include <string>

#include "txn/occ/messages.h"
#include "txn/occ/transaction.h"
#include "txn/occ/transaction_node.h"

namespace verbena::txn::occ {

bool Transaction::scan(const KeyRange& range, std::uint32_t limit, std::vector<Key>& keys) {
  assert(active());
  if (limit > node_.options().limits.scanned) {
    throw std::logic_error("a scan of " + std::to_string(limit) + " keys; declared are " +
                           std::to_string(node_.options().limits.scanned));
  }
  await_outstanding();
  keys.clear();
  if (doomed()) return false;
  Scan& scan = scans_.emplace_back(Scan{.request = {.first = range.first,
                                                    .last = range.last,
                                                    .owner = owner_word_,
                                                    .position = 0,
                                                    .limit = limit,
                                                    .table = range.table,
                                                    .descending = range.descending,
                                                    .validate = false,
                                                    .reserved = 0},
                                        .partition = range.partition,
                                        .digest = 0,
                                        .call = 0});
  post_scan(scan);
  calls_.post(doorbell(read_plan()));
  calls_.wait();
  const auto reply = calls_.reply(scan.call);
  ScanReply head;
  std::memcpy(&head, reply.data(), sizeof head);
  keys.resize(head.keys);
  if (head.keys > 0) {
    std::memcpy(keys.data(), reply.data() + sizeof head, head.keys * sizeof(Key));
  }
  calls_.clear();
  scan.digest = head.digest;
  scan.request.position = head.position;
  scan.request.validate = true;
  return true;
}

// The owner scans, this node itself without network.
void Transaction::post_scan(Scan& scan) {
  scan.call = static_cast<std::uint32_t>(calls_.size());
  std::memcpy(calls_.reserve(scan.partition, Method::kScan, sizeof scan.request).data(),
              &scan.request, sizeof scan.request);
}

void Transaction::validate_scans(const PhasePlan& phase) {
  if (scans_.empty() || doomed()) return;
  for (Scan& scan : scans_) post_scan(scan);
  calls_.post(doorbell(phase));
  calls_.wait();
  for (const Scan& scan : scans_) {
    ScanReply reply;
    std::memcpy(&reply, calls_.reply(scan.call).data(), sizeof reply);
    if (reply.changed || reply.digest != scan.digest) doom(Abort::kValidationFailed);
  }
  calls_.clear();
}

// A key that was absent must have been so throughout. If an index had the record, the same look-up
// must lead to the same version of it; if none had it, to buckets that have not changed.
void Transaction::validate_absence(const PhasePlan& phase) {
  absences_.clear();
  for (std::uint32_t i = 0; i < accesses_.size(); ++i) {
    const Access& access = accesses_[i];
    if (access.state != State::kAbsent || locked(access)) continue;
    absences_.push_back({.access = i, .entry = access.entry, .version = access.version});
  }
  if (absences_.empty() || doomed()) return;
  bool pending = look_up_again(phase);
  while (pending && !doomed()) {
    for (const Absence& absence : absences_) post_access(accesses_[absence.access]);
    post_and_wait(phase);
    pending = false;
    for (const Absence& absence : absences_) {
      Access& access = accesses_[absence.access];
      if (access.posted) digest(access);
      pending |= !settled(access);
    }
    calls_.clear();
  }
  for (const Absence& absence : absences_) {
    const Access& access = accesses_[absence.access];
    if (access.item->found || access.entry != absence.entry || access.version != absence.version) {
      doom(Abort::kValidationFailed);
    }
  }
}

// Whether requests have to be sent for it.
bool Transaction::look_up_again(const PhasePlan& phase) {
  bool pending = false;
  for (const Absence& absence : absences_) {
    Access& access = accesses_[absence.access];
    access.item->intent = Intent::kRead;
    access.state = State::kAskOwner;
    if (local(access)) {
      read_local(access);
    } else if (phase.primitive == Primitive::kOneSided) {
      read_bucket_of(access);
    }
    pending |= !settled(access);
  }
  return pending;
}

}  // namespace verbena::txn::occ
