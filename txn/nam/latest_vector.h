// The vector of commits as a compute server has read it last, for all its transactions.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "rdma/base/spin_lock.h"
#include "rdma/base/time.h"

namespace verbena::txn::nam {

/// What a READ of the vector gave.
struct FetchedVector {
  Nanoseconds began_at;  ///< the READ
  std::vector<std::uint32_t> counts;
};

/// One fiber of a compute server READs the vector again and again, transactions take what it has
/// read last (NAM-DB paper, section 4.2: dedicated fetch thread). Whoever holds a vector keeps it.
/// Thread-safe.
class LatestVector {
 public:
  /// Null before the first.
  std::shared_ptr<const FetchedVector> get() const;
  void set(Nanoseconds began_at, std::span<const std::uint32_t> counts);

 private:
  mutable SpinLock changing_;
  std::shared_ptr<const FetchedVector> latest_;
};

}  // namespace verbena::txn::nam
