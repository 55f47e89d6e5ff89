// Numbers in another order, without a table.
#pragma once

#include <cstdint>

namespace verbena::workloads::ycsb {

/// A fixed permutation of 0 to size - 1 that looks random; always the same for the same size.
///
/// A Feistel network permutes the numbers of as many bits as the greatest one has: in turn, each
/// half of the bits is changed by a function of the other half. What is then not below `size` is
/// permuted again until it is; these are fewer than half of the numbers, so two steps do on
/// average, if not less. Immutable.
class Permutation {
 public:
  /// `size` is 1 to 2^63.
  explicit Permutation(std::uint64_t size);

  std::uint64_t size() const { return size_; }

  /// The place at which `number`, which is below size(), is put.
  std::uint64_t operator()(std::uint64_t number) const;

 private:
  std::uint64_t step(std::uint64_t number) const;

  std::uint64_t size_;
  std::uint64_t seed_;  // of what each half is changed by
  unsigned low_bits_;   // half of the bits, rounded down
  std::uint64_t low_mask_;
  std::uint64_t high_mask_;  // of the other half, shifted down
};

}  // namespace verbena::workloads::ycsb
