// RPC messages of the two-sided implementation of each phase.
#pragma once

#include <cstdint>

#include "rdma/rpc/rpc.h"
#include "txn/schema/table.h"

namespace verbena::txn::occ {

/// Procedures that every worker serves.
struct Method {
  /// ReadRequest -> ReadReply, payload.
  static constexpr rdma::RpcMethod kRead = 1;
  /// GroupHeader, RecordCheck... -> StatusReply: all are locked or none.
  static constexpr rdma::RpcMethod kLock = 2;
  /// GroupHeader, RecordCheck... -> StatusReply.
  static constexpr rdma::RpcMethod kValidate = 3;
  /// LogPiece, bytes -> nothing.
  static constexpr rdma::RpcMethod kLog = 4;
  /// GroupHeader, (RecordUpdate, payload)... -> nothing.
  static constexpr rdma::RpcMethod kCommit = 5;
  /// GroupHeader, RecordCheck... -> nothing.
  static constexpr rdma::RpcMethod kUnlock = 6;
  /// ReclaimRequest -> ReclaimReply.
  static constexpr rdma::RpcMethod kReclaim = 7;
  /// ScanRequest -> ScanReply, keys.
  static constexpr rdma::RpcMethod kScan = 8;
  /// RecordUpdate -> nothing.
  static constexpr rdma::RpcMethod kUnindex = 9;
  /// ApplyHeader, (LogUpdate, payload)... -> nothing.
  static constexpr rdma::RpcMethod kApply = 10;
};

struct ReadRequest {
  Key key;
  std::uint64_t owner;  ///< lock word of the transaction
  TableId table;
  Flag insert;  ///< true: add an absent record if there is none
  Flag lock;    ///< true: lock the record
  std::uint8_t reserved[5];
};

struct ReadReply {
  enum class Status : std::uint16_t {
    kOk,
    kNotFound,  ///< the index does not have the key
    kAbsent,    ///< the index has the key, but the record is absent
    kLocked,    ///< by another transaction
  };
  Status status;
  Flag locked;  ///< true if the caller has the lock, as asked
  std::uint8_t reserved;
  std::uint32_t entry;    ///< for the caller's cache; also set when locked
  std::uint64_t version;  ///< kNotFound: the stamp of the look-up (Store::find)
};

/// Scan of the keys in [first, last] of an ordered table, or check that an earlier scan would still
/// see the same.
struct ScanRequest {
  Key first;
  Key last;
  std::uint64_t owner;     ///< lock word of the transaction
  std::uint64_t position;  ///< to validate: the position in the earlier reply
  std::uint32_t limit;
  TableId table;
  Flag descending;
  Flag validate;
  std::uint8_t reserved;
};

struct ScanReply {
  std::uint64_t position;  ///< in the index's history (RecentChanges)
  std::uint64_t digest;    ///< over keys and entries
  std::uint32_t keys;      ///< number that follow; none if this was to validate
  Flag changed;            ///< true if a key was added or removed since the earlier scan
  std::uint8_t reserved[3];
};

struct GroupHeader {
  std::uint64_t owner;  ///< lock word of the transaction
  std::uint32_t records;
  std::uint32_t reserved;
};

/// Record of the receiver's own partition with the version that the transaction read.
struct RecordCheck {
  std::uint64_t version;
  std::uint32_t entry;
  TableId table;
  std::uint8_t reserved[3];
};

/// Record of the receiver's own partition with its new version. Its payload follows, padded to 8 B.
struct RecordUpdate {
  Key key;
  std::uint64_t version;
  std::uint32_t entry;
  TableId table;
  std::uint8_t reserved[3];
};

struct StatusReply {
  enum class Status : std::uint64_t { kOk, kLocked, kChanged };
  Status status;
};

/// Bytes to put into the sender's ring at the receiver.
struct LogPiece {
  std::uint64_t place;  ///< in the ring
};

/// Updates, all or some, of a decided transaction's log record in the sender's ring at the
/// receiver. Each is a LogUpdate and its payload, padded to 8 B.
struct ApplyHeader {
  std::uint64_t begin;     ///< of the record in its ring, with the padding before it
  std::uint32_t bytes;     ///< of the record, with that padding
  std::uint16_t updates;   ///< in this message
  std::uint16_t messages;  ///< number of messages with the record's updates
};

/// Asks the receiver to apply the sender's ring before `limit`, which belongs to decided
/// transactions.
struct ReclaimRequest {
  std::uint64_t limit;
};

struct ReclaimReply {
  std::uint64_t applied;
};

}  // namespace verbena::txn::occ
