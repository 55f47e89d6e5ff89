// State of a cluster that lost a memory server, restored from saved files.
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

/// Restores records from the checkpoints of all memory servers and from the journals of those that
/// were left (NAM-DB paper, section 6.2). Reads all copies of each journal; an entry counts if any
/// copy holds it whole:
///
/// - A commit that was told, published or partly installed is in some saved copy, since its writer,
///   or the Recovery that finished it, waits for all copies before it installs. Copies may be older
///   than a recovery: servers save theirs when the run is over, which a recovery may outlast.
/// - Any other entry, in some copies only, was neither told nor seen, and its records were locked
///   at the end; so it may as well have committed. It must commit, for its slot counts on behind
///   it.
/// - So a slot goes on from the newest commit that any copy or checkpoint has, and no stamp is
///   given twice: a commit that no copy has was seen by nobody.
///
/// Checkpoints differ in age and copy records while these change, so one may hold a transaction's
/// record while another lacks one. No transaction is restored in half: a checkpoint that has a
/// record of it either has the commit in its vector, or the record was installed meanwhile, and
/// then the commit is in the journals. A checkpoint that lacks a record lacks the commit in its
/// vector, so the ring has not overwritten the entry, and the record is replayed from there. This
/// is checked as far as files tell: each version in a checkpoint is of a commit in the restored
/// vector; each commit after the oldest checkpoint, up to the newest in any file, is in a journal.
///
/// The paper replays in an order that respects snapshots. Here entries hold the new images, and a
/// record's versions are numbered, so records are independent: of each, the versions newer than its
/// checkpoint are replayed in the order of their numbers. (The journals behind a checkpoint know
/// only one key's versions of an entry, see Checkpoints.)
class RestoredState {
 public:
  /// Reads the files in `directory`. Throws ConfigurationError when a file is missing, damaged or
  /// of another cluster, when a journal has no copy or does not follow the checkpoints, or when a
  /// commit that the files tell of is not whole in them.
  RestoredState(const std::string& directory, const Layout& layout, const JournalLayout& journals);

  /// Vector of commits.
  const std::vector<std::uint32_t>& counts() const { return counts_; }

  /// One more than the highest entry in use of a partition's table, at whichever server.
  std::uint64_t used_entries(const RecordName& name) const;

  /// Puts a memory server's records into its untouched region, without locks and old versions, and
  /// inserts their keys into the indexes.
  void restore(NodeId server, rdma::Region& records, const IndexOf& index_of) const;

 private:
  struct Change {
    JournalRecord record;
    Stamp stamp;
    std::span<const std::byte> payload;
  };
  using Place = std::pair<std::uint64_t, std::uint64_t>;  // partition and table, then entry
  using Changes = std::map<Place, std::vector<Change>>;
  using Entries = std::map<std::uint32_t, JournalEntry>;  // of a slot, by commit number
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
  std::map<NodeId, std::vector<std::byte>> rings_;  // of surviving servers; hold the payloads
  Changes changes_;                                 // newer than the checkpoints, by number
  std::vector<std::uint32_t> counts_;
};

}  // namespace verbena::txn::nam
