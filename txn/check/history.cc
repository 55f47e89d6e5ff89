// Histories as lists of attempts and of their accesses.
#include "txn/check/history.h"

namespace verbena::txn {

void History::add(HistoryEntry entry, std::span<const HistoryAccess> accesses) {
  entry.first_access = accesses_.size();
  entry.accesses = static_cast<std::uint32_t>(accesses.size());
  accesses_.insert(accesses_.end(), accesses.begin(), accesses.end());
  entries_.push_back(entry);
}

void History::append(const History& other) {
  for (const HistoryEntry& entry : other.entries_) add(entry, other.accesses(entry));
}

}  // namespace verbena::txn
