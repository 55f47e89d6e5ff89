// Taking groups out of the records that wait.
#include "txn/occ/attempt/record_groups.h"

#include <cassert>

#include "txn/occ/attempt/attempt.h"

namespace verbena::txn::occ {

RecordGroups::RecordGroups(std::uint32_t most) {
  // Groups are parts of what was taken, which so must stay where it is.
  taken_.reserve(most);
}

void RecordGroups::clear() {
  waiting_.clear();
  taken_.clear();
}

RecordGroups::Group RecordGroups::take(std::size_t most_bytes) {
  assert(!empty() && taken_.size() + waiting_.size() <= taken_.capacity());
  assert(waiting_.front().bytes <= most_bytes);
  const NodeId node = Attempt::owner(*waiting_.front().access);
  const std::size_t first = taken_.size();
  std::uint32_t bytes = 0;
  bool full = false;
  auto left = waiting_.begin();
  for (const Waiting& next : waiting_) {
    const bool of_node = Attempt::owner(*next.access) == node;
    full |= of_node && bytes + next.bytes > most_bytes;
    if (of_node && !full) {
      taken_.push_back(next.access);
      bytes += next.bytes;
    } else {
      *left++ = next;
    }
  }
  waiting_.erase(left, waiting_.end());
  return {.node = node, .bytes = bytes, .records = std::span(taken_).subspan(first), .full = full};
}

}  // namespace verbena::txn::occ
