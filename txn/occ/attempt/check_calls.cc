// Calls that lock or validate records.
#include "txn/occ/attempt/check_calls.h"

#include <cassert>
#include <cstring>

#include "rdma/base/message_io.h"

namespace verbena::txn::occ {

CheckCalls::CheckCalls(Attempt& attempt)
    : attempt_(attempt), groups_(attempt.node().options().limits.records) {}

void CheckCalls::add(Access& access) {
  assert(access.located());
  groups_.add(access, sizeof(RecordCheck));
}

void CheckCalls::lock(const PhasePlan& phase) {
  call(phase, Method::kLock, [this](const RecordGroups::Group& group, StatusReply::Status status) {
    if (status == StatusReply::Status::kLocked) hindered(group, Abort::kLockConflict);
    if (status != StatusReply::Status::kOk) return;
    for (Access* access : group.records) access->lock().take(HeldLock::How::kHeld);
  });
}

void CheckCalls::validate(const PhasePlan& phase) {
  call(phase, Method::kValidate,
       [this](const RecordGroups::Group& group, StatusReply::Status status) {
         if (status == StatusReply::Status::kLocked) hindered(group, Abort::kReadLocked);
       });
}

void CheckCalls::hindered(const RecordGroups::Group& group, AbortCause cause) {
  attempt_.doom(cause, {.name = group.records.front()->name(), .among = group.size()});
}

// Calls answered(group, status) for each call that was made.
template <typename Answered>
void CheckCalls::call(const PhasePlan& phase, rdma::RpcMethod method, Answered&& answered) {
  const std::size_t most = attempt_.longest_request() - sizeof(GroupHeader);
  while (!groups_.empty() && !attempt_.doomed()) {
    add_call(groups_.take(most), method);
    if (phase.outstanding) continue;
    attempt_.post_and_wait(phase);
    take_replies(answered);
  }
  if (asked_.empty()) return;
  attempt_.post_and_wait(phase);
  take_replies(answered);
}

void CheckCalls::add_call(const RecordGroups::Group& group, rdma::RpcMethod method) {
  if (group.full) attempt_.reach("occ: message of records to check is full");
  assert(asked_.size() == attempt_.calls().size());
  MessageWriter message(
      attempt_.calls().reserve(group.node, method, sizeof(GroupHeader) + group.bytes));
  message.put(GroupHeader{.owner = attempt_.lock_word(), .records = group.size(), .reserved = 0});
  for (const Access* access : group.records) {
    message.put(RecordCheck{.version = access->version(),
                            .entry = access->entry(),
                            .table = access->name().table,
                            .reserved = {}});
  }
  asked_.push_back(group);
}

template <typename Answered>
void CheckCalls::take_replies(Answered&& answered) {
  for (std::size_t i = 0; i < asked_.size(); ++i) {
    const auto reply = take_reply<StatusReply>(attempt_.calls(), i);
    answered(asked_[i], reply.status);
    if (reply.status == StatusReply::Status::kChanged) {
      hindered(asked_[i], Abort::kValidationFailed);
    }
  }
  asked_.clear();
  attempt_.calls().clear();
}

}  // namespace verbena::txn::occ
