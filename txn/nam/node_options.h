// Options of a node, apart from its layout.
#pragma once

#include <cstdint>
#include <string>

#include "rdma/base/time.h"

namespace verbena::txn::nam {

/// Choices of a fiber when the vector lacks its own last commit.
enum class Session : std::uint8_t {
  kWait,      ///< waits for a vector with it
  kOverride,  ///< goes on, but sees its own commits: snapshots may fork
  kNone,      ///< goes on, and may miss its own commits
};

struct NodeOptions {
  /// True if the vector is READ until it is the same twice, see SnapshotReader.
  bool stable_snapshots = false;
  /// True if a fiber of each compute server READs the vector for all others (NAM-DB paper, section
  /// 4.2).
  bool background_snapshots = false;
  /// Pause of that fiber between two READs.
  Nanoseconds fetch_pause = 0;
  Session session = Session::kWait;
  /// True if commits wait until the vector shows them.
  bool await_publication = true;
  /// True if attempts that may write but wrote nothing take a timestamp and publish it, too.
  bool stamp_empty = false;
  /// True if nodes are compute and memory servers both and access their own records by CPU (NAM-DB
  /// paper, section 7.3).
  bool locality = false;
  /// With `locality`, true if nodes access even their own records by NIC.
  bool own_by_nic = false;
  /// Greatest age of a snapshot that an attempt uses (NAM-DB paper, section 5.3: E).
  Nanoseconds longest_transaction = 100 * kMillisecond;
  /// Entries that a worker allocates of a partition's table at a time, for records that it will
  /// insert (Extents); 0: the memory server chooses one for each claimed key.
  std::uint32_t extent_records = 0;
  /// Copies of each journal; 0: none are kept.
  std::uint32_t journals = 0;
  /// Bytes of each coroutine's ring; 0: room for some of the longest entries.
  std::uint32_t journal_bytes = 0;
  /// Directory into which memory servers save checkpoints, and their journals when one of them is
  /// lost; empty: no checkpoints.
  std::string checkpoints = {};
  /// Time from the beginning of one checkpoint to that of the next.
  Nanoseconds checkpoint_interval = kSecond;
  /// Directory of saved files from which records start; empty: they are loaded.
  std::string restore = {};
  /// Interval at which a compute server tells its monitor that it is alive; 0: no monitoring.
  Nanoseconds heartbeat = 0;
  /// Silence after which a server counts as dead.
  Nanoseconds suspect_after = 10 * kMillisecond;

  bool own_by_cpu() const { return locality && !own_by_nic; }
};

/// Time after which nobody uses a thing that has been unused since: `longest_transaction` with a
/// margin for clocks of different speeds.
constexpr Nanoseconds with_slack(Nanoseconds longest_transaction) {
  return longest_transaction + longest_transaction / 8;
}

}  // namespace verbena::txn::nam
