// Messages between nodes, and to the counter server.
#pragma once

#include <cstdint>

#include "rdma/base/bounded_reader.h"
#include "rdma/rpc/rpc_handler.h"
#include "txn/schema/table.h"

namespace verbena::txn::si2pc {

/// Procedures: the first five at nodes with partitions, the others at the counter server. A node
/// holds one partition, so messages to it name none.
struct Method {
  /// ReadRequest, WantedRecord... -> ReadStatus..., then the payloads, each padded to 8 B, of
  /// records whose status has `room`; in the same order.
  static constexpr rdma::RpcMethod kRead = 1;
  /// ScanRequest -> ScanReply, Key....
  static constexpr rdma::RpcMethod kScan = 2;
  /// PrepareRequest, PreparedRecord... -> PrepareReply, and entries (4 B) in the same order if all
  /// are locked; otherwise none is locked.
  static constexpr rdma::RpcMethod kPrepare = 3;
  /// CommitRequest, (InstalledRecord, payload padded to 8 B)... -> nothing.
  static constexpr rdma::RpcMethod kCommit = 4;
  /// ReleasedRecord... -> nothing.
  static constexpr rdma::RpcMethod kRelease = 5;
  /// nothing -> Timestamp.
  static constexpr rdma::RpcMethod kSnapshot = 6;
  /// nothing -> Timestamp.
  static constexpr rdma::RpcMethod kCommitTimestamp = 7;
  /// Timestamp of a commit that was installed -> nothing; a notification.
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
  Flag to_write;  ///< true: to be written, so no older version is wanted
  std::uint8_t reserved[6];
};
static_assert(sizeof(WantedRecord) == 16);

/// State of a record in a snapshot.
enum class Look : std::uint8_t {
  kPresent,
  kAbsent,
  kTooOld,  ///< no kept version is in the snapshot
  kNewer,   ///< to be written, and its version is not in the snapshot
  kLocked,  ///< to be written, and locked by another transaction
};

struct ReadStatus {
  Look look;
  Flag room;    ///< true: the reply has room for its payload
  Flag locked;  ///< true: read through a lock
  Flag old;     ///< true: an old version was read
  std::uint8_t reserved[4];
};
static_assert(sizeof(ReadStatus) == 8);

/// Scan of the keys in [first, last] of an ordered table.
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
  std::uint32_t keys;  ///< number that follow, all in the snapshot
  Flag more;           ///< true: there may be more keys behind `reached`
  Flag too_old;        ///< true: some key has no kept version in the snapshot
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
  Flag present;  ///< in the snapshot; an absent record is to be inserted
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
  Flag erased;  ///< true: no payload follows
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
