// The RPCs of the two-sided implementation of each phase, as they lie in messages.
#pragma once

#include <cstdint>

#include "rdma/rpc/rpc.h"
#include "txn/schema/table.h"

namespace verbena::txn::occ {

/// Procedures that every worker serves.
struct Method {
  /// ReadRequest -> ReadReply, payload
  static constexpr rdma::RpcMethod kRead = 1;
  /// GroupHeader, RecordCheck... -> StatusReply: all are locked or none
  static constexpr rdma::RpcMethod kLock = 2;
  /// GroupHeader, RecordCheck... -> StatusReply
  static constexpr rdma::RpcMethod kValidate = 3;
  /// LogPiece, bytes -> nothing
  static constexpr rdma::RpcMethod kLog = 4;
  /// GroupHeader, (RecordUpdate, payload)... -> nothing
  static constexpr rdma::RpcMethod kCommit = 5;
  /// GroupHeader, RecordCheck... -> nothing
  static constexpr rdma::RpcMethod kUnlock = 6;
  /// ReclaimRequest -> ReclaimReply
  static constexpr rdma::RpcMethod kReclaim = 7;
  /// ScanRequest -> ScanReply, keys
  static constexpr rdma::RpcMethod kScan = 8;
  /// RecordUpdate -> nothing
  static constexpr rdma::RpcMethod kUnindex = 9;
  /// ApplyHeader, (LogUpdate, payload)... -> nothing
  static constexpr rdma::RpcMethod kApply = 10;
};

struct ReadRequest {
  Key key;
  std::uint64_t owner;  ///< lock word of the transaction
  TableId table;
  Flag insert;  ///< add an absent record if there is none
  Flag lock;    ///< lock it
  std::uint8_t reserved[5];
};

struct ReadReply {
  enum class Status : std::uint16_t {
    kOk,
    kNotFound,  ///< the index does not have the key
    kAbsent,    ///< it has, but there is no record now
    kLocked,    ///< by another transaction
  };
  Status status;
  Flag locked;  ///< by the caller, as it asked
  std::uint8_t reserved;
  std::uint32_t entry;    ///< the location, for the caller's cache; also when locked
  std::uint64_t version;  ///< kNotFound: the stamp of the look-up (Store::find)
};

/// Keys of an ordered table in [first, last]; or whether they still are what an earlier scan saw.
struct ScanRequest {
  Key first;
  Key last;
  std::uint64_t owner;     ///< lock word of the transaction
  std::uint64_t position;  ///< when validating: that of the earlier reply
  std::uint32_t limit;
  TableId table;
  Flag descending;
  Flag validate;
  std::uint8_t reserved;
};

struct ScanReply {
  std::uint64_t position;  ///< in the index's history (RecentChanges)
  std::uint64_t digest;    ///< over keys and entries
  std::uint32_t keys;      ///< as many follow, unless this was to validate
  Flag changed;            ///< a key has come or left since the earlier scan
  std::uint8_t reserved[3];
};

struct GroupHeader {
  std::uint64_t owner;  ///< lock word of the transaction
  std::uint32_t records;
  std::uint32_t reserved;
};

/// A record of the receiver's own partition, and the version that the transaction read.
struct RecordCheck {
  std::uint64_t version;
  std::uint32_t entry;
  TableId table;
  std::uint8_t reserved[3];
};

/// A record of the receiver's own partition, and its new version; its payload, padded to 8 B,
/// follows.
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

/// Bytes for the sender's ring at the receiver.
struct LogPiece {
  std::uint64_t place;  ///< in the ring
};

/// The updates of a log record that is in the sender's ring at the receiver, or some of them, the
/// transaction being decided: each is a LogUpdate and its payload, padded to 8 B.
struct ApplyHeader {
  std::uint64_t begin;     ///< of the record in its ring, padding before it included
  std::uint32_t bytes;     ///< likewise
  std::uint16_t updates;   ///< in this message
  std::uint16_t messages;  ///< in which the record's updates come
};

/// "What my ring holds before `limit` belongs to decided transactions: apply it."
struct ReclaimRequest {
  std::uint64_t limit;
};

struct ReclaimReply {
  std::uint64_t applied;
};

}  // namespace verbena::txn::occ
