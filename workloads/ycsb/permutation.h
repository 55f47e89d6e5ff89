// Permutation of numbers without a table.
#pragma once

#include <cstdint>

namespace verbena::workloads::ycsb {

/// A fixed permutation of 0 to size - 1 that looks random; it depends only on the size.
///
/// A Feistel network permutes numbers with the bit length of the greatest one: each half of the
/// bits is changed in turn by a function of the other half. Results not below `size` are permuted
/// again until they are. Fewer than half of the numbers are not below it, so two steps or fewer
/// suffice on average. Immutable.
class Permutation {
 public:
  /// `size` is 1 to 2^63.
  explicit Permutation(std::uint64_t size);

  std::uint64_t size() const { return size_; }

  /// Result of the permutation for `number`, which must be below size().
  std::uint64_t operator()(std::uint64_t number) const;

 private:
  std::uint64_t step(std::uint64_t number) const;

  std::uint64_t size_;
  std::uint64_t seed_;  // seed of the function that changes a half
  unsigned low_bits_;   // half of the bits, rounded down
  std::uint64_t low_mask_;
  std::uint64_t high_mask_;  // mask of the other half, shifted down
};

}  // namespace verbena::workloads::ycsb
