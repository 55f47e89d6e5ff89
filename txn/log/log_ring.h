// A log ring: the coordinator's account of its space, and the backup's progress in applying it.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rdma/base/bounded_reader.h"
#include "rdma/base/errors.h"
#include "rdma/base/types.h"
#include "txn/log/log_record.h"
#include "txn/log/log_ring_memory.h"

namespace verbena::txn {

/// Layout of the rings in a node's log region: one per (source node, source worker), the same on
/// every node.
struct LogLayout {
  std::uint32_t nodes = 1;
  std::uint32_t workers = 1;
  std::uint64_t ring_bytes = 0;  ///< a multiple of 64

  std::uint64_t ring_offset(NodeId source, WorkerId worker) const {
    return (std::uint64_t{source} * workers + worker) * ring_bytes;
  }
  std::uint64_t region_bytes() const { return ring_bytes * nodes * workers; }
};

/// Space in use of a worker's ring at one backup, [freed, tail). Positions count all bytes ever
/// written; position modulo the ring's size is the place.
struct LogRingUse {
  std::uint64_t tail = 0;
  std::uint64_t freed = 0;
};

/// Takes and frees space of a worker's ring at one backup. A worker has a ring at each backup, all
/// of one size, so that only the use of each is stored. Not thread-safe.
class LogRingWriter {
 public:
  /// `use` must outlive it.
  LogRingWriter(LogRingUse& use, std::uint64_t ring_bytes) : use_(use), ring_bytes_(ring_bytes) {}

  /// Space for a record. Records do not wrap: when one does not fit before the end, the rest is
  /// padding, which the writer must mark by log_padding_word.
  struct Space {
    std::uint64_t position;
    std::uint32_t bytes;
    std::uint32_t padding;  ///< bytes before `position` that are padding
  };

  /// True if reserve(bytes) would succeed. It does whenever everything is freed, if `bytes` is at
  /// most half of the ring.
  bool fits(std::uint32_t bytes) const {
    return tail() + padding_before(bytes) + bytes - freed() <= ring_bytes_;
  }

  /// Takes space for `bytes`, which must fit.
  Space reserve(std::uint32_t bytes) const {
    assert(fits(bytes));
    const std::uint32_t padding = padding_before(bytes);
    const Space space{.position = tail() + padding, .bytes = bytes, .padding = padding};
    use_.tail = space.position + bytes;
    return space;
  }

  /// Begins as if `bytes` of records had been written before.
  void begin_with(std::uint64_t bytes) const {
    assert(tail() == 0 && bytes <= ring_bytes_);
    use_.tail = bytes;
  }

  std::uint64_t place(std::uint64_t position) const { return position % ring_bytes_; }

  /// Frees the space before `position`, up to which the backup has applied everything. Throws
  /// Malformed when that is less than before, or more than was written.
  void free_up_to(std::uint64_t position) const {
    check_within(position, freed(), tail(), "position up to which a log is applied");
    use_.freed = position;
  }

  std::uint64_t tail() const { return use_.tail; }
  std::uint64_t freed() const { return use_.freed; }
  std::uint64_t used() const { return tail() - freed(); }

 private:
  std::uint32_t padding_before(std::uint32_t bytes) const {
    const std::uint64_t rest = ring_bytes_ - place(tail());
    return rest < bytes ? static_cast<std::uint32_t>(rest) : 0;
  }

  LogRingUse& use_;
  std::uint64_t ring_bytes_;
};

/// A backup's progress in one ring. Not thread-safe: worker w serves the rings of its peer workers
/// w.
class LogRingReader {
 public:
  std::uint64_t applied() const { return applied_; }

  /// Begins at `position`, before which everything was applied. No record may have been passed yet.
  void begin_at(std::uint64_t position) {
    assert(applied_ == 0);
    applied_ = position;
  }

  /// Tells that one message of a record was applied. The record, with the padding before it, is
  /// [begin, begin + bytes), and comes in `messages` messages, too. Once all were applied, it is
  /// not read from the ring. Throws Malformed for a range that is in no ring of `ring_bytes`.
  void applied_message(std::uint64_t begin, std::uint32_t bytes, std::uint16_t messages,
                       std::uint64_t ring_bytes) {
    if (begin < applied_) return;  // advance() was faster
    check_below(begin - applied_, ring_bytes, "begin of a record behind what was applied");
    check_within(bytes, 1, ring_bytes, "bytes of a record");
    Told& told = told_.try_emplace(begin, Told{begin + bytes, messages}).first->second;
    if (told.missing == 0) throw Malformed("is one more message of a record than it came in");
    --told.missing;
    pass_told();
  }

  /// Passes the records from applied() to `limit`, in order, to visit(const LogRecordReader&).
  /// Records that do not lie in one piece are put together in `copy`. Stops and returns false at a
  /// record before `limit` that is not valid.
  template <typename Visit>
  bool advance(const LogRingMemory& ring, std::uint64_t limit, std::vector<std::byte>& copy,
               Visit&& visit) {
    while (applied_ < limit) {
      told_.erase(applied_);
      const std::uint64_t place = applied_ % ring.bytes();
      const auto record = LogRecordReader::parse(ring.read_record(place, copy), applied_);
      if (!record) return false;
      if (!record->padding()) {
        visit(*record);
      } else if (record->header().bytes != ring.bytes() - place) {
        return false;
      }
      applied_ += record->header().bytes;
      pass_told();
    }
    return true;
  }

  /// Passes the records from applied() on to `visit`, as advance does, up to the first place that
  /// has none. A ring that was never written stays untouched. Throws Malformed at a record that is
  /// not valid but begins like this lap's.
  template <typename Visit>
  void advance_to_end(const LogRingMemory& ring, std::vector<std::byte>& copy, Visit&& visit) {
    while (holds_record(ring, copy) && advance(ring, applied_ + 1, copy, visit)) {
    }
  }

 private:
  struct Told {
    std::uint64_t end;
    std::uint16_t missing;  // messages
  };

  /// True if a record is next, or padding before one: padding alone may be of an earlier lap.
  bool holds_record(const LogRingMemory& ring, std::vector<std::byte>& copy) const {
    std::uint64_t position = applied_;
    for (int record = 0; record < 2; ++record) {
      const std::uint64_t place = position % ring.bytes();
      if (!ring.holds(place)) return false;
      const std::span<const std::byte> memory = ring.read_record(place, copy);
      const auto found = LogRecordReader::parse(memory, position);
      if (!found && LogRecordReader::begins(memory, position)) {
        throw Malformed("has no valid log record at position " + std::to_string(position));
      }
      if (!found || !found->padding()) return found.has_value();
      position += found->header().bytes;
    }
    return false;
  }

  void pass_told() {
    for (auto next = told_.begin();
         next != told_.end() && next->first == applied_ && next->second.missing == 0;
         next = told_.erase(next)) {
      applied_ = next->second.end;
    }
  }

  std::uint64_t applied_ = 0;
  std::map<std::uint64_t, Told> told_;  // records that have come in messages, by their begin
};

}  // namespace verbena::txn
