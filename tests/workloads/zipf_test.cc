// Ranks have exactly the probabilities of Zipf's law, below, at and above a coefficient of 1.
#include "workloads/zipf.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace verbena::workloads {
namespace {

struct Law {
  std::uint64_t n;
  double s;
};

class ZipfTest : public ::testing::TestWithParam<Law> {};

std::vector<double> exact_probabilities(const Law& law) {
  std::vector<double> probabilities(law.n);
  double sum = 0;
  for (std::uint64_t k = law.n; k >= 1; --k) {
    sum += probabilities[k - 1] = std::pow(static_cast<double>(k), -law.s);
  }
  for (double& probability : probabilities) probability /= sum;
  return probabilities;
}

// Chi-square of ranks against the law, in standard deviations above its mean. Ranks that are
// expected fewer than 20 times are gathered into classes of at least that.
double deviation(const Law& law, const std::vector<double>& probabilities, double draws) {
  const Zipf zipf(law.n, law.s);
  Random random(1);
  std::vector<double> counts(law.n);
  for (double i = 0; i < draws; ++i) ++counts.at(zipf.draw(random) - 1);
  double chi_square = 0;
  double classes = 0;
  double expected = 0;
  double counted = 0;
  for (std::uint64_t i = 0; i < law.n; ++i) {
    expected += probabilities[i] * draws;
    counted += counts[i];
    if (expected < 20 && i + 1 < law.n) continue;
    chi_square += (counted - expected) * (counted - expected) / std::max(expected, 1.0);
    ++classes;
    expected = counted = 0;
  }
  const double freedom = std::max(classes - 1, 1.0);
  return (chi_square - freedom) / std::sqrt(2 * freedom);
}

TEST_P(ZipfTest, RanksHaveTheirExactProbabilities) {
  EXPECT_LT(std::abs(deviation(GetParam(), exact_probabilities(GetParam()), 1e6)), 4);
}

TEST_P(ZipfTest, AnotherCoefficientIsFoundOut) {
  const Law& law = GetParam();
  if (law.n == 1) return;
  const Law other = {.n = law.n, .s = law.s + 0.02};
  EXPECT_GT(deviation(law, exact_probabilities(other), 1e6), 6);
}

INSTANTIATE_TEST_SUITE_P(Laws, ZipfTest,
                         ::testing::Values(Law{1, 0.99}, Law{2, 0.5}, Law{10, 0}, Law{1000, 0},
                                           Law{100, 0.5}, Law{10'000, 0.99}, Law{1000, 1},
                                           Law{10'000, 1.2}, Law{1000, 2}, Law{50, 3.5}));

TEST(Zipf, HasNoBoundOfRanks) {
  const Zipf zipf(std::uint64_t{1} << 40, 0.99);
  Random random(1);
  std::uint64_t highest = 0;
  int first = 0;
  for (int i = 0; i < 100'000; ++i) {
    const std::uint64_t rank = zipf.draw(random);
    highest = std::max(highest, rank);
    first += rank == 1 ? 1 : 0;
  }
  EXPECT_GT(highest, std::uint64_t{1} << 39);
  EXPECT_LE(highest, std::uint64_t{1} << 40);
  // The harmonic number of order 0.99 is about 32.5 there.
  EXPECT_NEAR(first, 100'000 / 32.5, 250);
}

TEST(Zipf, OfAHighCoefficientIsNearlyAlwaysTheFirst) {
  const Zipf zipf(1'000'000, 20);
  Random random(1);
  for (int i = 0; i < 10'000; ++i) EXPECT_LE(zipf.draw(random), 2U);
}

}  // namespace
}  // namespace verbena::workloads
