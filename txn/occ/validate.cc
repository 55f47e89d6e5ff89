// The validation phase: locking the write set, and seeing that nothing that was read has changed
// (DrTM+H paper, section 5.2).
#include <cstring>
#include <stdexcept>
#include <string>

#include "txn/occ/message_io.h"
#include "txn/occ/messages.h"
#include "txn/occ/transaction.h"
#include "txn/occ/transaction_node.h"

namespace verbena::txn::occ {

using rdma::Work;

bool Transaction::lock_write_set() {
  if (node_.plan().lock.primitive == Primitive::kOneSided) {
    lock_one_sided();
  } else {
    lock_two_sided();
  }
  return !doomed();
}

// The READ follows the compare-and-swap on the same queue pair, so it sees the version as it stays
// from now on.
void Transaction::post_lock(Access& access) {
  requests_.compare_and_swap(address(access, kLockOffset), kUnlocked, owner_word_,
                             &access.found_lock);
  requests_.read(address(access, kLockOffset), access.header, 16);
}

void Transaction::digest_lock(Access& access) {
  if (access.found_lock != kUnlocked) return doom(Abort::kLockConflict);
  access.lock = Lock::kHeld;
  const std::uint64_t lock = load_word(access.header);
  if (lock != owner_word_) {
    throw std::logic_error("lock of table " + std::to_string(access.name.table) + " partition " +
                           std::to_string(access.name.partition) + " key " +
                           std::to_string(access.name.key) +
                           " was taken by two transactions: the atomics of the machine's NICs do "
                           "not exclude each other");
  }
  check_header(access, kUnlocked, load_word(access.header + 8));
}

void Transaction::lock_one_sided() {
  const PhasePlan& phase = node_.plan().lock;
  for (std::size_t i = 0; i < accesses_.size() && !doomed(); ++i) {
    if (!to_lock(accesses_[i])) continue;
    post_lock(accesses_[i]);
    if (phase.outstanding) continue;
    post_and_wait(phase);
    digest_lock(accesses_[i]);
  }
  if (!phase.outstanding) return;
  post_and_wait(phase);
  for (Access& access : accesses_) {
    if (to_lock(access)) digest_lock(access);
  }
}

void Transaction::check_header(const Access& access, std::uint64_t lock, std::uint64_t version) {
  if (node_.plan().skip_validation_for_test) return;
  if (lock != kUnlocked) return doom(Abort::kReadLocked);
  if (version != access.version) doom(Abort::kValidationFailed);
}

void Transaction::lock_two_sided() {
  const PhasePlan& phase = node_.plan().lock;
  for_each_group(phase, Method::kLock, [](const Access& access) { return to_lock(access); });
  if (phase.outstanding) {
    post_and_wait(phase);
    digest_group_replies(true);
  }
}

// Sends one message per node, or several when one is not enough, about the records that `select`
// chooses; what is outstanding at the end is left to the caller.
template <typename Select>
void Transaction::for_each_group(const PhasePlan& phase, rdma::RpcMethod method, Select&& select) {
  const auto per_message = static_cast<std::uint32_t>(
      (worker_.rpc().max_payload() - sizeof(GroupHeader)) / sizeof(RecordCheck));
  for (Access& access : accesses_) {
    access.grouped = !located(access) || !select(access);
    access.call = 0;
  }
  for (std::size_t first = 0; first < accesses_.size() && !doomed(); ++first) {
    if (accesses_[first].grouped) continue;
    const NodeId node = accesses_[first].name.partition;
    std::uint32_t records = 0;
    for (std::size_t i = first; i < accesses_.size() && records < per_message; ++i) {
      if (!accesses_[i].grouped && accesses_[i].name.partition == node) ++records;
    }
    const auto call = static_cast<std::uint32_t>(calls_.size());
    MessageWriter message(
        calls_.reserve(node, method, sizeof(GroupHeader) + records * sizeof(RecordCheck)));
    message.put(GroupHeader{.owner = owner_word_, .records = records, .reserved = 0});
    for (std::size_t i = first; records > 0; ++i) {
      Access& access = accesses_[i];
      if (access.grouped || access.name.partition != node) continue;
      message.put(RecordCheck{.version = access.version,
                              .entry = access.entry,
                              .table = access.name.table,
                              .reserved = {}});
      access.grouped = true;
      access.call = call + 1;
      --records;
    }
    if (!phase.outstanding) {
      post_and_wait(phase);
      digest_group_replies(method == Method::kLock);
    }
  }
}

// Access::call is the number of the call that spoke for it, plus one; 0: none.
void Transaction::digest_group_replies(bool locking) {
  for (Access& access : accesses_) {
    if (access.call == 0) continue;
    StatusReply reply;
    std::memcpy(&reply, calls_.reply(access.call - 1).data(), sizeof reply);
    access.call = 0;
    if (locking && reply.status == StatusReply::Status::kOk) access.lock = Lock::kHeld;
    if (reply.status == StatusReply::Status::kLocked) {
      doom(locking ? Abort::kLockConflict : Abort::kReadLocked);
    }
    if (reply.status == StatusReply::Status::kChanged) doom(Abort::kValidationFailed);
  }
  calls_.clear();
}

void Transaction::validate_read_set(const PhasePlan& phase) {
  if (node_.plan().skip_validation_for_test) return;
  if (phase.primitive == Primitive::kOneSided) {
    validate_one_sided(phase);
  } else {
    validate_two_sided(phase);
  }
  if (node_.plan().skip_absence_validation_for_test) return;
  validate_absence(phase);
  validate_scans(phase);
}

void Transaction::check_local(const Access& access) {
  worker_.core().spend(Work::kRecordAccess);
  std::byte* live = node_.store().record(0, access.name.table, access.entry);
  const std::uint64_t lock = shared_word(live + kLockOffset).load(std::memory_order_acquire);
  check_header(access, lock, shared_word(live + kVersionOffset).load(std::memory_order_acquire));
}

void Transaction::validate_one_sided(const PhasePlan& phase) {
  auto digest = [this](const Access& access) {
    check_header(access, load_word(access.header), load_word(access.header + 8));
  };
  for (std::size_t i = 0; i < accesses_.size() && !doomed(); ++i) {
    const Access& access = accesses_[i];
    if (!only_read(access) || !located(access)) continue;
    if (local(access)) {
      check_local(access);
      continue;
    }
    requests_.read(address(access, kLockOffset), access.header, 16);
    if (phase.outstanding) continue;
    post_and_wait(phase);
    digest(access);
  }
  if (!phase.outstanding) return;
  post_and_wait(phase);
  for (const Access& access : accesses_) {
    if (only_read(access) && located(access) && !local(access)) digest(access);
  }
}

void Transaction::validate_two_sided(const PhasePlan& phase) {
  for (const Access& access : accesses_) {
    if (only_read(access) && located(access) && local(access)) check_local(access);
  }
  if (doomed()) return;
  for_each_group(phase, Method::kValidate,
                 [this](const Access& access) { return only_read(access) && !local(access); });
  if (phase.outstanding) {
    post_and_wait(phase);
    digest_group_replies(false);
  }
}

}  // namespace verbena::txn::occ
