// One record of an attempt: how far its look-up has come, what was read, what is held of its lock.
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

/// A look-up goes through states that stand for one request each, perhaps through some of them
/// several times, to kSettled. A record that is written is claimed, if it has no entry, and locked
/// after that, and its lock given back at most once. What breaks this order is an error of the
/// program, and is asserted. Belongs to its attempt.
class Access {
 public:
  enum class State : std::uint8_t {
    kBucket,   ///< one that may lead to the record is to be read
    kCurrent,  ///< its current version is
    kHeaders,  ///< the headers of its old versions are
    kOld,      ///< one of these is
    kLink,     ///< what precedes one in overflow is
    kMoved,    ///< one in overflow is
    kSettled,
  };

  /// `entry`: where the record was loaded; nothing: nowhere. `indexed`: an index may tell of it
  /// then. `image` has room for a bucket, too; `headers` for those of a record, and one behind them
  /// that is to be written.
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
  /// True if there is no such record, and no index that may come to have it.
  bool nowhere() const { return !entry_ && state_ == State::kCurrent; }
  bool has_entry() const { return entry_.has_value(); }
  std::uint64_t entry() const {
    assert(entry_);
    return *entry_;
  }

  /// The version that was read, or a bucket.
  RecordImage image() const { return image_; }
  /// Headers of old versions as they were read; in kLink and kMoved what precedes one in overflow.
  OldHeader* headers() const { return headers_; }
  /// True if the headers were read with the current version, as who writes has them read.
  bool headers_read() const { return headers_read_; }
  void set_headers_read(bool read) { headers_read_ = read; }

  // Look-up of the key: kBucket.

  /// A bucket has to be chosen before it can be read.
  bool bucket_wanted() const { return state_ == State::kBucket && !bucket_known_; }
  bool bucket_known() const { return state_ == State::kBucket && bucket_known_; }
  const RemoteAddress& bucket() const { return bucket_; }
  /// The catalog's entry by which the bucket is known, where there is a catalog.
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
  /// The catalog has changed: the bucket is chosen again.
  void forget_bucket() {
    assert(bucket_known());
    bucket_known_ = false;
  }
  void found_entry(std::uint64_t entry) {
    assert(bucket_known());
    entry_ = entry;
    state_ = State::kCurrent;
  }
  /// Another key has the entry, or none: the index is asked, again.
  void lost_entry() {
    assert(state_ == State::kCurrent && entry_);
    entry_.reset();
    bucket_known_ = false;
    state_ = State::kBucket;
  }

  // Search for the version of the snapshot.

  std::uint32_t old_slot() const { return old_slot_; }
  std::uint64_t old_version() const { return old_version_; }
  /// The version in overflow that is being looked at, as what led to it tells.
  const OldHeader& link() const { return link_; }

  /// The current version is not the one.
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
  /// The old version was replaced before it was read.
  void read_current_again() {
    assert(state_ == State::kOld);
    state_ = State::kCurrent;
  }
  /// `wanted`: it is the one, and is read with its image.
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

  /// The entry that is claimed; kAnyEntry: the server chooses.
  std::uint32_t allotted() const { return allotted_; }
  void allot(std::uint32_t entry) {
    assert(!entry_);
    allotted_ = entry;
  }
  /// It is as if it had been read, and found unlocked; it has no old versions.
  void was_claimed(std::uint64_t entry) {
    assert(settled() && !entry_);
    entry_ = entry;
    found_ = kNeverThere;
    headers_read_ = true;
  }

  // The lock.

  /// The word that its compare-and-swap found, or finds.
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
