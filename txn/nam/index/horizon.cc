// Keeping some READs of the vector until they are old.
#include "txn/nam/index/horizon.h"

#include <mutex>
#include <utility>

#include "txn/nam/node_options.h"

namespace verbena::txn::nam {

void Horizon::add(Nanoseconds now, std::span<const std::uint32_t> counts) {
  std::vector<std::uint32_t> copy(counts.begin(), counts.end());
  const std::lock_guard guard(changing_);
  while (past_.size() > 1 && past_[1].at + with_slack(longest_transaction_) <= now)
    past_.pop_front();
  past_.push_back({.at = now, .counts = std::move(copy)});
}

bool Horizon::holds(const Stamp& stamp, Nanoseconds now) const {
  const std::lock_guard guard(changing_);
  if (past_.empty() || past_.front().at + with_slack(longest_transaction_) > now) return false;
  return visible(stamp, past_.front().counts);
}

}  // namespace verbena::txn::nam
