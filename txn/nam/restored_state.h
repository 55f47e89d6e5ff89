// What was saved of a cluster of which a memory server was lost, made whole again.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "rdma/endpoint.h"
#include "txn/nam/checkpoint.h"
#include "txn/nam/journal_entry.h"
#include "txn/nam/journal_layout.h"
#include "txn/nam/key_index.h"
#include "txn/nam/layout.h"

namespace verbena::txn::nam {

/// Checkpoints of all memory servers, and what the journals of those that were left know beyond
/// them (NAM-DB paper, section 6.2). Whatever stands in a journal whole had committed, or is as
/// good as that: nobody installed anything before all copies were there, so what is in one copy
/// only was neither told nor seen.
///
/// The paper replays in an order that respects snapshots. Here entries have the records' new
/// images, and each record's versions their numbers, so records are independent: of each, what is
/// newer than its checkpoint, in the order of the numbers. (That of an entry journals behind a
/// checkpoint know one key's versions only, see Checkpoints.)
class RestoredState {
 public:
  /// Reads the files in `directory`. Throws ConfigurationError when they are not there, are damaged
  /// or of another cluster, when of some journal there is no copy, or it does not follow the
  /// checkpoints.
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
  using ChangesOf = std::pair<Changes::const_iterator, Changes::const_iterator>;

  ChangesOf changes_of(const RecordName& name) const;
  void check_complete() const;
  void check_counted() const;
  void read_journal(const std::string& directory, std::uint32_t slot,
                    const std::map<NodeId, std::vector<std::byte>>& saved);
  bool read_ring(std::span<const std::byte> ring, std::uint32_t slot);
  void restore_table(const Checkpoint& checkpoint, const RecordName& name, rdma::Region& records,
                     KeyIndex& index) const;
  void replay(const Change& change, rdma::Region& records) const;

  const Layout& layout_;
  const JournalLayout& journals_;
  std::string directory_;
  std::map<NodeId, Checkpoint> checkpoints_;
  std::map<NodeId, std::vector<std::byte>> rings_;  // what entries' payloads lie in
  Changes changes_;                                 // beyond checkpoints, by their numbers
  std::vector<std::uint32_t> counts_;
};

}  // namespace verbena::txn::nam
