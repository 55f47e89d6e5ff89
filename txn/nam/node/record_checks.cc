// Finding out whether the records of a memory server are as they should be.
#include "txn/nam/node/record_checks.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "rdma/base/random.h"
#include "txn/nam/records/version.h"
#include "txn/schema/value_digest.h"

namespace verbena::txn::nam {
namespace {

constexpr std::size_t kMostErrors = 10;

void report(SelfCheck& check, const RecordName& name, const std::string& what) {
  if (check.errors.size() == kMostErrors) return;
  check.errors.push_back("table " + std::to_string(name.table) + " partition " +
                         std::to_string(name.partition) + " key " + std::to_string(name.key) + " " +
                         what);
}

}  // namespace

// Lists each partition's copy before what is seen of its tables.
SelfCheck RecordChecks::run() {
  SelfCheck check;
  for (const PartitionId partition : layout_.view().primaries(node_)) {
    check.copies.push_back({.partition = partition, .primary = true, .digest = 0});
    for_each_touched(partition, [&](const RecordName& name, std::uint64_t entry) {
      check_record(name, entry, check);
    });
  }
  if (journals_ != nullptr) tell_commits(check);
  return check;
}

template <typename Visit>
void RecordChecks::for_each_touched(PartitionId partition, Visit&& visit) {
  for (std::size_t t = 0; t < layout_.schema().size(); ++t) {
    at_rest_.for_each_touched(static_cast<TableId>(t), partition, visit);
  }
}

// Tells each slot's last commit that a record here is of, and that each journal here ends with.
void RecordChecks::tell_commits(SelfCheck& check) {
  std::vector<std::uint32_t> newest(layout_.vector().slots());
  for (const PartitionId partition : layout_.view().primaries(node_)) {
    for_each_touched(partition, [&](const RecordName& name, std::uint64_t entry) {
      const Stamp stamp = stamp_of(at_rest_.live(name, entry).version());
      if (stamp.slot >= newest.size()) return;
      newest[stamp.slot] = std::max(newest[stamp.slot], stamp.count);
    });
  }
  for (std::uint32_t slot = 1; slot < newest.size(); ++slot) {
    if (newest[slot] > 0) check.commits.push_back({.slot = slot, .count = newest[slot]});
    tell_journals(slot, check);
  }
}

void RecordChecks::tell_journals(std::uint32_t slot, SelfCheck& check) {
  for (std::uint32_t copy = 0; copy < journals_->copies(); ++copy) {
    const RemoteAddress ring = journals_->ring(slot, copy);
    if (ring.node != node_) continue;
    JournalHead head;
    std::memcpy(&head, rings_->at(ring.offset, sizeof head), sizeof head);
    if (head.bytes == 0) continue;
    check.commits.push_back({.slot = slot, .count = head.stamp.count, .last = true});
  }
}

void RecordChecks::check_record(const RecordName& name, std::uint64_t entry, SelfCheck& check) {
  ++check.records;
  const RecordImage image = at_rest_.live(name, entry);
  const ImageFormat& format = layout_.table(name.table).format;
  KeyIndex& keys = at_rest_.index(name);
  const bool listed = layout_.table(name.table).ordered && keys.ordered().find(name.key) == entry;
  if (image.lock() == kGivenUp) {
    if (!deleted(image.version())) report(check, name, "is there, and its entry was given up");
    if (keys.find(name.key) == entry || listed) report(check, name, "is still in its index");
    return;
  }
  if (name.key == kNoKey) {
    // Allocated, and not claimed.
    if (image.version() != kNeverThere) report(check, name, "is there, and was never claimed");
    return;
  }
  if (locked(image.lock())) {
    report(check, name, "is locked");
  } else if (image.lock() != image.version()) {
    report(check, name, "has a lock word that is not its version");
  }
  if (!format.whole(image)) report(check, name, "has lines of different versions");
  check.copies.back().digest +=
      mix64(mix64(name.key ^ image.version()) ^ digest_of({image.bytes(), format.bytes()}));
  if (keys.find(name.key) != entry || listed != layout_.table(name.table).ordered) {
    report(check, name, "is not where indexes lead");
  }
  check_old_versions(name, entry, check);
}

// The last K versions before the current one, or as many as there were.
void RecordChecks::check_old_versions(const RecordName& name, std::uint64_t entry,
                                      SelfCheck& check) {
  const std::uint32_t kept = layout_.versions();
  const std::uint32_t installs = at_rest_.live(name, entry).installs();
  const ImageFormat& format = layout_.table(name.table).format;
  for (std::uint32_t slot = 0; slot < kept; ++slot) {
    const RemoteAddress at = layout_.headers(name, entry);
    const auto* header = reinterpret_cast<const OldHeader*>(
        records_.at(at.offset + slot * sizeof(OldHeader), sizeof(OldHeader)));
    if (header->installs == 0 && installs <= kept) continue;
    if (header->installs >= installs || header->installs + kept < installs ||
        header->installs % kept != slot) {
      report(check, name, "does not keep the versions before its current one");
      return;
    }
    if (deleted(header->version)) continue;
    const RecordImage old(records_.at(layout_.old(name, entry, slot).offset, format.bytes()));
    if (old.version() != without_moved(header->version) || !format.whole(old)) {
      report(check, name, "has an old version that is not what its header says");
    }
  }
  if (overflow_ != nullptr && installs > kept + kFirstInstall && !overflow_->follows(name, entry)) {
    report(check, name, "has lost versions between its old ones and overflow");
  }
}

}  // namespace verbena::txn::nam
