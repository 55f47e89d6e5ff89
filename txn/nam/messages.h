// Messages of compute servers to the CPUs of memory servers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "rdma/base/bounded_reader.h"
#include "rdma/rpc/rpc_handler.h"
#include "txn/schema/table.h"

namespace verbena::txn::nam {

/// Procedures that every worker of a memory server or an oracle serves.
struct Method {
  /// ClaimRequest, KeyToClaim... -> Claim..., in the same order.
  static constexpr rdma::RpcMethod kClaim = 1;
  /// ScanRequest -> ScanReply, ListedKey....
  static constexpr rdma::RpcMethod kScan = 2;
  /// Finished -> nothing; a notification to an oracle with a counter.
  static constexpr rdma::RpcMethod kFinished = 3;
  /// FenceRequest -> FenceReply, at all nodes; no request of the dead server takes effect after the
  /// reply.
  static constexpr rdma::RpcMethod kFence = 4;
  /// ReleaseRequest -> ReleaseReply.
  static constexpr rdma::RpcMethod kRelease = 5;
  /// RecordToMove... -> MoveReply.
  static constexpr rdma::RpcMethod kMove = 6;
  /// AllocateRequest -> EntryRun....
  static constexpr rdma::RpcMethod kAllocate = 7;
  /// FreeRequest, EntryRun... -> nothing.
  static constexpr rdma::RpcMethod kFree = 8;
  /// TablePart... -> DescribeReply, then a generation (4 B) of each, in the same order; at the
  /// tables' home in the catalog.
  static constexpr rdma::RpcMethod kDescribe = 9;
  /// AlterRequest -> nothing.
  static constexpr rdma::RpcMethod kAlter = 10;
  /// ErasedRecord... -> nothing.
  static constexpr rdma::RpcMethod kSetBack = 11;
};

/// A table of a partition.
struct TablePart {
  PartitionId partition{};
  TableId table = 0;
  std::uint8_t reserved = 0;

  auto operator<=>(const TablePart&) const = default;
};
static_assert(sizeof(TablePart) == 4);

constexpr TablePart part_of(const RecordName& name) {
  return {.partition = name.partition, .table = name.table};
}

struct FenceRequest {
  NodeId dead;
  NodeId by;  ///< node that finishes its transactions
  std::uint8_t reserved[4];
};
static_assert(sizeof(FenceRequest) == 8);

struct FenceReply {
  std::uint32_t claims;  ///< handlers claiming keys, for any node: ask again if > 0
  std::uint32_t reserved;
};

/// Unlocks a table's records that slots in [first_slot, last_slot] have locked, from entry `from`
/// on, as many as one call looks at.
struct ReleaseRequest {
  std::uint64_t from;
  std::uint32_t first_slot;
  std::uint32_t last_slot;
  PartitionId partition;
  TableId table;
  std::uint8_t reserved[5];
};
static_assert(sizeof(ReleaseRequest) == 24);

struct ReleaseReply {
  std::uint64_t next;  ///< entry to go on from, or kAllReleased
  std::uint64_t released;
};
inline constexpr std::uint64_t kAllReleased = UINT64_MAX;

/// Claim of entries for keys that have none.
struct ClaimRequest {
  std::uint64_t owner;  ///< lock word of the transaction
};

/// Entry in a claim that leaves the choice to the server.
inline constexpr std::uint32_t kAnyEntry = UINT32_MAX;

struct KeyToClaim {
  Key key;
  std::uint32_t entry;  ///< kAnyEntry, or one that was allocated to the caller
  PartitionId partition;
  TableId table;
  std::uint8_t reserved[1];
};
static_assert(sizeof(KeyToClaim) == 16);

struct Claim {
  std::uint32_t entry;
  std::uint32_t fresh;  ///< 1: the caller has locked it; 0: the key had an entry
};

/// Consecutive entries of a table in a partition.
struct EntryRun {
  std::uint32_t first;
  std::uint32_t count;
};

/// Entries for keys that will be claimed (NAM-DB paper, section 5.3: extents).
struct AllocateRequest {
  std::uint64_t owner;  ///< a lock word of the caller
  std::uint32_t wanted;
  PartitionId partition;
  TableId table;
  std::uint8_t reserved[1];
};
static_assert(sizeof(AllocateRequest) == 16);

/// Entries that were allocated and will not be claimed.
struct FreeRequest {
  PartitionId partition;
  TableId table;
  std::uint8_t reserved[5];
};
static_assert(sizeof(FreeRequest) == 8);

/// Most runs in one message.
inline constexpr std::size_t kMostRuns = 7;

/// Answer of a home's part of the catalog (NAM-DB paper, section 6.1).
struct DescribeReply {
  std::uint64_t version;  ///< number of changes to that part
};

/// Most tables that one call asks about.
inline constexpr std::size_t kMostDescribed = 14;

/// Tells the catalog the new generation of a table's hash buckets.
struct AlterRequest {
  TablePart part;
  std::uint32_t generation;
};
static_assert(sizeof(AlterRequest) == 8);

/// Record whose old versions are to be copied to overflow.
struct RecordToMove {
  std::uint64_t entry;
  PartitionId partition;
  TableId table;
  std::uint8_t urgent;  ///< its writer has waited long enough (Overflow::WhenFull::kForget)
  std::uint8_t reserved[4];
};
static_assert(sizeof(RecordToMove) == sizeof(KeyToClaim));

struct MoveReply {
  std::uint32_t moved;  ///< records moved, in order; the next one found no room
};

/// Scan of the keys in [first, last] of an ordered table.
struct ScanRequest {
  Key first;
  Key last;
  /// Most keys whose records exist now; keys that older snapshots may hold come in addition.
  std::uint32_t limit;
  std::uint32_t room;  ///< most keys in one reply
  PartitionId partition;
  TableId table;
  Flag descending;
  std::uint8_t reserved[4];
  std::uint64_t holds;  ///< newest of the server's vectors that the snapshot holds; 0: none
};
static_assert(sizeof(ScanRequest) == 40);

struct ScanReply {
  Key reached;         ///< the last key that was looked at
  std::uint32_t keys;  ///< number that follow
  std::uint32_t more;  ///< 1: there may be more keys behind `reached`
  std::uint64_t read;  ///< number of the latest vector that the server has READ
};

/// Erased record that the caller has locked and is about to insert again: scans list its key from
/// now on.
struct ErasedRecord {
  Key key;
  PartitionId partition;
  TableId table;
  std::uint8_t reserved[5];
};
static_assert(sizeof(ErasedRecord) == 16);

/// Tells that the transaction with this timestamp has committed or aborted.
struct Finished {
  std::uint32_t count;
};

/// Record that may exist in some snapshot.
struct ListedKey {
  Key key;
  std::uint64_t version;  ///< current version
  std::uint64_t entry;
};

}  // namespace verbena::txn::nam
