// Checkpoints of a memory server, which journals begin behind.
//
//   counts of the vector, as of before (4 B each, padded to 8 B)
//   for each of the server's partitions, for each table: entries in use (8 B) | how many follow
//   (8 B) | of each the entry (8 B), then its current image
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

/// Tells the files of clusters apart whose memory is laid out otherwise.
std::uint64_t layout_digest(const Layout& layout);

/// The names of a server's files.
std::string checkpoint_file(NodeId server);
std::string journals_file(NodeId server);

/// Writes what a memory server's records are to a file, again and again, while transactions go on
/// (NAM-DB paper, section 6.2). A checkpoint reads the vector of commits and then copies all
/// records that have been touched, as they are: those of commits that the vector holds have been
/// installed by then, and what else has been, stands in journals. So journals need what the vector
/// of the latest checkpoint of some memory server does not hold, and no more: each server tells, in
/// a region that compute servers READ, what its checkpoint holds.
///
/// Entries of erased records may be used again for others once a checkpoint has been begun and
/// finished since they were given up: then of an entry, journals behind a checkpoint know one key's
/// versions only, whose numbers tell their order.
class Checkpoints {
 public:
  /// `records` and `journals`: the server's regions, of which the latter ends in what the server
  /// tells. `index_of`: of the server's tables.
  Checkpoints(const Layout& layout, const JournalLayout& journals, const NodeOptions& options,
              NodeId server, rdma::Region& records, rdma::Region& journal_region, IndexOf index_of);

  /// Saves what there is before anybody does anything, which is all that `counts` holds; journals
  /// of earlier are of no use from then on. Throws as save_file.
  void begin(std::span<const std::uint32_t> counts);

  /// Scratch memory that it needs of the worker that it runs on.
  static std::size_t scratch_bytes(const Layout& layout) { return layout.vector().bytes(); }

  /// The body of a fiber in the background; the last checkpoint is of when all transactions have
  /// ended. Those of a compute server that died may still be finished by another then: so the
  /// journals are saved as well, where all that it had written down is.
  void run(rdma::Worker& worker);

  /// A node is gone: saves the journals, into which that node cannot write any more.
  void save_journals();

  /// True if entries that were given up at `since` may be used again.
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

/// One that was read.
class Checkpoint {
 public:
  struct Entry {
    RecordName name;  ///< without a key
    std::uint64_t entry = 0;
    std::span<const std::byte> image;
  };

  /// Reads the checkpoint of `server`. Throws ConfigurationError when it is not there, or of no
  /// use; for whatever is in it that Checkpoints do not write, its checksum notwithstanding.
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
