// Checkpoints of a memory server, behind which journals begin.
//
//   counts of the vector, read before the records (4 B each, padded to 8 B)
//   for each of the server's partitions, for each table: entries in use (8 B) | number of
//   images (8 B) | for each image its entry (8 B), then the record's current image
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "rdma/base/bounded_reader.h"
#include "rdma/endpoint.h"
#include "rdma/worker.h"
#include "txn/nam/durability/journal_layout.h"
#include "txn/nam/index/key_index.h"
#include "txn/nam/node_options.h"
#include "txn/nam/records/layout.h"

namespace verbena::txn::nam {

/// Digest by which files of clusters with other layouts are recognized.
std::uint64_t layout_digest(const Layout& layout);

/// Names of a server's files.
std::string checkpoint_file(NodeId server);
std::string journals_file(NodeId server);

/// Writes a memory server's records to a file, again and again, while transactions run (NAM-DB
/// paper, section 6.2). A checkpoint reads the vector of commits, then copies all touched records
/// as they are. Commits in that vector have been installed by then; any later ones are in the
/// journals. So journals need only the commits that are not in every server's latest checkpoint.
/// Each server tells what its checkpoint holds in a region that compute servers READ.
///
/// An erased record's entry may be reused once a checkpoint has begun and ended after the entry was
/// given up. The journals behind a checkpoint then know only one key's versions of the entry, and
/// their numbers tell their order.
class Checkpoints {
 public:
  /// `records` and `journals`: the server's regions; the server tells what its checkpoint holds at
  /// the end of the second. `index_of`: of the server's tables.
  Checkpoints(const Layout& layout, const JournalLayout& journals, const NodeOptions& options,
              NodeId server, rdma::Region& records, rdma::Region& journal_region, IndexOf index_of);

  /// Saves the initial records, which hold exactly the commits of `counts`; older journals are of
  /// no use from then on. To be called before any transaction. Throws as save_file does.
  void begin(std::span<const std::uint32_t> counts);

  /// Scratch memory of the worker that runs it, in bytes.
  static std::size_t scratch_bytes(const Layout& layout) { return layout.vector().bytes(); }

  /// Body of a background fiber. Takes the last checkpoint when all transactions have ended. Saves
  /// the journals, too, since another server may still be finishing a dead server's transactions.
  void run(rdma::Worker& worker);

  /// Saves the journals after a node has died, which can no longer write into them.
  void save_journals();

  /// True if entries that were given up at `since` may be reused.
  bool holds_free(Nanoseconds since) const {
    return since < holds_since_.load(std::memory_order_acquire);
  }

 private:
  using Copy = std::function<void(std::byte* live, const ImageFormat& format, RecordImage copy)>;
  void take(rdma::Worker& worker, std::span<const std::uint32_t> counts);
  void save(std::span<const std::uint32_t> counts, const Copy& copy);
  void add_table(const RecordName& name, const Copy& copy, std::vector<std::byte>& content);
  void tell(std::span<const std::uint32_t> counts);

  const Layout& layout_;
  const JournalLayout& journals_;
  const NodeOptions& options_;
  const NodeId server_;
  rdma::Region& records_;
  rdma::Region& journal_region_;
  IndexOf index_of_;
  std::atomic<Nanoseconds> holds_since_{Nanoseconds{0}};
};

/// Checkpoint read from a file.
class Checkpoint {
 public:
  struct Entry {
    RecordName name;  ///< without a key
    std::uint64_t entry = 0;
    std::span<const std::byte> image;
  };

  /// Reads the checkpoint of `server`. Throws ConfigurationError when the file is missing, or holds
  /// anything that Checkpoints do not write, even with a valid checksum.
  Checkpoint(const std::string& directory, const Layout& layout, NodeId server);

  const std::vector<std::uint32_t>& counts() const { return counts_; }
  const std::vector<Entry>& entries() const { return entries_; }
  std::uint64_t used_entries(PartitionId partition, TableId table) const;

 private:
  void read_counts(BoundedReader& rest);
  void read_table(const RecordName& name, BoundedReader& rest);

  std::vector<std::byte> content_;
  std::vector<std::uint32_t> counts_;
  std::vector<Entry> entries_;
  const Layout& layout_;
  std::vector<std::uint64_t> used_;  // by the partition's place, then table
};

}  // namespace verbena::txn::nam
