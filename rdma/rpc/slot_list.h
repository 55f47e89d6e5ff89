// Slots of a session.
#pragma once

#include <cassert>
#include <cstddef>
#include <memory>
#include <vector>

namespace verbena::rdma {

/// Slots [0, size()), at least one. Most sessions use no other, so that one lies here and the rest
/// elsewhere.
template <typename Slot>
class SlotList {
 public:
  explicit SlotList(const Slot& first) : first_(first) {}

  std::size_t size() const { return rest_ == nullptr ? 1 : 1 + rest_->size(); }

  Slot& operator[](std::size_t number) {
    assert(number < size());
    return number == 0 ? first_ : (*rest_)[number - 1];
  }
  const Slot& operator[](std::size_t number) const {
    assert(number < size());
    return number == 0 ? first_ : (*rest_)[number - 1];
  }

  /// Adds copies of `fresh` until there are `size` slots.
  void grow(std::size_t size, const Slot& fresh) {
    assert(size > this->size());
    if (rest_ == nullptr) rest_ = std::make_unique<std::vector<Slot>>();
    rest_->resize(size - 1, fresh);
  }

 private:
  Slot first_;
  std::unique_ptr<std::vector<Slot>> rest_;
};

}  // namespace verbena::rdma
