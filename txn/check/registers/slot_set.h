// A small set of numbers.
#pragma once

#include <array>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>

namespace verbena::txn {

/// Numbers below kSlots. Plain data.
class SlotSet {
 public:
  static constexpr std::size_t kSlots = 256;

  void add(std::size_t slot) { words_[slot / 64] |= bit(slot); }
  void remove(std::size_t slot) { words_[slot / 64] &= ~bit(slot); }
  bool has(std::size_t slot) const { return (words_[slot / 64] & bit(slot)) != 0; }
  bool empty() const { return *this == SlotSet{}; }

  std::size_t size() const {
    std::size_t size = 0;
    for (const std::uint64_t word : words_) size += static_cast<std::size_t>(std::popcount(word));
    return size;
  }

  SlotSet& operator|=(const SlotSet& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
    return *this;
  }
  SlotSet operator|(const SlotSet& other) const { return SlotSet(*this) |= other; }
  SlotSet operator&(const SlotSet& other) const { return *this - (*this - other); }
  /// Returns the numbers that are not in `other`.
  SlotSet operator-(const SlotSet& other) const {
    SlotSet rest = *this;
    for (std::size_t i = 0; i < words_.size(); ++i) rest.words_[i] &= ~other.words_[i];
    return rest;
  }

  /// Calls visitor(number), ascending.
  template <typename Visitor>
  void visit(const Visitor& visitor) const {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      for (std::uint64_t word = words_[i]; word != 0; word &= word - 1) {
        visitor(i * 64 + static_cast<std::size_t>(std::countr_zero(word)));
      }
    }
  }

  auto operator<=>(const SlotSet&) const = default;

 private:
  static std::uint64_t bit(std::size_t slot) { return std::uint64_t{1} << slot % 64; }

  std::array<std::uint64_t, kSlots / 64> words_{};
};

}  // namespace verbena::txn
