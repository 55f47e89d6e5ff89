// Options of a node, besides its layout.
#pragma once

#include <cstdint>
#include <string>

#include "rdma/base/time.h"

namespace verbena::txn::nam {

/// Choices of a fiber that has no vector with its own last commit.
enum class Session : std::uint8_t {
  kWait,      ///< it waits for one
  kOverride,  ///< it goes by one without, but sees its own commits: snapshots may fork
  kNone,      ///< it goes by one without, and may miss its own commits
};

struct NodeOptions {
  /// See SnapshotReader.
  bool stable_snapshots = false;
  /// True if a fiber of each compute server READs the vector for all others (NAM-DB paper, section
  /// 4.2).
  bool background_snapshots = false;
  /// For how long that fiber pauses between two READs.
  Nanoseconds fetch_pause = 0;
  Session session = Session::kWait;
  /// True if commits wait until the vector has them.
  bool await_publication = true;
  /// True if attempts that might have written, but have not, commit as if they had.
  bool stamp_empty = false;
  /// True if nodes are compute and memory servers both, and access their own records by their CPUs
  /// (NAM-DB paper, section 7.3).
  bool locality = false;
  /// With `locality`, true if records of the own machine are accessed by its NIC all the same, as
  /// those of others.
  bool own_by_nic = false;
  /// No attempt goes by a snapshot that is older (NAM-DB paper, section 5.3: E).
  Nanoseconds longest_transaction = 100 * kMillisecond;
  /// Entries that a worker takes of a partition of a table at a time, for records that it will
  /// insert (Extents); 0: the memory server chooses one for each key that is claimed.
  std::uint32_t extent_records = 0;
  /// Copies of each journal; 0: none are kept.
  std::uint32_t journals = 0;
  /// Bytes of each coroutine's ring; 0: what some of the longest entries take.
  std::uint32_t journal_bytes = 0;
  /// The directory into which memory servers save checkpoints, and journals when one of them is
  /// lost; empty: none are.
  std::string checkpoints = {};
  /// How long after one began the next begins.
  Nanoseconds checkpoint_interval = kSecond;
  /// The directory with what was saved, from which the records begin; empty: they are loaded.
  std::string restore = {};
  /// How often a compute server tells another that it is alive; 0: never, and nobody watches.
  Nanoseconds heartbeat = 0;
  /// After so long a silence it counts as dead.
  Nanoseconds suspect_after = 10 * kMillisecond;

  bool own_by_cpu() const { return locality && !own_by_nic; }
};

/// Time after which nobody will use what has not been used for so long: clocks differ a little in
/// how fast they go.
constexpr Nanoseconds with_slack(Nanoseconds longest_transaction) {
  return longest_transaction + longest_transaction / 8;
}

}  // namespace verbena::txn::nam
