// Layout of records, their old versions and the vector of commits.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "rdma/base/types.h"
#include "rdma/seam/first_touch_memory.h"
#include "txn/index/hash_index.h"
#include "txn/index/key_mix.h"
#include "txn/nam/records/fiber_numbers.h"
#include "txn/nam/records/record_image.h"
#include "txn/nam/records/shape.h"
#include "txn/nam/records/vector_layout.h"
#include "txn/schema/table.h"
#include "txn/system.h"

namespace verbena::txn::nam {

/// Computes addresses in a memory server's region of records, the same at all nodes. The region
/// holds, in order:
///
/// - the server's partitions, each with its tables. A table has its current versions next to each
///   other, then K headers of old versions for each record, then those old versions likewise
///   (NAM-DB paper, section 4.1), then hash buckets, perhaps in several generations, each larger
///   than the one before;
/// - the server's overflow, if older versions are kept. Each record's headers then end in one more,
///   which tells the newest version in overflow and its line (Overflow);
/// - with an overflow, a cache line of hints for each fiber of compute servers (Mover);
/// - a page with the catalog's version, where there is a catalog.
///
/// A record's place is its entry: loaded records have the first entries, which follow from their
/// keys; buckets lead to the entries of later ones. The vector of commits is a region of the
/// oracle: 4 B for each slot; with several oracles, in as many parts of whole cache lines.
class Layout {
 public:
  /// Throws ConfigurationError for a deployment that cannot be laid out.
  Layout(const Deployment& deployment, const Shape& shape);

  /// Place of a hash table's buckets.
  struct Buckets {
    std::uint64_t main;      // how many
    std::uint64_t indirect;  // capacity
    std::uint64_t main_area;
    std::uint64_t indirect_area;
  };

  struct Table {
    ImageFormat format;
    KeyShape keys;
    bool ordered;
    std::uint64_t entries;  // capacity
    std::uint64_t current;  // offsets in the partition
    std::uint64_t headers;
    std::uint64_t old;
    std::vector<Buckets> hash;  // generations, for keys that are not loaded

    /// True if keys of erased records are removed from its indexes, for the sake of scans. Without
    /// insertion none are: loaded keys are inserted again where they were.
    bool collects() const { return ordered && inserts(); }
    /// True if keys that were not loaded may be inserted.
    bool inserts() const { return !hash.empty(); }
    /// Number of the main bucket of a key that was not loaded.
    std::uint64_t bucket_of(Key key, std::uint32_t generation) const {
      return scatter(key, hash[generation].main);
    }
  };

  const Schema& schema() const { return schema_; }
  const View& view() const { return view_; }
  const Table& table(TableId table) const { return tables_[table]; }
  std::uint32_t versions() const { return shape_.versions; }
  /// True if versions older than those are kept in overflow.
  bool overflows() const { return shape_.overflow_kib > 0; }
  std::uint64_t overflow_lines() const;
  /// Headers of a record: one for each old version, and one for the newest version in overflow.
  std::uint32_t headers_of_record() const { return shape_.versions + (overflows() ? 1 : 0); }
  /// True if any table collects().
  bool collects() const;

  /// True for a memory server, even if it also computes.
  bool keeps(NodeId node) const;
  /// Index of a partition among those of its server.
  std::uint32_t place(PartitionId partition) const { return place_[partition]; }

  /// Bytes of a memory server's region of records, the first region that it adds.
  std::uint64_t records_bytes(NodeId node) const;
  rdma::PageLoader loader(NodeId node) const;

  /// Address of the current version of the record with that entry. Names, here and below, count
  /// only by table and partition, except in `bucket`.
  RemoteAddress current(const RecordName& name, std::uint64_t entry) const;
  /// Address of the first header of a record's old versions, and of the old version in a slot.
  RemoteAddress headers(const RecordName& name, std::uint64_t entry) const;
  RemoteAddress old(const RecordName& name, std::uint64_t entry, std::uint32_t slot) const;

  /// Address of a line of the overflow at the record's memory server.
  RemoteAddress overflow(const RecordName& name, std::uint32_t line) const;

  /// Address of a hint of the fiber with this number, at the record's memory server.
  RemoteAddress hint(const RecordName& name, std::uint32_t fiber, std::uint32_t place) const;
  static constexpr std::uint32_t kHints = kCacheLineBytes / sizeof(OldHeader);
  /// Address, in one of the table's generations, of the first bucket that may lead to a record that
  /// was not loaded, and of buckets linked behind others.
  RemoteAddress bucket(const RecordName& name, std::uint32_t generation) const;
  RemoteAddress indirect_bucket(const RecordName& name, std::uint32_t generation,
                                std::uint32_t number) const;
  /// Area of a generation's hash table in the memory server's region.
  HashIndex::Area hash_area(const RecordName& name, std::uint32_t generation) const;

  /// Generation in which a hash table starts if that many entries are in use, loaded ones included.
  std::uint32_t generation_for(TableId table, std::uint64_t used) const;

  /// True if hash tables grow; then a catalog tells their generations.
  bool grows() const { return shape_.first_buckets > 0; }
  /// Memory server whose part of the catalog tells of the name's table and partition, and address
  /// of the word there that counts changes to that part (NAM-DB paper, section 6.1).
  NodeId catalog_home(const RecordName& name) const;
  RemoteAddress catalog_version(NodeId home) const;

  const FiberNumbers& fibers() const { return fibers_; }
  const VectorLayout& vector() const { return vector_; }
  /// Slot of a fiber's commits in the vector.
  std::uint32_t slot_of(NodeId node, WorkerId worker, std::uint16_t fiber) const {
    return vector_.slot_of(fibers_, node, worker, fiber);
  }

 private:
  void check_overflow() const;
  std::vector<Buckets> generations(std::uint64_t capacity) const;
  std::uint64_t overflow_bytes() const;
  std::uint64_t hint_bytes() const;
  RemoteAddress behind_partitions(const RecordName& name, std::uint64_t offset) const;
  void load(NodeId node, std::uint64_t offset, std::span<std::byte> page) const;
  RemoteAddress at(PartitionId partition, std::uint64_t offset) const;

  Schema schema_;
  View view_;
  Shape shape_;
  std::vector<Table> tables_;
  std::uint64_t partition_bytes_ = 0;
  std::vector<std::uint32_t> place_;  // of each partition, its index at its server
  std::vector<NodeId> keepers_;       // memory servers
  FiberNumbers fibers_;
  VectorLayout vector_;
};

}  // namespace verbena::txn::nam
