// State of one record in an attempt: its look-up, the version read, the lock held.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>

#include "txn/occ/attempt/held_lock.h"
#include "txn/schema/table.h"
#include "txn/store/record.h"
#include "txn/store/store_layout.h"
#include "txn/transaction.h"

namespace verbena::txn::occ {

/// A look-up goes from kNoted through pending states, one request each, to a settled state. Only a
/// record's absence is looked up again. Calls out of this order fail an assertion.
class Access {
 public:
  using Item = txn::Transaction::Item;
  using Intent = txn::Transaction::Intent;

  /// Entry of a record that no index has.
  static constexpr std::uint32_t kNowhere = UINT32_MAX;

  enum class State : std::uint8_t {
    kNoted,  ///< nothing was done for it yet

    // Pending.
    kReadBucket,      ///< next: READ the next bucket of its index
    kReadRecord,      ///< next: READ the record at the place that a bucket named
    kReadRemembered,  ///< next: READ the record at the place that the location cache named
    kAskOwner,        ///< next: ask for it by an RPC

    // Settled.
    kConflict,  ///< another transaction held or changed it; the attempt is doomed
    kFetched,   ///< it is known if there is such a record
  };

  /// Bucket of its index to read next.
  struct NextBucket {
    std::uint64_t offset = 0;    ///< in the store
    std::byte* image = nullptr;  ///< memory to read it into, once there is some
  };

  /// Both are registered memory: `image` for the record, `header` for its first 16 B.
  Access(const RecordName& name, Item& item, const TableLayout& table, std::byte* image,
         std::byte* header)
      : name_(name), item_(&item), table_(&table), image_(image), header_(header) {}

  const RecordName& name() const { return name_; }
  const TableLayout& table() const { return *table_; }
  bool inserts() const { return item_->intent == Intent::kInsert; }
  bool written() const { return item_->written; }
  bool erased() const { return item_->erased; }
  bool found() const { return item_->found; }
  bool only_wanted_to_read() const { return item_->intent == Intent::kRead; }

  State state() const { return state_; }
  bool pending() const { return State::kNoted < state_ && state_ < State::kConflict; }
  bool settled() const { return state_ >= State::kConflict; }
  /// True if it exists or will be inserted: it can be locked and validated.
  bool located() const { return state_ == State::kFetched && (found() || inserts()); }
  /// True if there is no such record: nothing to lock, absence is validated.
  bool missing() const { return state_ == State::kFetched && !located(); }
  /// True if the state's request is in flight.
  bool posted() const { return posted_; }

  /// Entry of the record, once known; kNowhere if no index has it.
  std::uint32_t entry() const { return entry_; }
  /// Version that was read; for a key that no index has, the stamp of the look-up (Store::find).
  std::uint64_t version() const { return version_; }
  /// Version that this attempt gives to a record that it writes.
  std::uint64_t new_version() const {
    assert(item_->written && located());
    return next_version(version_, !item_->erased);
  }

  /// Payload, outside of the image if the record has several lines.
  std::byte* payload() const { return item_->payload; }
  /// Record as it lies in registered memory.
  std::byte* image() const { return image_; }
  /// Lock word and version as they are read after execution.
  std::byte* header() const { return header_; }
  NextBucket& next_bucket() { return next_bucket_; }
  /// Number of the call that asks for it.
  std::uint32_t call() const { return call_; }

  // The look-up goes on.

  void read_first_bucket(std::uint64_t offset) {
    version_ = 0;
    read_next_bucket(offset);
  }
  void read_next_bucket(std::uint64_t offset) {
    go_on(State::kReadBucket);
    next_bucket_.offset = offset;
  }
  void visited_bucket(std::uint64_t bucket_version) {
    assert(state_ == State::kReadBucket && !posted_);
    version_ += bucket_version;
  }
  /// Goes on to read the record; `where` is kReadRecord or kReadRemembered.
  void read_entry(std::uint32_t entry, State where) {
    assert(where == State::kReadRecord || where == State::kReadRemembered);
    go_on(where);
    entry_ = entry;
  }
  void ask_owner() { go_on(State::kAskOwner); }

  /// Notes that the request was posted; `call` is its number if it asks the owner.
  void was_posted(std::uint32_t call = 0) {
    assert(pending() && !posted_);
    posted_ = true;
    call_ = call;
  }
  void was_answered() {
    assert(pending() && posted_);
    posted_ = false;
  }

  // The look-up ends.

  /// Notes the entry and the version found there, before settle() or another step judges them.
  void learned(std::uint32_t entry, std::uint64_t version) {
    assert(!settled() && !posted_ && entry != kNowhere);
    entry_ = entry;
    version_ = version;
  }

  /// Settles a record that was read, which may be absent. An absent record's version tells nothing
  /// of its key, which may be inserted elsewhere: unless this transaction inserts it, validation
  /// looks the key up again.
  void settle() {
    assert(entry_ != kNowhere);
    settle_as(!absent(version_));
  }

  /// Settles a record to be inserted as absent, whatever was found.
  void settle_as_absent() {
    assert(inserts() && entry_ != kNowhere);
    settle_as(false);
  }

  /// Settles a key that no index has.
  void settle_nowhere(std::uint64_t stamp) {
    assert(!inserts() && !lock_.held());
    entry_ = kNowhere;
    version_ = stamp;
    settle_as(false);
  }

  /// Settles a record that another transaction held or changed.
  void settle_conflict() { go_on(State::kConflict); }

  /// Starts a new look-up of an absent record, as of one that is only read.
  void seek_again() {
    assert(missing() && !lock_.held());
    item_->intent = Intent::kRead;
    state_ = State::kNoted;
  }

  // The lock.

  HeldLock& lock() { return lock_; }
  const HeldLock& lock() const { return lock_; }
  bool to_lock() const { return item_->written && !lock_.held(); }
  bool to_validate() const { return located() && !item_->written && !lock_.held(); }

 private:
  void go_on(State next) {
    assert(!settled() && !posted_);
    state_ = next;
  }
  void settle_as(bool found) {
    go_on(State::kFetched);
    item_->fetched = true;
    item_->found = found;
  }

  RecordName name_;
  Item* item_;
  const TableLayout* table_;
  std::uint32_t entry_ = kNowhere;
  State state_ = State::kNoted;
  HeldLock lock_;
  bool posted_ = false;
  std::uint32_t call_ = 0;
  NextBucket next_bucket_;
  std::uint64_t version_ = 0;
  std::byte* image_;
  std::byte* header_;
};

}  // namespace verbena::txn::occ
