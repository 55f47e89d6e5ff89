// Giving timestamps, and moving snapshots on.
#include "txn/si2pc/timestamps.h"

#include <mutex>
#include <stdexcept>
#include <string>

#include "rdma/base/bounded_reader.h"
#include "rdma/base/errors.h"

namespace verbena::txn::si2pc {

using rdma::Work;

std::uint32_t Timestamps::count_after(std::uint32_t given) {
  if (given == UINT32_MAX) {
    throw std::runtime_error("counter of commits: " + std::to_string(given) +
                             " commits; no version can count more");
  }
  return given + 1;
}

void Timestamps::lock(rdma::Core& core) {
  constexpr std::uint32_t kLines = 2;
  core.spend(Work::kLocalAtomic);
  core.change(line_, kLines);
  changing_.lock();
}

std::uint64_t Timestamps::snapshot(rdma::Core& core) {
  lock(core);
  const std::lock_guard guard(changing_, std::adopt_lock);
  return kLoaded + finished_.end();
}

std::uint64_t Timestamps::next(rdma::Core& core) {
  lock(core);
  const std::lock_guard guard(changing_, std::adopt_lock);
  given_ = count_after(given_);
  return kLoaded + given_;
}

void Timestamps::finish(std::uint64_t timestamp, rdma::Core& core) {
  lock(core);
  const std::lock_guard guard(changing_, std::adopt_lock);
  check_within(timestamp, kLoaded + 1, kLoaded + given_, "finished timestamp");
  const std::uint32_t count = stamp(timestamp).count;
  if (count > finished_.end() + 1) core.reach("si2pc: commit finished before an earlier one");
  if (!finished_.add(count)) {
    throw Malformed("has timestamp " + std::to_string(timestamp) + ", which was finished before");
  }
}

}  // namespace verbena::txn::si2pc
