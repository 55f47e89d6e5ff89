// The RPCs of the two-sided implementation of each phase, as they lie in messages.
#pragma once

#include <cstdint>

#include "rdma/rpc.h"
#include "txn/table.h"

namespace verbena::txn {

/// Procedures that every worker serves.
struct Method {
  static constexpr rdma::RpcMethod kRead = 1;  ///< ReadRequest -> ReadReply, payload
  static constexpr rdma::RpcMethod kLock =
      2;  ///< GroupHeader, RecordCheck... -> StatusReply: all or none
  static constexpr rdma::RpcMethod kValidate = 3;  ///< GroupHeader, RecordCheck... -> StatusReply
  static constexpr rdma::RpcMethod kLog = 4;       ///< LogPiece, bytes -> nothing
  static constexpr rdma::RpcMethod kCommit =
      5;  ///< GroupHeader, (RecordUpdate, payload)... -> nothing
  static constexpr rdma::RpcMethod kUnlock = 6;   ///< GroupHeader, RecordCheck... -> nothing
  static constexpr rdma::RpcMethod kReclaim = 7;  ///< ReclaimRequest -> ReclaimReply
};

struct ReadRequest {
  Key key;
  TableId table;
  std::uint8_t reserved[7];
};

struct ReadReply {
  enum class Status : std::uint32_t { kOk, kNotFound, kLocked };
  Status status;
  std::uint32_t entry;  ///< the location, for the caller's cache; also when locked
  std::uint64_t version;
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

/// "What my ring holds before `limit` belongs to decided transactions: apply it."
struct ReclaimRequest {
  std::uint64_t limit;
};

struct ReclaimReply {
  std::uint64_t applied;
};

}  // namespace verbena::txn
