// The commit phase: writing back and unlocking; also unlocking after an abort (DrTM+H paper,
// section 5.3).
#include <cstring>

#include "txn/occ/message_io.h"
#include "txn/occ/messages.h"
#include "txn/occ/transaction.h"
#include "txn/occ/transaction_node.h"

namespace verbena::txn::occ {
namespace {

constexpr std::uint64_t kFree = kUnlocked;  // source of unlocking writes

}  // namespace

using rdma::Work;

void Transaction::write_back() {
  const Plan& plan = node_.plan();
  unindex_erased();
  for (Access& access : accesses_) {
    if (!access.item->written) continue;
    if (locked_by_cpu(access)) {
      write_back_local(access);
    } else if (plan.commit.primitive == Primitive::kOneSided) {
      write_back_one_sided(access);
      if (!plan.commit.outstanding) flush_commit_requests();
    }
  }
  flush_commit_requests();
  if (plan.commit.primitive == Primitive::kTwoSided) {
    send_groups(Method::kCommit,
                [](const Access& access) { return access.item->written && locked(access); });
  }
}

// Before anybody else can lock it, an erased record leaves the indexes: the owner's handler does it
// where it commits, else it is asked to.
void Transaction::unindex_erased() {
  for (Access& access : accesses_) {
    if (!access.item->erased) continue;
    if (!locked_by_cpu(access) && node_.plan().commit.primitive == Primitive::kTwoSided) continue;
    if (local(access)) {
      worker_.core().spend(Work::kIndexInsert);
      node_.store().unindex(access.name.table, access.name.key, access.entry, new_version(access));
    } else {
      const RecordUpdate update = update_of(access);
      std::memcpy(calls_.reserve(access.name.partition, Method::kUnindex, sizeof update).data(),
                  &update, sizeof update);
    }
  }
  if (calls_.size() == 0) return;
  calls_.post(doorbell(node_.plan().commit));
  calls_.wait();
  calls_.clear();
}

// Whether the record's lock is the node's own CPU's to release.
bool Transaction::locked_by_cpu(const Access& access) const {
  return local(access) &&
         (access.lock == Lock::kBorn || node_.plan().lock.primitive == Primitive::kTwoSided);
}

void Transaction::write_back_local(Access& access) {
  // In this machine's caches since it was read and locked.
  worker_.core().spend(Work::kLocalAtomic);
  worker_.core().spend(Work::kCopyLine, format(access).lines());
  std::byte* live = node_.store().record(0, access.name.table, access.entry);
  format(access).write_live(live, new_version(access), access.name.key, access.item->payload);
  unlock(live);
  access.lock = Lock::kNone;
}

// Version, key and payload by one WRITE; the lock word by a second on the same queue pair, hence
// after it.
void Transaction::write_back_one_sided(Access& access) {
  const RecordFormat& layout = format(access);
  if (layout.lines() == 1) {
    store_word(access.image + kVersionOffset, new_version(access));
    store_word(access.image + kKeyOffset, access.name.key);
  } else {
    layout.compose(access.image, new_version(access), access.name.key, access.item->payload);
  }
  requests_.write(address(access, kVersionOffset), access.image + kVersionOffset,
                  layout.bytes() - kVersionOffset);
  requests_.write(address(access, kLockOffset), &kFree, sizeof kFree);
  access.lock = Lock::kNone;
}

void Transaction::flush_commit_requests() {
  if (requests_.empty()) return;
  const PhasePlan& phase = node_.plan().commit;
  if (phase.passive) {
    requests_.post_passive(doorbell(phase));
  } else {
    requests_.post(doorbell(phase));
    requests_.wait();
  }
}

RecordUpdate Transaction::update_of(const Access& access) {
  return {.key = access.name.key,
          .version = new_version(access),
          .entry = access.entry,
          .table = access.name.table,
          .reserved = {}};
}

// Bytes that `access` takes in a message of `method`.
std::size_t Transaction::message_bytes(const Access& access, rdma::RpcMethod method) const {
  if (method == Method::kUnlock) return sizeof(RecordCheck);
  return sizeof(RecordUpdate) + padded_to_words(format(access).payload_bytes());
}

void Transaction::put_message(MessageWriter& message, const Access& access,
                              rdma::RpcMethod method) const {
  if (method == Method::kUnlock) {
    message.put(RecordCheck{.version = access.version,
                            .entry = access.entry,
                            .table = access.name.table,
                            .reserved = {}});
    return;
  }
  message.put(update_of(access));
  message.put_padded({access.item->payload, format(access).payload_bytes()});
}

// One message per node, or several when one is too small, to unlock (and write) the records that
// `select` chooses.
template <typename Select>
void Transaction::send_groups(rdma::RpcMethod method, Select&& select) {
  const std::size_t most = worker_.rpc().max_payload();
  for (Access& access : accesses_) access.grouped = !select(access);
  for (std::size_t first = 0; first < accesses_.size(); ++first) {
    if (accesses_[first].grouped) continue;
    const NodeId node = accesses_[first].name.partition;
    GroupHeader group{.owner = owner_word_, .records = 0, .reserved = 0};
    std::size_t bytes = sizeof group;
    for (std::size_t i = first; i < accesses_.size(); ++i) {
      const Access& access = accesses_[i];
      if (access.grouped || access.name.partition != node) continue;
      if (bytes + message_bytes(access, method) > most) break;
      bytes += message_bytes(access, method);
      ++group.records;
    }
    message_.resize(bytes);
    MessageWriter message(message_);
    message.put(group);
    for (std::size_t i = first; group.records > 0; ++i) {
      Access& access = accesses_[i];
      if (access.grouped || access.name.partition != node) continue;
      put_message(message, access, method);
      access.grouped = true;
      access.lock = Lock::kNone;
      --group.records;
    }
    send_commit_message(node, method);
  }
  if (calls_.size() > 0) post_and_wait(node_.plan().commit);
  calls_.clear();
}

void Transaction::send_commit_message(NodeId node, rdma::RpcMethod method) {
  const PhasePlan& phase = node_.plan().commit;
  if (phase.passive) {
    worker_.rpc().notify(node, method, message_, doorbell(phase));
    return;
  }
  calls_.add(node, method, message_);
  if (!phase.outstanding) {
    post_and_wait(phase);
    calls_.clear();
  }
}

void Transaction::release_locks() {
  const Plan& plan = node_.plan();
  for (Access& access : accesses_) {
    if (!locked(access)) continue;
    if (locked_by_cpu(access)) {
      worker_.core().spend(Work::kLocalAtomic);
      unlock(node_.store().record(0, access.name.table, access.entry));
      access.lock = Lock::kNone;
    } else if (plan.commit.primitive == Primitive::kOneSided) {
      requests_.write(address(access, kLockOffset), &kFree, sizeof kFree);
      access.lock = Lock::kNone;
    }
  }
  flush_commit_requests();
  if (plan.commit.primitive == Primitive::kTwoSided) {
    send_groups(Method::kUnlock, [](const Access& access) { return locked(access); });
  }
}

}  // namespace verbena::txn::occ
