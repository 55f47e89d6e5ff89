// A transaction system's description of itself.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace verbena::txn {

/// A system's promise of transactions that are committed; the check after a run is chosen by it.
enum class Isolation : std::uint8_t {
  kStrictSerializability,  ///< serializable, in an order that clocks agree with
  kSerializability,
  kSnapshotIsolation,      ///< whose snapshots follow one another
  kUpdateAtomicity,        ///< all or nothing of a commit is seen, and no update is lost
  kLinearizableRegisters,  ///< of single records; transactions of several promise nothing
  kNone,                   ///< nothing: conflicts are ignored; only costs can be measured
};

/// "strict serializability", "serializability", "snapshot isolation", "update atomicity",
/// "linearizable registers" or "nothing".
const char* isolation_name(Isolation isolation);

/// The part that a snapshot holds of the commits that other clients were told of.
enum class Freshness : std::uint8_t {
  kNone,       ///< any of them, or none
  kAsFetched,  ///< those that they were told of before it began to be fetched
  kCurrent,  ///< those that they were told of before the attempt began (strong snapshot isolation)
};

/// The names are the system's own words, as reports spell them; Metrics counts by their indices.
struct SystemInfo {
  std::string name;         ///< "drtmh"
  std::string description;  ///< one line for people
  std::string source;       ///< where it was published
  Isolation isolation = Isolation::kStrictSerializability;
  std::string nothing_by = {};  ///< by which that is kNone: "plan.ignore_conflicts true"
  bool own_commits = true;      ///< of systems with snapshots: a client's hold its commits before
  Freshness freshness = Freshness::kNone;  ///< likewise: what they hold of others' commits
  bool exact_scans =
      false;  ///< likewise: scans give the keys that the snapshot holds, and no others
  std::vector<std::string> phases;  ///< that a transaction goes through, in their order
  /// The phases that come when it has been decided, where its latency ends.
  std::vector<std::string> phases_after_decision = {};
  std::vector<std::string> abort_causes;  ///< why an attempt did not commit
  std::vector<std::string> counters;      ///< of things that are neither commits nor aborts
  /// Names of durations that are of no phase, such as the age of a snapshot.
  std::vector<std::string> times = {};
  bool scans = false;               ///< keeps ordered tables in order, and can scan them
  bool inserts = false;             ///< records can come and go
  bool draws = false;               ///< numbers can be drawn from records (Transaction::draw)
  bool replicates = true;           ///< partitions have backups, as many as asked for
  bool quorums = false;             ///< a majority of copies is up to date, not each of them
  std::uint32_t most_records = 0;   ///< that one transaction may access; 0: any number
  bool single_step_updates = true;  ///< what is read, and written after it, is one step
  /// The serial order is that of Transaction::take_timestamp; only of serializability.
  bool ordered_by_timestamps = false;
};

}  // namespace verbena::txn
