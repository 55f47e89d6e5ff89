// Digests that stand for the values of records in histories.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace verbena::txn {

/// Digest of a value. Two different values share one with a probability of 2^-64.
using ValueDigest = std::uint64_t;

/// Digest of an absent record; no value has it.
inline constexpr ValueDigest kAbsentValue = 0;

inline ValueDigest digest_of(std::span<const std::byte> value) {
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15ULL;
  std::uint64_t digest = (value.size() + 1) * kOdd;
  const auto add = [&digest](std::uint64_t word) {
    const auto product = static_cast<unsigned __int128>(digest ^ word) * (kOdd ^ (word << 1));
    digest = (digest << 29 | digest >> 35) ^ static_cast<std::uint64_t>(product >> 64) ^
             static_cast<std::uint64_t>(product);
  };
  std::size_t at = 0;
  std::uint64_t word = 0;
  for (; at + sizeof word <= value.size(); at += sizeof word) {
    std::memcpy(&word, value.data() + at, sizeof word);
    add(word);
  }
  if (at < value.size()) {
    word = 0;
    std::memcpy(&word, value.data() + at, value.size() - at);
    add(word);
  }
  add(kOdd);
  return digest == kAbsentValue ? 1 : digest;
}

}  // namespace verbena::txn
