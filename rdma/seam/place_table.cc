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

void PlaceTable::lengthen() { entries_.resize(entries_.size() + kBehind); }

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
