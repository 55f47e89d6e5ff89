// The node whose next event is the earliest.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "rdma/base/time.h"

namespace verbena::simnic {

/// The times of several nodes' next events, as a tree of matches that the earlier one wins; of
/// equal times, the lower number.
class EarliestOf {
 public:
  explicit EarliestOf(std::size_t nodes)
      : places_(std::bit_ceil(nodes)), times_(places_, kNeverPs), winners_(2 * places_) {
    for (std::size_t i = 0; i < places_; ++i) {
      winners_[places_ + i] = static_cast<std::uint32_t>(i);
    }
    for (std::size_t i = places_; i-- > 1;) play(i);
  }

  std::uint32_t node() const { return winners_[1]; }
  Picoseconds time() const { return times_[node()]; }

  void set(std::size_t node, Picoseconds time) {
    times_[node] = time;
    for (std::size_t i = (places_ + node) / 2; i >= 1; i /= 2) play(i);
  }
  /// Sets the time of `node` unless it is earlier already.
  void lower(std::size_t node, Picoseconds time) {
    if (time < times_[node]) set(node, time);
  }

 private:
  void play(std::size_t match) {
    const std::uint32_t left = winners_[2 * match];
    const std::uint32_t right = winners_[2 * match + 1];
    winners_[match] = times_[right] < times_[left] ? right : left;
  }

  std::size_t places_;
  std::vector<Picoseconds> times_;
  std::vector<std::uint32_t> winners_;  ///< [1]: of all; the last `places_` are the nodes
};

}  // namespace verbena::simnic
