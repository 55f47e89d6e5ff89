// A Feistel network whose cycles are walked.
#include "workloads/ycsb/permutation.h"

#include <bit>
#include <cassert>

#include "rdma/base/random.h"

namespace verbena::workloads::ycsb {
namespace {

constexpr int kRounds = 3;

constexpr std::uint64_t mask(unsigned bits) { return (std::uint64_t{1} << bits) - 1; }

}  // namespace

Permutation::Permutation(std::uint64_t size) : size_(size), seed_(mix64(size)) {
  assert(size > 0 && size <= std::uint64_t{1} << 63);
  const auto bits = static_cast<unsigned>(std::bit_width(size - 1));
  low_bits_ = bits / 2;
  low_mask_ = mask(low_bits_);
  high_mask_ = mask(bits - low_bits_);
}

std::uint64_t Permutation::operator()(std::uint64_t number) const {
  assert(number < size_);
  do {
    number = step(number);
  } while (number >= size_);
  return number;
}

std::uint64_t Permutation::step(std::uint64_t number) const {
  std::uint64_t low = number & low_mask_;
  std::uint64_t high = number >> low_bits_;
  SplitMix seeds(seed_);
  for (int round = 0; round < kRounds; ++round) {
    high ^= mix64(seeds.next() ^ low) & high_mask_;
    low ^= mix64(seeds.next() ^ high) & low_mask_;
  }
  return high << low_bits_ | low;
}

}  // namespace verbena::workloads::ycsb
