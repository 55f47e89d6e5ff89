// The records that an attempt wants, and their values.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

namespace verbena::txn {

/// Records of one attempt of a transaction, which workloads read and write without a virtual call.
/// A system fills in what it has fetched; it owns the memory of payloads. Belongs to its fiber.
class AttemptRecords {
 public:
  enum class Kind : std::uint8_t { kReadWrite, kReadOnly };

  /// The use that a record is wanted for. Systems that lock early lock all but kRead.
  enum class Intent : std::uint8_t {
    kRead,
    kUpdate,     ///< it will probably be updated or erased
    kInsert,     ///< it is expected to be absent and will be created
    kOverwrite,  ///< all of it will be replaced, so what it holds is not wanted
  };

  /// Names a record of the current attempt; counts from 0.
  using Handle = std::uint32_t;

  /// A record that the attempt wants, as its system keeps it.
  struct Item {
    std::byte* payload = nullptr;  ///< the system's memory, until the next begin
    std::uint32_t bytes = 0;       ///< of the payload
    Intent intent = Intent::kRead;
    bool fetched = false;  ///< `found` and the payload are known
    bool found = false;
    bool written = false;  ///< part of the write set
    bool erased = false;   ///< written, and absent after commit
    bool drawn = false;    ///< of a table that numbers are drawn from: may change at any time
    bool blind = false;    ///< wanted with kOverwrite: the payload was not fetched, only `found`
  };

  /// True if the record exists; after fetch.
  bool found(Handle handle) const {
    assert(items_[handle].fetched);
    return items_[handle].found;
  }

  /// The record's payload with this attempt's own changes; after fetch. It must exist.
  std::span<const std::byte> payload(Handle handle) const {
    const Item& item = items_[handle];
    assert(item.fetched && (item.found || item.written));
    assert(!item.blind || item.written);
    return {item.payload, item.bytes};
  }

  /// The same to be changed: the record becomes part of the write set.
  std::span<std::byte> update_payload(Handle handle) {
    Item& item = items_[handle];
    assert(item.fetched && (item.found || item.written));
    assert(kind_ == Kind::kReadWrite && !item.erased);
    assert(!item.blind || item.written);
    item.written = true;
    any_written_ = true;
    return {item.payload, item.bytes};
  }

  /// Memory for all of the payload that the record will have after commit, undefined until the
  /// caller has written it. The record must exist; Intent::kOverwrite saves fetching it.
  std::span<std::byte> overwrite_payload(Handle handle) {
    Item& item = items_[handle];
    assert(item.fetched && item.found && !item.erased && kind_ == Kind::kReadWrite);
    item.written = true;
    any_written_ = true;
    return {item.payload, item.bytes};
  }

  /// The payload, all zero, that a record will have after commit. It must have been wanted with
  /// Intent::kInsert and not exist.
  std::span<std::byte> create_payload(Handle handle) {
    Item& item = items_[handle];
    assert(item.fetched && item.intent == Intent::kInsert && !item.found);
    assert(kind_ == Kind::kReadWrite);
    if (!item.written) std::fill(item.payload, item.payload + item.bytes, std::byte{0});
    item.written = true;
    any_written_ = true;
    return {item.payload, item.bytes};
  }

  /// Makes the record absent after commit. It must exist.
  void erase(Handle handle) {
    assert(items_[handle].found);
    overwrite_payload(handle);
    items_[handle].erased = true;
  }

  /// The payload as a trivially copyable T of the payload's size.
  template <typename T>
  const T& value(Handle handle) const {
    static_assert(std::is_trivially_copyable_v<T>);
    return *reinterpret_cast<const T*>(payload(handle).data());
  }
  template <typename T>
  T& update(Handle handle) {
    static_assert(std::is_trivially_copyable_v<T>);
    return *reinterpret_cast<T*>(update_payload(handle).data());
  }
  template <typename T>
  T& create(Handle handle) {
    static_assert(std::is_trivially_copyable_v<T>);
    return *reinterpret_cast<T*>(create_payload(handle).data());
  }

  /// Records noted so far by this attempt.
  std::uint32_t records() const { return static_cast<std::uint32_t>(items_.size()); }

 protected:
  AttemptRecords() = default;
  ~AttemptRecords() = default;

  /// Forgets the records of the attempt before.
  void start_records(Kind kind) {
    items_.clear();
    kind_ = kind;
    any_written_ = false;
  }

  Kind kind() const { return kind_; }
  bool any_written() const { return any_written_; }

  /// Items by handle; systems append as records are noted.
  std::vector<Item> items_;

 private:
  Kind kind_ = Kind::kReadWrite;
  bool any_written_ = false;
};

}  // namespace verbena::txn
