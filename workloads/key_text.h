// Texts and numbers computed from a record's key, so that a loader can write each record
// independently.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "rdma/base/random.h"

namespace verbena::workloads {

/// A stream of content that depends only on its seed. Cheap: a loader makes one per record.
class KeyText {
 public:
  explicit KeyText(std::uint64_t seed) : random_(seed) {}

  /// The stream of one record of one table of one partition.
  KeyText(std::uint8_t table, std::uint16_t partition, std::uint64_t key)
      : random_(mix64(key) ^ (std::uint64_t{table} << 56 | std::uint64_t{partition} << 40)) {}

  /// Uniform in [low, high].
  std::uint32_t number(std::uint32_t low, std::uint32_t high) {
    return low + random_.below(std::uint64_t{high} - low + 1);
  }

  /// Fills `text` with letters, a to p.
  void letters(std::span<char> text) {
    constexpr std::uint64_t kNibbles = 0x0f0f0f0f0f0f0f0fULL;
    constexpr std::uint64_t kLetters = 0x6161616161616161ULL;
    for (std::size_t at = 0; at < text.size(); at += 8) {
      const std::uint64_t word = (random_.next() & kNibbles) + kLetters;
      std::memcpy(text.data() + at, &word, text.size() - at < 8 ? text.size() - at : 8);
    }
  }

  /// Fills the first `shortest` or more characters of `text` with letters, the others with zero.
  void letters(std::span<char> text, std::uint32_t shortest) {
    const std::uint32_t length = number(shortest, static_cast<std::uint32_t>(text.size()));
    letters(text.first(length));
    std::memset(text.data() + length, 0, text.size() - length);
  }

  /// Fills `text` with digits.
  void digits(std::span<char> text) {
    for (char& c : text) c = static_cast<char>('0' + number(0, 9));
  }

 private:
  SplitMix random_;
};

}  // namespace verbena::workloads
