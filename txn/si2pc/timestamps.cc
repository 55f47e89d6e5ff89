// Giving timestamps, and moving snapshots on.
#include "txn/si2pc/timestamps.h"

#include <cassert>
#include <mutex>

namespace verbena::txn::si2pc {

using rdma::Work;

std::uint64_t Timestamps::snapshot(rdma::Core& core) {
  core.spend(Work::kLocalAtomic);
  const std::lock_guard guard(changing_);
  return snapshot_;
}

std::uint64_t Timestamps::next(rdma::Core& core) {
  core.spend(Work::kLocalAtomic);
  const std::lock_guard guard(changing_);
  finished_.push_back(false);
  return snapshot_ + finished_.size();
}

void Timestamps::finish(std::uint64_t timestamp, rdma::Core& core) {
  core.spend(Work::kLocalAtomic);
  const std::lock_guard guard(changing_);
  assert(timestamp > snapshot_ && timestamp - snapshot_ <= finished_.size());
  finished_[timestamp - snapshot_ - 1] = true;
  if (!finished_.front()) core.reach("si2pc: commit finished before an earlier one");
  for (; !finished_.empty() && finished_.front(); finished_.pop_front()) ++snapshot_;
}

}  // namespace verbena::txn::si2pc
