// Spread of keys over hash buckets: an invertible bijection for initial keys, a hash for others.
#pragma once

#include <cstdint>

#include "rdma/base/random.h"

namespace verbena::txn {

/// Returns a bucket for any key, of `buckets`, a power of two. Sixteen neighbouring keys get
/// sixteen buckets in a row of 32, a page, so keys inserted together lie together.
constexpr std::uint64_t scatter(std::uint64_t key, std::uint64_t buckets) {
  constexpr std::uint64_t kPageBuckets = 32;
  const std::uint64_t mixed = mix64(key >> 4);
  const std::uint64_t within = ((mixed >> 59) + (key & 15)) % kPageBuckets;
  return (mixed * kPageBuckets + within) & (buckets - 1);
}

/// Maps keys to hash values and back: the initial content of a hash bucket is computed from its
/// number by `unmix`. The low bits, as many as number the keys of one page of buckets, are mixed
/// among themselves, and so are those above. So neighbouring keys spread over the buckets of one
/// page, and pages of neighbouring keys over the table. Work that is local in keys is local in
/// memory.
class KeyMix {
 public:
  /// `bits` from 1 to 62.
  explicit KeyMix(unsigned bits)
      : low_bits_(bits < kPageBits ? bits : kPageBits), low_(low_bits_), high_(bits - low_bits_) {}

  /// A permutation of [0, 2^bits).
  std::uint64_t mix(std::uint64_t value) const {
    const std::uint64_t low = value & ((std::uint64_t{1} << low_bits_) - 1);
    return high_.mix(value >> low_bits_) << low_bits_ | low_.mix(low);
  }

  /// The inverse of mix.
  std::uint64_t unmix(std::uint64_t value) const {
    const std::uint64_t low = value & ((std::uint64_t{1} << low_bits_) - 1);
    return high_.unmix(value >> low_bits_) << low_bits_ | low_.unmix(low);
  }

 private:
  static constexpr unsigned kPageBits = 8;  // 256 slots: 32 buckets of 128 B
  static constexpr std::uint64_t kFirst = 0x9e3779b97f4a7c15ULL;
  static constexpr std::uint64_t kSecond = 0xd6e8feb86659fd93ULL;

  // Modular inverse of an odd number by Newton's iteration: 5, 10, ... 80 correct bits.
  static constexpr std::uint64_t inverse(std::uint64_t odd) {
    std::uint64_t x = odd * 3 ^ 2;
    for (int i = 0; i < 4; ++i) x *= 2 - odd * x;
    return x;
  }

  // A bijection on numbers of `bits` bits, 0 to 62.
  class Part {
   public:
    explicit Part(unsigned bits) : shift_((bits + 1) / 2), mask_((std::uint64_t{1} << bits) - 1) {}

    std::uint64_t mix(std::uint64_t value) const {
      value = value * kFirst & mask_;
      value ^= value >> shift_;
      value = value * kSecond & mask_;
      return value ^ value >> shift_;
    }
    std::uint64_t unmix(std::uint64_t value) const {
      constexpr std::uint64_t kFirstInverse = inverse(kFirst);
      constexpr std::uint64_t kSecondInverse = inverse(kSecond);
      value ^= value >> shift_;  // its own inverse, since 2 * shift_ >= bits
      value = value * kSecondInverse & mask_;
      value ^= value >> shift_;
      return value * kFirstInverse & mask_;
    }

   private:
    unsigned shift_;
    std::uint64_t mask_;
  };

  unsigned low_bits_;
  Part low_;
  Part high_;
};

}  // namespace verbena::txn
