// Every number has a place of its own, the same in all runs, and neighbours are not kept together.
#include "workloads/ycsb/permutation.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <set>
#include <vector>

#include "rdma/base/random.h"

namespace verbena::workloads::ycsb {
namespace {

void expect_bijection(std::uint64_t size) {
  const Permutation permutation(size);
  std::vector<bool> taken(size);
  for (std::uint64_t number = 0; number < size; ++number) {
    const std::uint64_t place = permutation(number);
    ASSERT_LT(place, size);
    ASSERT_FALSE(taken[place]) << number << " of " << size;
    taken[place] = true;
  }
}

TEST(Permutation, GivesEveryNumberAPlaceOfItsOwn) {
  for (std::uint64_t size = 1; size <= 300; ++size) expect_bijection(size);
  for (const std::uint64_t size : {4096U, 4097U, 100'000U, 131'071U}) expect_bijection(size);
}

TEST(Permutation, HasAnySize) {
  for (const std::uint64_t size : {(std::uint64_t{1} << 62) + 1, std::uint64_t{1} << 63}) {
    const Permutation permutation(size);
    std::set<std::uint64_t> places;
    for (std::uint64_t number = 0; number < 10'000; ++number) {
      places.insert(permutation(number));
      places.insert(permutation(size - 1 - number));
    }
    EXPECT_EQ(places.size(), 20'000U);
    EXPECT_LT(*places.rbegin(), size);
    EXPECT_NEAR(static_cast<double>(*places.rbegin()) / static_cast<double>(size), 1, 0.001);
  }
}

// Results of different versions are comparable.
TEST(Permutation, IsFixed) {
  std::uint64_t digest = 0;
  for (const std::uint64_t size : {120ULL, 100'000ULL, 38'400'000ULL, 1ULL << 62}) {
    const Permutation permutation(size);
    for (std::uint64_t number = 0; number < 100; ++number) {
      digest = mix64(digest ^ permutation(number));
    }
  }
  EXPECT_EQ(digest, 0xa706ff8d4142efbdU);
}

// Chi-square of a table of counts, in standard deviations above its mean.
template <std::size_t kCells>
double deviation(const std::array<int, kCells>& counts, double total) {
  const double each = total / kCells;
  double chi_square = 0;
  for (const int count : counts) chi_square += (count - each) * (count - each) / each;
  return (chi_square - (kCells - 1)) / std::sqrt(2.0 * (kCells - 1));
}

TEST(Permutation, PutsNeighboursOnUnrelatedNodes) {
  constexpr std::uint64_t kNodes = 4;
  const Permutation permutation(100'000);
  std::array<int, kNodes * kNodes> pairs{};
  for (std::uint64_t number = 0; number + 1 < permutation.size(); ++number) {
    ++pairs[permutation(number) % kNodes * kNodes + permutation(number + 1) % kNodes];
  }
  EXPECT_LT(deviation(pairs, 1e5), 4);
}

TEST(Permutation, PutsTheFirstNumbersOnAnyNodes) {
  constexpr std::uint64_t kNodes = 4;
  std::array<int, kNodes * kNodes * kNodes> triples{};
  for (std::uint64_t size = 10'000; size < 20'000; ++size) {
    const Permutation permutation(size);
    ++triples[(permutation(0) % kNodes * kNodes + permutation(1) % kNodes) * kNodes +
              permutation(2) % kNodes];
  }
  EXPECT_LT(deviation(triples, 1e4), 4);
}

}  // namespace
}  // namespace verbena::workloads::ycsb
