// Small, fast random generators whose streams derive from one seed.
#pragma once

#include <cstdint>

#include "rdma/base/types.h"

namespace verbena {

/// splitmix64: one word of state, for streams that are many, short or small. Not thread-safe.
class SplitMix {
 public:
  constexpr explicit SplitMix(std::uint64_t seed) : state_(seed) {}

  constexpr std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15ULL;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }

  /// Uniform in [0, bound); `bound` at most 2^32.
  constexpr std::uint32_t below(std::uint64_t bound) {
    return static_cast<std::uint32_t>((next() >> 32) * bound >> 32);
  }

  /// True with probability `threshold` / 2^32.
  constexpr bool chance(std::int64_t threshold) {
    return threshold != 0 && static_cast<std::int64_t>(next() >> 32) < threshold;
  }

 private:
  std::uint64_t state_;
};

/// Fixed bijection on 64 bits that looks random, for hashes and for content computed from a key.
constexpr std::uint64_t mix64(std::uint64_t value) { return SplitMix(value).next(); }

/// xoshiro256++ seeded by splitmix64. Not thread-safe; cheap to copy.
class Random {
 public:
  /// Makes the stream that `seed` gives (node, worker, fiber). Different triples give unrelated
  /// streams.
  Random(std::uint64_t seed, NodeId node, WorkerId worker, std::uint32_t fiber) {
    SplitMix words(mix64(seed) ^ (std::uint64_t{node} << 48 | std::uint64_t{worker} << 32 | fiber));
    for (std::uint64_t& word : words_) word = words.next();
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
