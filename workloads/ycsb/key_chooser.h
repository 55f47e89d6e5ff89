// Which records one client of YCSB uses.
#pragma once

#include <cstdint>
#include <optional>

#include "rdma/base/random.h"
#include "rdma/base/types.h"
#include "txn/table.h"
#include "workloads/workload.h"
#include "workloads/ycsb/mix.h"
#include "workloads/zipf.h"

namespace verbena::workloads::ycsb {

/// Where a record is.
struct Place {
  txn::PartitionId partition = 0;
  txn::Key key = 0;

  auto operator<=>(const Place&) const = default;
};

/// The records that a run begins with, numbered over the whole cluster: successive numbers are on
/// successive nodes.
struct KeySpace {
  std::uint32_t nodes = 1;
  std::uint64_t records_per_node = 1;

  std::uint64_t records() const { return nodes * records_per_node; }
  Place place(std::uint64_t number) const {
    return {.partition = static_cast<txn::PartitionId>(number % nodes), .key = number / nodes};
  }
};

/// YCSB's hash of a rank, by which records that are close in popularity are not close in the key
/// space: 64-bit FNV-1a over the eight bytes, the lowest first.
std::uint64_t fnv_hash(std::uint64_t value);

/// How clients of one workload choose. Immutable; shared by them.
struct KeyChoice {
  KeySpace space;
  Distribution distribution;
  Zipf ranks;  ///< over space.records()
  std::optional<std::uint32_t> local_percent;
};

/// One client's choices. Not thread-safe.
///
/// - uniform: every record that was there at the beginning alike.
/// - zipfian: these by Zipf's law. As in YCSB, the hash of a rank, modulo their number, is the
///   record; so some ranks share a record, and some records have none.
/// - latest: Zipf's law over the client's own insertions, the newest first, and then the records
///   that were there at the beginning, the last first.
///
/// Clients insert under keys of their own, above all initial ones, which grow by time first and
/// client second. So none waits for another's counter, no insertion meets a record that is there,
/// and "latest" is what it is for a YCSB client with an insertion range of its own: simplified is
/// that a client's latest reads do not meet what others have just inserted.
class KeyChooser {
 public:
  /// `choice` must outlive this.
  KeyChooser(const KeyChoice& choice, const ClientPlace& client);

  /// A record that is there.
  Place existing(Random& random) const;

  /// Where the insertion belongs that comes `ahead` insertions after the next.
  Place insertion(std::uint32_t ahead) const { return own(inserted_ + ahead); }

  /// The next `count` insertions have been committed.
  void inserted(std::uint32_t count) { inserted_ += count; }

  /// Whether a record with this key was inserted by a run.
  static bool is_inserted(txn::Key key) { return (key & kInserted) != 0; }

 private:
  static constexpr txn::Key kInserted = txn::Key{1} << 63;
  // A client's number: home, worker and fiber.
  static constexpr unsigned kFiberBits = 9;
  static constexpr unsigned kWorkerBits = 14;
  static constexpr unsigned kClientBits = 36;

  std::uint64_t number(Random& random) const;
  Place own(std::uint64_t insertion) const;
  txn::PartitionId other(std::uint64_t random) const;

  const KeyChoice& choice_;
  txn::PartitionId home_;
  std::uint64_t client_;
  std::uint64_t inserted_ = 0;
};

}  // namespace verbena::workloads::ycsb
