// The free things of a pool that a thread has at hand.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>

namespace verbena::simnic {

/// Free things of a pool, of which the last one added is the first taken; a stack of fixed room.
template <typename Thing>
class FreeList {
 public:
  /// Has no room until `make_room`.
  FreeList() = default;

  void make_room(std::size_t most) {
    things_ = std::make_unique<Thing[]>(most);
    most_ = most;
  }
  bool empty() const { return size_ == 0; }
  bool full() const { return size_ == most_; }

  Thing pop() { return things_[--size_]; }
  void push(Thing thing) { things_[size_++] = thing; }

  /// The first `count`, which were added longest ago.
  std::span<const Thing> oldest(std::size_t count) const { return {things_.get(), count}; }
  void drop_oldest(std::size_t count) {
    std::copy(things_.get() + count, things_.get() + size_, things_.get());
    size_ -= count;
  }

 private:
  std::unique_ptr<Thing[]> things_;
  std::size_t size_ = 0;
  std::size_t most_ = 0;
};

}  // namespace verbena::simnic
