// Taking the time, or what comes after what was seen.
#include "txn/prism_tx/records/timestamp.h"

#include <algorithm>

namespace verbena::txn::prism_tx {
namespace {

/// A clock that has run for longer begins again, so that there is room for what is later than it:
/// after that timestamps count on from those that were seen. 39 hours.
constexpr std::uint64_t kMostTime = std::uint64_t{1} << 43;

}  // namespace

Timestamp Timestamps::take(Nanoseconds now, Timestamp known) {
  const auto time = static_cast<std::uint64_t>((now + ahead_) / kTimeUnit) % kMostTime;
  note(known);
  const std::uint64_t next = (latest_ >> prism::kClientBits) + 1;
  const Timestamp by_clock = timestamp_of(time, client_);
  latest_ = by_clock > latest_ ? by_clock : timestamp_of(next, client_);
  return latest_;
}

void Timestamps::note(Timestamp seen) { latest_ = std::max(latest_, seen); }

}  // namespace verbena::txn::prism_tx
