// Moments at which something held.
#pragma once

#include <span>
#include <vector>

#include "txn/moment.h"

namespace verbena::txn {

/// The moments from `first` on, until before `end`.
struct MomentRange {
  Moment first = kBeforeAll;
  Moment end = kAfterAll;
};

/// Ranges that do not overlap, the latest first.
class MomentSet {
 public:
  explicit MomentSet(MomentRange all) : ranges_{all} {}

  bool empty() const { return ranges_.empty(); }

  /// Keeps only moments that are also in one of `others`, which must not overlap, the latest first.
  void keep(std::span<const MomentRange> others);

 private:
  std::vector<MomentRange> ranges_;
};

}  // namespace verbena::txn
