// Observations of the clients of a run, for checks of a system's promise that are the same for all
// systems.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "rdma/base/time.h"
#include "rdma/base/types.h"
#include "txn/moment.h"
#include "txn/schema/table.h"
#include "txn/schema/value_digest.h"
#include "txn/stamp.h"

namespace verbena::txn {

/// A fiber, as the client that runs transactions one after another.
struct ClientId {
  NodeId node = 0;
  WorkerId worker = 0;
  std::uint16_t fiber = 0;

  auto operator<=>(const ClientId&) const = default;
};

/// How an attempt ended, as its client was told.
enum class Outcome : std::uint8_t {
  kCommitted,
  kRolledBack,  ///< by its client, who was told that what it had read stands
  kAborted,
  kUnknown,  ///< its client was told nothing
};

/// One record of an attempt.
struct ClientAccess {
  RecordName record;
  ValueDigest read = kAbsentValue;  ///< as it was fetched
  ValueDigest written =
      kAbsentValue;      ///< with `writes`: what it was to be; kAbsentValue if it was erased
  bool fetched = false;  ///< `read` is known
  bool changed =
      false;  ///< it was another when the attempt ended, and the attempt had not written it
  bool writes = false;  ///< the attempt asked for it to be written
  bool operator==(const ClientAccess&) const = default;
};

/// The keys that a scan gave are ClientHistory::keys of it, in the scan's order.
struct ClientScan {
  TableId table = 0;
  PartitionId partition = 0;
  bool descending = false;
  bool whole = false;    ///< the range holds no further keys, by what the scan gave
  bool orderly = false;  ///< it gave no more keys than it was asked for, in its order, of its range
  Key first = 0;
  Key last = 0;
  std::uint32_t first_key = 0;
  std::uint32_t keys = 0;
};

/// The snapshot that an attempt read from, and the stamp of its writes; of systems with snapshots.
struct ClientSnapshot {
  std::uint32_t first_count = 0;  ///< in ClientHistory::all_counts: of each slot
  std::uint32_t counts = 0;
  Stamp stamp;                  ///< of what it was to commit; slot 0: nothing
  Nanoseconds fetched_at = 0;   ///< when the system began to fetch it
  Nanoseconds usable = kNever;  ///< nothing is committed by one that is older, as its system has it
};

/// One attempt of a transaction, and where its parts are in its history.
struct ClientAttempt {
  ClientId client;
  Outcome outcome = Outcome::kUnknown;
  std::uint64_t sequence = 0;  ///< of its client's attempts, from 1
  Moment began = kBeforeAll;   ///< before its first access
  /// When a committed attempt that wrote held everything that it wrote, and what it had read could
  /// not change unnoticed.
  Moment placed = kBeforeAll;
  Nanoseconds placed_at = 0;
  /// Place in the order of systems that order attempts by timestamps; 0: it took none.
  std::uint64_t timestamp = 0;
  Moment ended = kBeforeAll;  ///< when its client knew the outcome
  Nanoseconds began_at = 0;
  Nanoseconds ended_at = 0;
  std::uint32_t first_access = 0;
  std::uint32_t accesses = 0;
  std::uint32_t first_scan = 0;
  std::uint32_t scans = 0;
  std::uint32_t snapshot = 0;  ///< of ClientHistory::all_snapshots, from 1; 0: it took none
  bool told = true;            ///< its client got to know the outcome; else it is what others found
};

/// Attempts of some clients, those of each in their order. Not thread-safe.
struct ClientHistory {
  std::vector<ClientAttempt> attempts;
  std::vector<ClientAccess> all_accesses;
  std::vector<ClientScan> all_scans;
  std::vector<Key> all_keys;
  std::vector<ClientSnapshot> all_snapshots;
  std::vector<std::uint32_t> all_counts;

  std::span<const ClientAccess> accesses(const ClientAttempt& attempt) const {
    return std::span(all_accesses).subspan(attempt.first_access, attempt.accesses);
  }
  std::span<const ClientScan> scans(const ClientAttempt& attempt) const {
    return std::span(all_scans).subspan(attempt.first_scan, attempt.scans);
  }
  std::span<const Key> keys(const ClientScan& scan) const {
    return std::span(all_keys).subspan(scan.first_key, scan.keys);
  }
  /// Null: the attempt took none.
  const ClientSnapshot* snapshot(const ClientAttempt& attempt) const {
    return attempt.snapshot == 0 ? nullptr : &all_snapshots[attempt.snapshot - 1];
  }
  std::span<const std::uint32_t> counts(const ClientSnapshot& snapshot) const {
    return std::span(all_counts).subspan(snapshot.first_count, snapshot.counts);
  }
};

}  // namespace verbena::txn
