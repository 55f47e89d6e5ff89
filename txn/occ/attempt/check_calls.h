// Asking owners to lock or validate records, one call per node.
#pragma once

#include <cstdint>
#include <vector>

#include "rdma/rpc/rpc.h"
#include "txn/occ/attempt/attempt.h"
#include "txn/occ/attempt/record_groups.h"
#include "txn/occ/node/messages.h"

namespace verbena::txn::occ {

/// The two-sided half of validation: calls that name records with the versions that were read, and
/// are answered by one status for all of them. Belongs to the transaction's fiber.
class CheckCalls {
 public:
  explicit CheckCalls(Attempt& attempt);

  /// Forgets records that were added before.
  void clear() { groups_.clear(); }
  void add(Access& access);

  /// Has their owners lock the records that were added, all of a call or none. Dooms the attempt if
  /// one is locked or has changed.
  void lock(const PhasePlan& phase);

  /// Has their owners look at the records that were added. Dooms the attempt if one is locked or
  /// has changed.
  void validate(const PhasePlan& phase);

 private:
  template <typename Answered>
  void call(const PhasePlan& phase, rdma::RpcMethod method, Answered&& answered);
  void add_call(const RecordGroups::Group& group, rdma::RpcMethod method);
  void hindered(const RecordGroups::Group& group, AbortCause cause);
  template <typename Answered>
  void take_replies(Answered&& answered);

  Attempt& attempt_;
  RecordGroups groups_;
  std::vector<RecordGroups::Group> asked_;  // by the numbers of their calls
};

}  // namespace verbena::txn::occ
