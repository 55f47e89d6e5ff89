// A bijection on k-bit numbers that looks random and can be inverted.
#pragma once

#include <cstdint>

namespace verbena::txn {

/// Maps keys to hash values and back: what a hash bucket holds initially is computed from its
/// number by `unmix`.
class KeyMix {
 public:
  /// `bits` from 1 to 62.
  explicit KeyMix(unsigned bits) : shift_((bits + 1) / 2), mask_((std::uint64_t{1} << bits) - 1) {}

  /// A permutation of [0, 2^bits).
  std::uint64_t mix(std::uint64_t value) const {
    value = value * kFirst & mask_;
    value ^= value >> shift_;
    value = value * kSecond & mask_;
    return value ^ value >> shift_;
  }

  /// The inverse of mix.
  std::uint64_t unmix(std::uint64_t value) const {
    value ^= value >> shift_;  // its own inverse, since 2 * shift_ >= bits
    value = value * inverse(kSecond) & mask_;
    value ^= value >> shift_;
    return value * inverse(kFirst) & mask_;
  }

  /// Any key's hash value: that of `key` itself below 2^bits, else one that depends on all of its
  /// bits.
  std::uint64_t hash(std::uint64_t key) const { return mix(key <= mask_ ? key : fold(key)); }

 private:
  static constexpr std::uint64_t kFirst = 0x9e3779b97f4a7c15ULL;
  static constexpr std::uint64_t kSecond = 0xd6e8feb86659fd93ULL;

  // Modular inverse of an odd number by Newton's iteration: 3, 6, 12, ... 96 correct bits.
  static constexpr std::uint64_t inverse(std::uint64_t odd) {
    std::uint64_t x = odd * 3 ^ 2;
    for (int i = 0; i < 5; ++i) x *= 2 - odd * x;
    return x;
  }

  std::uint64_t fold(std::uint64_t key) const {
    key ^= key >> 32;
    key *= kFirst;
    key ^= key >> 29;
    key *= kSecond;
    return (key ^ key >> 32) & mask_;
  }

  unsigned shift_;
  std::uint64_t mask_;
};

}  // namespace verbena::txn
