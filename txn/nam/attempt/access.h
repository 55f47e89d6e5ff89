// State of one record in an attempt: its look-up, the version read, the lock held.
#pragma once

#include <cassert>
#include <cstdint>
#include <optional>

#include "rdma/base/types.h"
#include "txn/nam/index/catalog_cache.h"
#include "txn/nam/messages.h"
#include "txn/nam/records/record_image.h"
#include "txn/nam/records/version.h"
#include "txn/schema/table.h"

namespace verbena::txn::nam {

/// A look-up goes through states to kSettled, one request for each state; a state may be repeated.
/// A written record is claimed first if it has no entry, then locked, and unlocked at most once.
/// Calls out of this order fail an assertion. Belongs to its attempt.
class Access {
 public:
  enum class State : std::uint8_t {
    kBucket,   ///< next: READ a bucket that may lead to the record
    kCurrent,  ///< next: READ its current version
    kHeaders,  ///< next: READ the headers of its old versions
    kOld,      ///< next: READ one of its old versions
    kLink,     ///< next: READ the header of a version in overflow
    kMoved,    ///< next: READ a version in overflow
    kSettled,
  };

  /// `entry`: the loaded record's entry; empty if it was not loaded. `indexed`: an index may then
  /// have the record. `image` also has room for a bucket; `headers` has room for those of a record
  /// and for one more, which is to be written.
  Access(const RecordName& name, std::optional<std::uint64_t> entry, bool indexed,
         RecordImage image, OldHeader* headers)
      : name_(name),
        entry_(entry),
        state_(!entry && indexed ? State::kBucket : State::kCurrent),
        image_(image),
        headers_(headers) {}

  const RecordName& name() const { return name_; }
  State state() const { return state_; }
  bool settled() const { return state_ == State::kSettled; }
  /// True if there is no such record and no index that could get it later.
  bool nowhere() const { return !entry_ && state_ == State::kCurrent; }
  bool has_entry() const { return entry_.has_value(); }
  std::uint64_t entry() const {
    assert(entry_);
    return *entry_;
  }

  /// Version that was read, or bucket.
  RecordImage image() const { return image_; }
  /// Headers of old versions as they were read; in kLink and kMoved, cells of a version in
  /// overflow.
  OldHeader* headers() const { return headers_; }
  /// True if the headers were read together with the current version, as for records to write.
  bool headers_read() const { return headers_read_; }
  void set_headers_read(bool read) { headers_read_ = read; }

  // Look-up of the key: kBucket.

  /// True if the bucket is not chosen yet.
  bool bucket_wanted() const { return state_ == State::kBucket && !bucket_known_; }
  bool bucket_known() const { return state_ == State::kBucket && bucket_known_; }
  const RemoteAddress& bucket() const { return bucket_; }
  /// Entry of the catalog that told the bucket, where there is a catalog.
  const CatalogCache::Entry& catalog() const { return catalog_; }

  void read_first_bucket(const RemoteAddress& bucket, const CatalogCache::Entry& catalog) {
    assert(bucket_wanted());
    bucket_ = bucket;
    catalog_ = catalog;
    bucket_known_ = true;
  }
  void read_next_bucket(const RemoteAddress& bucket) {
    assert(bucket_known());
    bucket_ = bucket;
  }
  /// Makes the bucket be chosen again, since the catalog has changed.
  void forget_bucket() {
    assert(bucket_known());
    bucket_known_ = false;
  }
  void found_entry(std::uint64_t entry) {
    assert(bucket_known());
    entry_ = entry;
    state_ = State::kCurrent;
  }
  /// Returns to the index, since the entry holds another key or none.
  void lost_entry() {
    assert(state_ == State::kCurrent && entry_);
    entry_.reset();
    bucket_known_ = false;
    state_ = State::kBucket;
  }

  // Search for the version of the snapshot.

  std::uint32_t old_slot() const { return old_slot_; }
  std::uint64_t old_version() const { return old_version_; }
  /// Header that led to the version in overflow which is being looked at.
  const OldHeader& link() const { return link_; }

  /// Goes on to the old versions, since the snapshot does not hold the current one.
  void read_headers() {
    assert(state_ == State::kCurrent);
    state_ = State::kHeaders;
  }
  void read_old(std::uint32_t slot, std::uint64_t version) {
    assert(state_ == State::kHeaders);
    old_slot_ = slot;
    old_version_ = version;
    state_ = State::kOld;
  }
  /// Starts again, since the old version was replaced before it was read.
  void read_current_again() {
    assert(state_ == State::kOld);
    state_ = State::kCurrent;
  }
  /// Goes on to the version that `link` leads to; reads its image only if it is `wanted`.
  void follow(const OldHeader& link, bool wanted) {
    assert(state_ == State::kHeaders || state_ == State::kLink || state_ == State::kMoved);
    link_ = link;
    state_ = wanted ? State::kMoved : State::kLink;
  }
  void settle() {
    assert(!settled());
    state_ = State::kSettled;
  }

  // Claim of a key that has no entry.

  /// Entry to claim; kAnyEntry: the server chooses.
  std::uint32_t allotted() const { return allotted_; }
  void allot(std::uint32_t entry) {
    assert(!entry_);
    allotted_ = entry;
  }
  /// Makes the record as if it had been read and found unlocked, without old versions.
  void was_claimed(std::uint64_t entry) {
    assert(settled() && !entry_);
    entry_ = entry;
    found_ = kNeverThere;
    headers_read_ = true;
  }

  // The lock.

  /// Lock word that the compare-and-swap found, or will find.
  std::uint64_t found() const { return found_; }
  std::uint64_t* place_of_found() { return &found_; }
  bool locked() const { return locked_; }
  void was_locked() {
    assert(settled() && entry_ && !locked_);
    locked_ = true;
  }
  void was_unlocked() {
    assert(locked_);
    locked_ = false;
  }

 private:
  RecordName name_;
  std::optional<std::uint64_t> entry_;
  State state_;
  bool bucket_known_ = false;
  bool headers_read_ = false;
  bool locked_ = false;
  RemoteAddress bucket_ = {};
  CatalogCache::Entry catalog_ = {};
  std::uint32_t old_slot_ = 0;
  std::uint32_t allotted_ = kAnyEntry;
  std::uint64_t old_version_ = 0;
  OldHeader link_ = {};
  RecordImage image_;
  OldHeader* headers_;
  std::uint64_t found_ = 0;
};

}  // namespace verbena::txn::nam
