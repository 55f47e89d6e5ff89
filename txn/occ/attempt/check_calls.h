// Calls that ask owners to lock or validate records, one or more to each node.
#pragma once

#include <cstdint>
#include <vector>

#include "rdma/rpc/rpc.h"
#include "txn/occ/attempt/attempt.h"
#include "txn/occ/attempt/record_groups.h"
#include "txn/occ/node/messages.h"

namespace verbena::txn::occ {

/// Does the two-sided part of validation: each call names records with the versions that were read,
/// and gets one status for all of them. Belongs to the transaction's fiber.
class CheckCalls {
 public:
  explicit CheckCalls(Attempt& attempt);

  /// Forgets all records that were added.
  void clear() { groups_.clear(); }
  void add(Access& access);

  /// Makes owners lock the added records, all of a call or none. Dooms the attempt if one is locked
  /// or has changed.
  void lock(const PhasePlan& phase);

  /// Makes owners check the added records. Dooms the attempt if one is locked or has changed.
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
  std::vector<RecordGroups::Group> asked_;  // indexed by call number
};

}  // namespace verbena::txn::occ
