// Where records, their old versions and the vector of commits lie.
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

/// A memory server's region of records holds its partitions one after the other; a partition its
/// tables; a table its current versions, next to each other, then the headers of the old ones, K of
/// each record, then these, likewise (NAM-DB paper, section 4.1), then hash buckets, perhaps of
/// several generations, each larger than the one before. Records are
/// counted by entries: first those that are loaded, whose entries follow from their keys, then
/// those that come later, to which buckets lead. Behind the partitions is the server's overflow, if
/// it keeps older versions; then each record's headers are followed by one that tells the newest of
/// these, and where it lies (Overflow), and each fiber of compute servers has a cache line of hints
/// behind the overflow (Mover). The last page is that of the catalog's version, where there is one.
/// The vector of commits is a region of the oracle's:
/// 4 B for each slot; or in parts of whole cache lines, as many as there are oracles. Addresses are
/// computed, wherever; all nodes make the same.
class Layout {
 public:
  /// Throws ConfigurationError for what cannot be laid out.
  Layout(const Deployment& deployment, const Shape& shape);

  /// A hash table.
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
    std::vector<Buckets> hash;  // for keys that are not loaded: its generations

    /// True if erased keys are taken out of its indexes, which is what scans want; where records
    /// cannot be inserted, keys that were loaded come again where they were.
    bool collects() const { return ordered && inserts(); }
    /// True if there may be keys that were not loaded.
    bool inserts() const { return !hash.empty(); }
    /// Number of the main bucket of such a key.
    std::uint64_t bucket_of(Key key, std::uint32_t generation) const {
      return scatter(key, hash[generation].main);
    }
  };

  const Schema& schema() const { return schema_; }
  const View& view() const { return view_; }
  const Table& table(TableId table) const { return tables_[table]; }
  std::uint32_t versions() const { return shape_.versions; }
  /// True if versions that are older than these are kept, too.
  bool overflows() const { return shape_.overflow_kib > 0; }
  std::uint64_t overflow_lines() const;
  /// Headers of a record: of each old version, and of the newest one in overflow.
  std::uint32_t headers_of_record() const { return shape_.versions + (overflows() ? 1 : 0); }
  /// True if any table collects.
  bool collects() const;

  /// True of a memory server, also of one that computes, too.
  bool keeps(NodeId node) const;
  /// Place of a partition among those of its server.
  std::uint32_t place(PartitionId partition) const { return place_[partition]; }

  /// Bytes of the region of records of a memory server, the first region that it adds.
  std::uint64_t records_bytes(NodeId node) const;
  rdma::PageLoader loader(NodeId node) const;

  /// Where the current version of the record with that entry lies. Of names, here and below, only
  /// table and partition count, but for `bucket`.
  RemoteAddress current(const RecordName& name, std::uint64_t entry) const;
  /// Where the headers of its old versions begin, and where the old version in a slot lies.
  RemoteAddress headers(const RecordName& name, std::uint64_t entry) const;
  RemoteAddress old(const RecordName& name, std::uint64_t entry, std::uint32_t slot) const;

  /// A line of the overflow of the record's memory server.
  RemoteAddress overflow(const RecordName& name, std::uint32_t line) const;

  /// Where one of the hints of a fiber, by number, lies at the record's memory server.
  RemoteAddress hint(const RecordName& name, std::uint32_t fiber, std::uint32_t place) const;
  static constexpr std::uint32_t kHints = kCacheLineBytes / sizeof(OldHeader);
  /// In one of the table's generations: the first bucket that may lead to a record that was not
  /// loaded, and those linked to others.
  RemoteAddress bucket(const RecordName& name, std::uint32_t generation) const;
  RemoteAddress indirect_bucket(const RecordName& name, std::uint32_t generation,
                                std::uint32_t number) const;
  /// Area of that hash table in the memory server's region.
  HashIndex::Area hash_area(const RecordName& name, std::uint32_t generation) const;

  /// Generation of a hash table that begins with that many entries in use, those of loaded records
  /// among them.
  std::uint32_t generation_for(TableId table, std::uint64_t used) const;

  /// True if hash tables grow: then a catalog tells of which generation they are.
  bool grows() const { return shape_.first_buckets > 0; }
  /// The memory server whose part of the catalog tells of the name's table and partition, and the
  /// word there that counts how often that part was changed (NAM-DB paper, section 6.1).
  NodeId catalog_home(const RecordName& name) const;
  RemoteAddress catalog_version(NodeId home) const;

  const FiberNumbers& fibers() const { return fibers_; }
  const VectorLayout& vector() const { return vector_; }
  /// The slot of a fiber's commits in the vector.
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
  std::vector<std::uint32_t> place_;  // of each partition among those of its server
  std::vector<NodeId> keepers_;       // memory servers
  FiberNumbers fibers_;
  VectorLayout vector_;
};

}  // namespace verbena::txn::nam
