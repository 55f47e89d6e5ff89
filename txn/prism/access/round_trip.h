// Notices of round trips, to count them by.
#pragma once

#include <functional>

namespace verbena::txn::prism {

/// Tells of each round trip.
struct RoundTrip {
  std::function<void()> begins = {};
  std::function<void()> sent = {};   ///< what is to be carried out is on its way
  std::function<void()> waits = {};  ///< for another client, before the next one begins
};

}  // namespace verbena::txn::prism
