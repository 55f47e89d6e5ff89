// Keeping the last vectors by their numbers.
#include "txn/nam/oracle/known_vectors.h"

#include <mutex>
#include <utility>

namespace verbena::txn::nam {

void KnownVectors::add(std::span<const std::uint32_t> counts) {
  auto copy = std::make_shared<const std::vector<std::uint32_t>>(counts.begin(), counts.end());
  const std::lock_guard guard(changing_);
  ++reads_;
  vectors_[reads_ % kKept] = {.number = reads_, .counts = std::move(copy)};
}

KnownVector KnownVectors::numbered_before(std::uint64_t reads) const {
  const std::lock_guard guard(changing_);
  return reads_ > reads ? vectors_[(reads_ - reads) % kKept] : KnownVector{};
}

KnownVector KnownVectors::numbered(std::uint64_t number) const {
  const std::lock_guard guard(changing_);
  const KnownVector& there = vectors_[number % kKept];
  return number != 0 && there.number == number ? there : KnownVector{};
}

// Replies may overtake each other.
void ToldVectors::told(NodeId server, std::uint64_t number, Nanoseconds now) {
  auto& vectors = servers_[server];
  if (number <= vectors.front().number) return;
  std::shift_right(vectors.begin(), vectors.end(), 1);
  vectors.front() = {.number = number, .at = now};
}

std::uint64_t ToldVectors::held(NodeId server, Nanoseconds began) const {
  for (const Told& told : servers_[server]) {
    if (told.at <= began) return told.number;
  }
  return 0;
}

}  // namespace verbena::txn::nam
