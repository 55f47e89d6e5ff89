// Places of the units of a memory of which only some are used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace verbena::rdma {

/// A hash table from numbers to places, neither of which may be the largest of their type; places
/// are not 0. Costs 11 to 16 B for each number that it holds. Not thread-safe.
class PlaceTable {
 public:
  static constexpr std::uint32_t kNone = 0;

  /// Returns the place of `number`; kNone if it has none.
  std::uint32_t find(std::uint32_t number) const {
    const Entry* entry = &entries_[first_of(number)];
    while (entry->number != number && entry->place != kNone) ++entry;
    return entry->place;
  }

  /// Gives `number`, which has none, a place.
  void insert(std::uint32_t number, std::uint32_t place) {
    if (used_ >= most_) grow();
    put({number, place});
    ++used_;
  }

  /// Bytes that it takes.
  std::uint64_t bytes() const { return entries_.capacity() * sizeof(Entry); }

 private:
  struct Entry {
    std::uint32_t number = 0;
    std::uint32_t place = kNone;  ///< kNone: the entry is free
  };

  std::size_t first_of(std::uint32_t number) const {
    constexpr std::uint32_t kGolden = 0x9e3779b1;
    return static_cast<std::size_t>((std::uint64_t{number * kGolden} * begins_) >> 32);
  }
  // Entries are never taken out, so the first free one ends a search.
  void put(Entry entry) {
    std::size_t at = first_of(entry.number);
    while (entries_[at].place != kNone) ++at;
    if (at + 1 == entries_.size()) [[unlikely]]
      lengthen();
    entries_[at] = entry;
  }
  void lengthen();
  void grow();

  std::uint64_t begins_ = 0;  // entries at which numbers begin to look; there are more behind them
  std::uint64_t used_ = 0;
  std::uint64_t most_ = 0;
  std::vector<Entry> entries_ = std::vector<Entry>(1);  // of which the last one is free
};

}  // namespace verbena::rdma
