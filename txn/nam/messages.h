// What compute servers ask the CPUs of memory servers, as it lies in messages.
#pragma once

#include <cstdint>

#include "rdma/rpc/rpc_handler.h"
#include "txn/table.h"

namespace verbena::txn::nam {

/// Procedures that every worker of a memory server serves, or of an oracle.
struct Method {
  /// ClaimRequest, KeyToClaim... -> Claim..., in the same order
  static constexpr rdma::RpcMethod kClaim = 1;
  /// ScanRequest -> ScanReply, ListedKey...
  static constexpr rdma::RpcMethod kScan = 2;
  /// Finished, to an oracle that has a counter; a notification
  static constexpr rdma::RpcMethod kFinished = 3;
};

/// Entries for keys that are in none.
struct ClaimRequest {
  std::uint64_t owner;  ///< lock word of the transaction
};

struct KeyToClaim {
  Key key;
  PartitionId partition;
  TableId table;
  std::uint8_t reserved[5];
};
static_assert(sizeof(KeyToClaim) == 16);

struct Claim {
  std::uint32_t entry;
  std::uint32_t fresh;  ///< 1: the caller has locked it; 0: the key had an entry
};

/// Keys of an ordered table in [first, last].
struct ScanRequest {
  Key first;
  Key last;
  std::uint32_t limit;  ///< of keys that are there now; others that may have been come with them
  std::uint32_t room;   ///< for keys, at most, of a reply
  PartitionId partition;
  TableId table;
  bool descending;
  std::uint8_t reserved[4];
};
static_assert(sizeof(ScanRequest) == 32);

struct ScanReply {
  Key reached;         ///< the last key that was looked at
  std::uint32_t keys;  ///< as many follow
  std::uint32_t more;  ///< 1: there may be others behind it
};

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
