// Sending of what the commit phase, or the end of an aborted attempt, has to tell other nodes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "rdma/rpc/rpc.h"
#include "txn/occ/attempt/attempt.h"
#include "txn/occ/attempt/record_groups.h"
#include "txn/occ/node/messages.h"

namespace verbena::txn::occ {

/// The update that an owner is told of a record that the attempt writes.
RecordUpdate update_of(const Access& access);

/// Sends by the plan of the commit phase: passively, so that nobody waits, or waiting. Belongs to
/// the transaction's fiber.
class CommitSender {
 public:
  explicit CommitSender(Attempt& attempt);

  /// Sends the one-sided requests that were added to the attempt's.
  void send_requests();

  /// Forgets records that were added before.
  void clear() { groups_.clear(); }
  /// Adds a record, whose lock the attempt holds, for send_updates or send_unlocks.
  void add_update(Access& access);
  void add_unlock(Access& access);

  /// Has their owners write and unlock the records that were added; from now on their locks are no
  /// longer the attempt's.
  void send_updates();
  /// The same without writing.
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
