// Messages of compute servers to the CPUs of memory servers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "rdma/base/bounded_reader.h"
#include "rdma/rpc/rpc_handler.h"
#include "txn/schema/table.h"

namespace verbena::txn::nam {

/// Procedures that every worker of a memory server serves, or of an oracle.
struct Method {
  /// ClaimRequest, KeyToClaim... -> Claim..., in the same order
  static constexpr rdma::RpcMethod kClaim = 1;
  /// ScanRequest -> ScanReply, ListedKey...
  static constexpr rdma::RpcMethod kScan = 2;
  /// Finished, to an oracle that has a counter; a notification
  static constexpr rdma::RpcMethod kFinished = 3;
  /// FenceRequest -> FenceReply; of all nodes: nothing that the dead server has sent takes effect
  /// after the reply.
  static constexpr rdma::RpcMethod kFence = 4;
  /// ReleaseRequest -> ReleaseReply
  static constexpr rdma::RpcMethod kRelease = 5;
  /// RecordToMove... -> MoveReply
  static constexpr rdma::RpcMethod kMove = 6;
  /// AllocateRequest -> EntryRun...
  static constexpr rdma::RpcMethod kAllocate = 7;
  /// FreeRequest, EntryRun... -> nothing
  static constexpr rdma::RpcMethod kFree = 8;
  /// TablePart... -> DescribeReply, a generation (4 B) of each, in the same order; to the home of
  /// what tells of them in the catalog
  static constexpr rdma::RpcMethod kDescribe = 9;
  /// AlterRequest -> nothing
  static constexpr rdma::RpcMethod kAlter = 10;
  /// ErasedRecord... -> nothing
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
  NodeId by;  ///< who finishes its transactions
  std::uint8_t reserved[4];
};
static_assert(sizeof(FenceRequest) == 8);

struct FenceReply {
  std::uint32_t claims;  ///< handlers that are claiming keys, for whoever: ask again
  std::uint32_t reserved;
};

/// Records of a table whose locks are of slots in [first_slot, last_slot] are unlocked; those from
/// entry `from` on, as many as are looked at at a time.
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
  std::uint64_t next;  ///< kAllReleased, or where to go on
  std::uint64_t released;
};
inline constexpr std::uint64_t kAllReleased = UINT64_MAX;

/// Entries for keys that are in none.
struct ClaimRequest {
  std::uint64_t owner;  ///< lock word of the transaction
};

/// The entry of a claim whose server chooses one.
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

/// Entries of a table of a partition, one after the other.
struct EntryRun {
  std::uint32_t first;
  std::uint32_t count;
};

/// Entries for keys that will be claimed (NAM-DB paper, section 5.3: extents).
struct AllocateRequest {
  std::uint64_t owner;  ///< a lock word of the caller's
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

/// Runs in one message at most.
inline constexpr std::size_t kMostRuns = 7;

/// Answer of a home's part of the catalog (NAM-DB paper, section 6.1).
struct DescribeReply {
  std::uint64_t version;  ///< of that part
};

/// Parts of tables that one call asks of at most.
inline constexpr std::size_t kMostDescribed = 14;

/// The hash table of a table's partition is of this generation from now on.
struct AlterRequest {
  TablePart part;
  std::uint32_t generation;
};
static_assert(sizeof(AlterRequest) == 8);

/// A record whose old versions are to be copied to overflow.
struct RecordToMove {
  std::uint64_t entry;
  PartitionId partition;
  TableId table;
  std::uint8_t urgent;  ///< its writer has waited long enough (Overflow::WhenFull::kForget)
  std::uint8_t reserved[4];
};
static_assert(sizeof(RecordToMove) == sizeof(KeyToClaim));

struct MoveReply {
  std::uint32_t moved;  ///< so many of them; for the next one there was no room
};

/// Keys of an ordered table in [first, last].
struct ScanRequest {
  Key first;
  Key last;
  std::uint32_t limit;  ///< of keys that are there now; others that may have been come with them
  std::uint32_t room;   ///< for keys, at most, of a reply
  PartitionId partition;
  TableId table;
  Flag descending;
  std::uint8_t reserved[4];
  std::uint64_t holds;  ///< the snapshot holds the server's vector of this number; 0: of none
};
static_assert(sizeof(ScanRequest) == 40);

struct ScanReply {
  Key reached;         ///< the last key that was looked at
  std::uint32_t keys;  ///< as many follow
  std::uint32_t more;  ///< 1: there may be others behind it
  std::uint64_t read;  ///< the number of the vector that the server has READ last
};

/// An erased record which the caller has locked, and is about to insert again: scans have to come
/// across its key from now on.
struct ErasedRecord {
  Key key;
  PartitionId partition;
  TableId table;
  std::uint8_t reserved[5];
};
static_assert(sizeof(ErasedRecord) == 16);

/// A transaction with this timestamp has committed or aborted.
struct Finished {
  std::uint32_t count;
};

/// A record that may be there in some snapshot.
struct ListedKey {
  Key key;
  std::uint64_t version;  ///< the current one
  std::uint64_t entry;
};

}  // namespace verbena::txn::nam
