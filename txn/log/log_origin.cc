// Looking at headers.
#include "txn/log/log_origin.h"

#include <cstring>

#include "txn/store/lock_word.h"

namespace verbena::txn {

std::string LogOrigin::mistake_of_header(const LogHeader& header, NodeId node, WorkerId worker) {
  const LockOwner owner = LockOwner::of(header.owner);
  const LockOwner expected{.node = node,
                           .worker = worker,
                           .fiber = owner.fiber,
                           .attempt = static_cast<std::uint16_t>(header.sequence & 0x7fff)};
  if (owner != expected) {
    return "the owner is attempt " + std::to_string(owner.attempt) + " of node " +
           std::to_string(owner.node) + ", worker " + std::to_string(owner.worker) +
           ", the sequence number " + std::to_string(header.sequence);
  }
  if (owner.fiber >= sequences_.size()) sequences_.resize(owner.fiber + std::size_t{1});
  std::uint64_t& last = sequences_[owner.fiber];
  if (header.sequence <= last) {
    return "sequence number " + std::to_string(header.sequence) + " follows " +
           std::to_string(last);
  }
  last = header.sequence;
  return "";
}

bool LogOrigin::names(const LogRecordReader& record, PartitionId partition) {
  const std::span<const std::byte> named = record.partitions();
  for (std::size_t at = 0; at < named.size(); at += sizeof partition) {
    if (std::memcmp(named.data() + at, &partition, sizeof partition) == 0) return true;
  }
  return false;
}

}  // namespace verbena::txn
