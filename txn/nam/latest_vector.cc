// Handing vectors from the fiber that fetches them to those that go by them.
#include "txn/nam/latest_vector.h"

#include <mutex>
#include <utility>

namespace verbena::txn::nam {

std::shared_ptr<const FetchedVector> LatestVector::get() const {
  const std::lock_guard guard(changing_);
  return latest_;
}

void LatestVector::set(Nanoseconds began_at, std::span<const std::uint32_t> counts) {
  auto next = std::make_shared<const FetchedVector>(
      FetchedVector{.began_at = began_at, .counts = {counts.begin(), counts.end()}});
  const std::lock_guard guard(changing_);
  // The one before is given back outside, unless somebody still goes by it.
  latest_.swap(next);
}

}  // namespace verbena::txn::nam
