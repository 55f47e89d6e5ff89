// Requests and messages of the commit phase.
#include "txn/occ/commit/commit_sender.h"

#include <cassert>

#include "rdma/base/message_io.h"
#include "txn/log/log_record.h"

namespace verbena::txn::occ {

RecordUpdate update_of(const Access& access) {
  return {.key = access.name().key,
          .version = access.new_version(),
          .entry = access.entry(),
          .table = access.name().table,
          .reserved = {}};
}

CommitSender::CommitSender(Attempt& attempt)
    : attempt_(attempt), groups_(attempt.node().options().limits.records) {}

void CommitSender::send_requests() {
  rdma::RequestBatch& requests = attempt_.requests();
  if (requests.empty()) return;
  const PhasePlan& phase = attempt_.plan().commit;
  if (phase.passive) {
    requests.post_passive(Attempt::doorbell(phase));
  } else {
    requests.post(Attempt::doorbell(phase));
    requests.wait();
  }
}

void CommitSender::add_update(Access& access) {
  assert(access.lock().held() && access.written());
  groups_.add(access, static_cast<std::uint32_t>(sizeof(RecordUpdate)) +
                          padded_to_words(access.table().format.payload_bytes()));
}

void CommitSender::add_unlock(Access& access) {
  assert(access.lock().held());
  groups_.add(access, sizeof(RecordCheck));
}

void CommitSender::send_updates() {
  send_groups(Method::kCommit, [](MessageWriter& message, const Access& access) {
    message.put(update_of(access));
    message.put_padded({access.payload(), access.table().format.payload_bytes()});
  });
}

void CommitSender::send_unlocks() {
  send_groups(Method::kUnlock, [](MessageWriter& message, const Access& access) {
    message.put(RecordCheck{.version = access.version(),
                            .entry = access.entry(),
                            .table = access.name().table,
                            .reserved = {}});
  });
}

// One message per node, or several where one is too small; put(message, access) writes a record.
template <typename Put>
void CommitSender::send_groups(rdma::RpcMethod method, Put&& put) {
  if (groups_.empty()) return;
  const std::size_t most = attempt_.longest_request() - sizeof(GroupHeader);
  while (!groups_.empty()) {
    const RecordGroups::Group group = groups_.take(most);
    if (group.full) attempt_.reach("occ: commit message is full");
    message_.resize(sizeof(GroupHeader) + group.bytes);
    MessageWriter message(message_);
    message.put(GroupHeader{.owner = attempt_.lock_word(), .records = group.size(), .reserved = 0});
    for (Access* access : group.records) {
      put(message, *access);
      access->lock().release();
    }
    send_message(group.node, method);
  }
  attempt_.post_and_wait(attempt_.plan().commit);
  attempt_.calls().clear();
}

void CommitSender::send_message(NodeId node, rdma::RpcMethod method) {
  const PhasePlan& phase = attempt_.plan().commit;
  if (phase.passive) {
    attempt_.worker().rpc().notify(node, method, message_, Attempt::doorbell(phase));
    return;
  }
  attempt_.calls().add(node, method, message_);
  if (!phase.outstanding) {
    attempt_.post_and_wait(phase);
    attempt_.calls().clear();
  }
}

}  // namespace verbena::txn::occ
