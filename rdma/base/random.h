// A small, fast random generator whose streams derive from one seed.
#pragma once

#include <cstdint>

#include "rdma/base/types.h"

namespace verbena {

/// One step of splitmix64: advances `state` and returns a well-mixed value of it.
constexpr std::uint64_t split_mix(std::uint64_t& state) {
  state += 0x9e3779b97f4a7c15ULL;
  std::uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

/// Fixed bijection on 64 bits that looks random, for hashes and for content computed from a key.
constexpr std::uint64_t mix64(std::uint64_t value) { return split_mix(value); }

/// xoshiro256++ seeded by splitmix64. Not thread-safe; cheap to copy.
class Random {
 public:
  /// Makes the stream that `seed` gives (node, worker, fiber). Different triples give unrelated
  /// streams.
  Random(std::uint64_t seed, NodeId node, WorkerId worker, std::uint32_t fiber) {
    std::uint64_t state =
        mix64(seed) ^ (std::uint64_t{node} << 48 | std::uint64_t{worker} << 32 | fiber);
    for (std::uint64_t& word : words_) word = split_mix(state);
  }

  explicit Random(std::uint64_t seed) : Random(seed, 0, 0, 0) {}

  std::uint64_t next() {
    const std::uint64_t result = rotate(words_[0] + words_[3], 23) + words_[0];
    const std::uint64_t shifted = words_[1] << 17;
    words_[2] ^= words_[0];
    words_[3] ^= words_[1];
    words_[1] ^= words_[2];
    words_[0] ^= words_[3];
    words_[2] ^= shifted;
    words_[3] = rotate(words_[3], 45);
    return result;
  }

  /// Uniform in [0, bound); `bound` > 0. The bias is below bound / 2^64.
  std::uint64_t below(std::uint64_t bound) {
    return static_cast<std::uint64_t>((static_cast<unsigned __int128>(next()) * bound) >> 64);
  }

  /// Uniform in [low, high], both included.
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(high - low) + 1));
  }

 private:
  static constexpr std::uint64_t rotate(std::uint64_t x, int k) { return x << k | x >> (64 - k); }

  std::uint64_t words_[4];
};

}  // namespace verbena
