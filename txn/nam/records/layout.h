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
#include "txn/nam/records/record_image.h"
#include "txn/schema/table.h"
#include "txn/system.h"

namespace verbena::txn::nam {

/// What the vector of commits has slots for.
enum class Oracle : std::uint8_t {
  kVector,      ///< fibers of compute servers
  kCompressed,  ///< compute servers
  kCounter,     ///< none but one: there is a counter for all
};

/// Which nodes do what, of which the layout is made.
struct Shape {
  std::uint32_t clients = 1;   ///< workers of a compute node
  std::uint32_t versions = 3;  ///< old ones that are kept of each record, K
  Oracle oracle = Oracle::kVector;
  std::uint32_t oracles = 1;                 ///< servers with a part of the vector each
  bool oracle_on_memory = false;             ///< these are the first memory servers
  std::uint32_t bucket_slots_percent = 150;  ///< slots of buckets for records that may be inserted
  std::uint32_t first_buckets = 0;           ///< of hash tables that grow; 0: they do not
  std::uint32_t overflow_kib = 0;  ///< of each memory server, for older versions; 0: none are kept
};

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

    /// Whether erased keys are taken out of its indexes, which is what scans want; where records
    /// cannot be inserted, keys that were loaded come again where they were.
    bool collects() const { return ordered && inserts(); }
    /// Whether there may be keys that were not loaded.
    bool inserts() const { return !hash.empty(); }
    /// Of such a key.
    std::uint64_t bucket_of(Key key, std::uint32_t generation) const {
      return scatter(key, hash[generation].main);
    }
  };

  const Schema& schema() const { return schema_; }
  const View& view() const { return view_; }
  const Table& table(TableId table) const { return tables_[table]; }
  std::uint32_t versions() const { return shape_.versions; }
  /// Whether versions that are older than these are kept, too.
  bool overflows() const { return shape_.overflow_kib > 0; }
  std::uint64_t overflow_lines() const;
  /// Headers of a record: of each old version, and of the newest one in overflow.
  std::uint32_t headers_of_record() const { return shape_.versions + (overflows() ? 1 : 0); }
  /// Whether a table does.
  bool collects() const;

  /// Whether a node is a memory server, be it a compute server, too.
  bool keeps(NodeId node) const {
    return view_.role(node) == Role::kMemory || view_.role(node) == Role::kBoth;
  }
  /// Of a partition among those of its server.
  std::uint32_t place(PartitionId partition) const { return place_[partition]; }

  /// Of the region of records of a memory server, the first that it adds.
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

  /// Of a fiber, by number, at the record's memory server: one of its hints.
  RemoteAddress hint(const RecordName& name, std::uint32_t fiber, std::uint32_t place) const;
  static constexpr std::uint32_t kHints = kCacheLineBytes / sizeof(OldHeader);
  /// Workers of compute servers.
  std::uint32_t computing_workers() const { return fibers_of_all_ / fibers_; }
  /// One more than the highest fiber_number().
  std::uint32_t fiber_numbers() const { return 1 + fibers_of_all_; }

  /// In one of the table's generations: the first bucket that may lead to a record that was not
  /// loaded, and those linked to others.
  RemoteAddress bucket(const RecordName& name, std::uint32_t generation) const;
  RemoteAddress indirect_bucket(const RecordName& name, std::uint32_t generation,
                                std::uint32_t number) const;
  /// Of the memory server's region.
  HashIndex::Area hash_area(const RecordName& name, std::uint32_t generation) const;

  /// That of a hash table which begins with that many entries in use, of loaded records, too.
  std::uint32_t generation_for(TableId table, std::uint64_t used) const;

  /// Whether hash tables grow: then a catalog tells of which generation they are.
  bool grows() const { return shape_.first_buckets > 0; }
  /// The memory server whose part of the catalog tells of the name's table and partition, and the
  /// word there that counts how often that part was changed (NAM-DB paper, section 6.1).
  NodeId catalog_home(const RecordName& name) const;
  RemoteAddress catalog_version(NodeId home) const;

  /// Tells fibers of compute servers apart, from 1.
  std::uint32_t fiber_number(NodeId node, WorkerId worker, std::uint16_t fiber) const;

  struct FiberPlace {
    NodeId node;
    WorkerId worker;
    std::uint16_t fiber;
  };
  /// The fiber that has this number, if one has.
  std::optional<FiberPlace> fiber_of(std::uint32_t number) const;

  /// The slot of all commits, where there is a counter.
  static constexpr std::uint32_t kSharedSlot = 1;
  /// Slots of the vector, the first of which is of what was loaded.
  std::uint32_t slots() const { return slots_; }
  /// Of each compute server, one after the other.
  std::uint32_t slots_of_server() const { return shape_.clients * fibers_; }
  /// Of a fiber's commits.
  std::uint32_t slot_of(NodeId node, WorkerId worker, std::uint16_t fiber) const;
  /// Of the whole vector.
  std::uint64_t vector_bytes() const { return std::uint64_t{parts()} * part_slots_ * 4; }
  RemoteAddress vector(std::uint32_t slot) const;
  /// Parts of the vector, each at an oracle of its own, that hold some slots: one after the other,
  /// part_slots() each or what is left.
  std::uint32_t parts() const { return (slots_ + part_slots_ - 1) / part_slots_; }
  std::uint32_t part_slots() const { return part_slots_; }
  bool is_oracle(NodeId node) const;
  /// Of an oracle's region, the last that it adds.
  std::uint64_t oracle_bytes() const;
  /// The word that counts timestamps, where there is a counter.
  RemoteAddress counter() const;

 private:
  void check_overflow() const;
  void check_oracles(std::uint32_t lines) const;
  std::vector<Buckets> generations(std::uint64_t capacity) const;
  std::uint64_t overflow_bytes() const;
  std::uint64_t hint_bytes() const;
  RemoteAddress behind_partitions(const RecordName& name, std::uint64_t offset) const;
  void load(NodeId node, std::uint64_t offset, std::span<std::byte> page) const;
  RemoteAddress at(PartitionId partition, std::uint64_t offset) const;

  Schema schema_;
  View view_;
  Shape shape_;
  std::uint32_t fibers_;
  std::uint32_t fibers_of_all_ = 0;
  std::vector<Table> tables_;
  std::uint64_t partition_bytes_ = 0;
  std::vector<NodeId> keepers_;                // memory servers
  std::vector<std::uint32_t> place_;           // of each partition among those of its server
  std::vector<std::uint32_t> clients_before_;  // of each node: nodes before it that compute
  std::vector<NodeId> oracles_;
  std::uint32_t slots_ = 1;
  std::uint32_t part_slots_ = 1;
};

}  // namespace verbena::txn::nam
