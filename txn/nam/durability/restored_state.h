// State of a cluster of which a memory server was lost, made whole again from what was saved.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rdma/endpoint.h"
#include "txn/nam/durability/checkpoint.h"
#include "txn/nam/durability/journal_entry.h"
#include "txn/nam/durability/journal_layout.h"
#include "txn/nam/index/key_index.h"
#include "txn/nam/records/layout.h"

namespace verbena::txn::nam {

/// Checkpoints of all memory servers, and what the journals of those that were left know beyond
/// them (NAM-DB paper, section 6.2). Of each journal all copies are read, and what is in any of
/// them whole counts:
///
/// - What was told, published, or installed in part is in a copy that was saved: its writer waits
///   for all of them before it installs, and so does who finishes it instead (Recovery). Others may
///   be older: servers save theirs when the run is over, which a recovery may outlast.
/// - What else is in some copies only was neither told nor seen, and its records were locked when
/// all
///   ended, so it may as well have committed. It has to, for the slot counts on behind it.
/// - So a slot goes on from the newest commit that any copy tells of, or any checkpoint, and no
///   stamp is given twice: one that no copy has was seen by nobody.
///
/// Checkpoints are of different ages, and copy records while these change: one may hold of a
/// transaction what another does not. That leaves no half of it. A checkpoint that holds a record
/// of it has it in its vector; or it came to be installed meanwhile, then it is in the journals.
/// One that does not hold a record of it has it not in its vector, so the ring has not overwritten
/// it, and from there it is replayed. What this rests on is looked at, as far as files tell: each
/// version in a checkpoint is of a commit that the restored vector holds; and each commit behind
/// the oldest checkpoint, up to the newest that any file tells of, is in a journal.
///
/// The paper replays in an order that respects snapshots. Here entries have the records' new
/// images, and each record's versions their numbers, so records are independent: of each, what is
/// newer than its checkpoint, in the order of the numbers. (That of an entry journals behind a
/// checkpoint know one key's versions only, see Checkpoints.)
class RestoredState {
 public:
  /// Reads the files in `directory`. Throws ConfigurationError when they are not there, are damaged
  /// or of another cluster, when of some journal there is no copy, it does not follow the
  /// checkpoints, or they tell of a commit that is not whole in them.
  RestoredState(const std::string& directory, const Layout& layout, const JournalLayout& journals);

  /// The vector of commits.
  const std::vector<std::uint32_t>& counts() const { return counts_; }

  /// One more than the highest entry that is in use, of a table of a partition, whichever server's.
  std::uint64_t used_entries(const RecordName& name) const;

  /// Puts the records of a memory server into its region, which nobody has touched, without locks
  /// and old versions, and its tables' keys into their indexes.
  void restore(NodeId server, rdma::Region& records, const IndexOf& index_of) const;

 private:
  struct Change {
    JournalRecord record;
    Stamp stamp;
    std::span<const std::byte> payload;
  };
  using Place = std::pair<std::uint64_t, std::uint64_t>;  // partition and table, entry
  using Changes = std::map<Place, std::vector<Change>>;
  using Entries = std::map<std::uint32_t, JournalEntry>;  // of a slot, by their counts
  using ChangesOf = std::pair<Changes::const_iterator, Changes::const_iterator>;

  ChangesOf changes_of(const RecordName& name) const;
  void check_complete() const;
  void check_counted() const;
  void check_versions() const;
  void read_journal(std::uint32_t slot);
  std::optional<JournalEntry> parse(std::span<const std::byte> memory, std::uint32_t slot) const;
  std::uint32_t read_ring(std::span<const std::byte> ring, const Stamp& held, Entries& entries);
  void add_changes(const JournalEntry& entry);
  void restore_table(const Checkpoint& checkpoint, const RecordName& name, rdma::Region& records,
                     KeyIndex& index) const;
  void replay(const Change& change, rdma::Region& records) const;

  const Layout& layout_;
  const JournalLayout& journals_;
  std::string directory_;
  std::map<NodeId, Checkpoint> checkpoints_;
  std::map<NodeId, std::vector<std::byte>> rings_;  // of those that are left; payloads lie there
  Changes changes_;                                 // beyond checkpoints, by their numbers
  std::vector<std::uint32_t> counts_;
};

}  // namespace verbena::txn::nam
