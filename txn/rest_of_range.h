// Going through a range of keys a piece at a time.
#pragma once

#include "txn/schema/table.h"

namespace verbena::txn {

/// Goes on behind the last key of a piece: makes `range`, which has `first`, `last` and
/// `descending`, what of it lies behind `reached` in its direction. False, and the range stays as
/// it is: nothing does.
template <typename Range>
bool go_on_behind(Range& range, Key reached) {
  if (reached == (range.descending ? range.first : range.last)) return false;
  (range.descending ? range.last : range.first) = range.descending ? reached - 1 : reached + 1;
  return true;
}

}  // namespace verbena::txn
