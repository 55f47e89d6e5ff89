// Messages and requests to other nodes in the commit phase or at an aborted attempt's end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "rdma/rpc/rpc.h"
#include "txn/occ/attempt/attempt.h"
#include "txn/occ/attempt/record_groups.h"
#include "txn/occ/node/messages.h"

namespace verbena::txn::occ {

/// Returns the update for the owner of a record that the attempt writes.
RecordUpdate update_of(const Access& access);

/// Sends by the plan of the commit phase: passively, or waiting for completions. Belongs to the
/// transaction's fiber.
class CommitSender {
 public:
  explicit CommitSender(Attempt& attempt);

  /// Sends the one-sided requests of the attempt.
  void send_requests();

  /// Forgets all records that were added.
  void clear() { groups_.clear(); }
  /// Adds a record for send_updates() or send_unlocks(); the attempt must hold its lock.
  void add_update(Access& access);
  void add_unlock(Access& access);

  /// Makes owners write and unlock the added records; the attempt no longer holds their locks.
  void send_updates();
  /// Makes owners unlock the added records without writing.
  void send_unlocks();

 private:
  template <typename Put>
  void send_groups(rdma::RpcMethod method, Put&& put);
  void send_message(NodeId node, rdma::RpcMethod method);

  Attempt& attempt_;
  RecordGroups groups_;
  std::vector<std::byte> message_;
};

}  // namespace verbena::txn::occ
