// Messages between nodes, and to the counter server.
#pragma once

#include <cstdint>

#include "rdma/base/bounded_reader.h"
#include "rdma/rpc/rpc_handler.h"
#include "txn/schema/table.h"

namespace verbena::txn::si2pc {

/// Procedures. The first five are those of nodes that hold partitions, the others the counter
/// server's. A node holds one partition, so messages to it name none.
struct Method {
  /// ReadRequest, WantedRecord... -> ReadStatus..., then room for the payload, filled up to 8 B, of
  /// each that has it; in the same order
  static constexpr rdma::RpcMethod kRead = 1;
  /// ScanRequest -> ScanReply, Key...
  static constexpr rdma::RpcMethod kScan = 2;
  /// PrepareRequest, PreparedRecord... -> PrepareReply, entries (4 B) in the same order if all are
  /// locked; else none is
  static constexpr rdma::RpcMethod kPrepare = 3;
  /// CommitRequest, InstalledRecord and payload, filled up to 8 B, of each -> nothing
  static constexpr rdma::RpcMethod kCommit = 4;
  /// ReleasedRecord... -> nothing
  static constexpr rdma::RpcMethod kRelease = 5;
  /// nothing -> Timestamp
  static constexpr rdma::RpcMethod kSnapshot = 6;
  /// nothing -> Timestamp
  static constexpr rdma::RpcMethod kCommitTimestamp = 7;
  /// Timestamp, of a commit that was installed; a notification
  static constexpr rdma::RpcMethod kFinished = 8;
};

struct Timestamp {
  std::uint64_t value;
};

struct ReadRequest {
  std::uint64_t snapshot;
};

struct WantedRecord {
  Key key;
  TableId table;
  Flag to_write;  ///< whoever would write it wants no older version
  std::uint8_t reserved[6];
};
static_assert(sizeof(WantedRecord) == 16);

/// State of a record in a snapshot.
enum class Look : std::uint8_t {
  kPresent,
  kAbsent,
  kTooOld,  ///< no version that is kept is in the snapshot
  kNewer,   ///< it is to be written, and its version is not in the snapshot
  kLocked,  ///< it is to be written, and somebody else is writing it
};

struct ReadStatus {
  Look look;
  Flag room;    ///< there is some for its payload
  Flag locked;  ///< it was read through a lock
  Flag old;     ///< an old version was read
  std::uint8_t reserved[4];
};
static_assert(sizeof(ReadStatus) == 8);

/// Keys of an ordered table in [first, last].
struct ScanRequest {
  Key first;
  Key last;
  std::uint64_t snapshot;
  std::uint32_t limit;
  TableId table;
  Flag descending;
  std::uint8_t reserved[2];
};
static_assert(sizeof(ScanRequest) == 32);

struct ScanReply {
  Key reached;         ///< the last key that was looked at
  std::uint32_t keys;  ///< as many follow, which the snapshot holds
  Flag more;           ///< there may be others behind it
  Flag too_old;        ///< of one no version that is kept is in the snapshot
  std::uint8_t reserved[2];
};
static_assert(sizeof(ScanReply) == 16);

struct PrepareRequest {
  std::uint64_t owner;  ///< lock word of the transaction
  std::uint64_t snapshot;
};

struct PreparedRecord {
  Key key;
  TableId table;
  Flag present;  ///< in the snapshot; an absent one is to be inserted
  std::uint8_t reserved[6];
};
static_assert(sizeof(PreparedRecord) == 16);

struct PrepareReply {
  enum class Status : std::uint8_t { kPrepared, kLocked, kStale };
  Status status;
  std::uint8_t reserved[3];
};
static_assert(sizeof(PrepareReply) == 4);

struct CommitRequest {
  std::uint64_t owner;
  std::uint64_t timestamp;
};

struct InstalledRecord {
  Key key;
  std::uint32_t entry;
  TableId table;
  Flag erased;  ///< then no payload follows
  std::uint8_t reserved[2];
};
static_assert(sizeof(InstalledRecord) == 16);

struct ReleasedRecord {
  std::uint64_t owner;
  std::uint32_t entry;
  TableId table;
  std::uint8_t reserved[3];
};
static_assert(sizeof(ReleasedRecord) == 16);

}  // namespace verbena::txn::si2pc
