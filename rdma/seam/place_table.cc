// Growth of the table.
#include "rdma/seam/place_table.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace verbena::rdma {
namespace {

constexpr std::uint64_t kFirstEntries = 64;
constexpr std::uint64_t kBehind = 64;  // entries of numbers that begin to look at the last ones

}  // namespace

// Entries are never taken out, so the first free one ends a search.
void PlaceTable::put(Entry entry) {
  std::size_t at = first_of(entry.number);
  while (at < entries_.size() && entries_[at].place != kNone) ++at;
  if (at == entries_.size()) entries_.resize(entries_.size() + kBehind);
  entries_[at] = entry;
}

// By half, to be three quarters full at most.
void PlaceTable::grow() {
  begins_ = std::max(kFirstEntries, begins_ + begins_ / 2);
  most_ = begins_ / 4 * 3;
  const std::vector<Entry> before = std::exchange(entries_, std::vector<Entry>(begins_ + kBehind));
  for (const Entry& entry : before) {
    if (entry.place != kNone) put(entry);
  }
}

}  // namespace verbena::rdma
