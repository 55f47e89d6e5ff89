// Ranks have exactly the probabilities of Zipf's law, below, at and above a coefficient of 1.
#include "workloads/zipf.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "rdma/base/random.h"
#include "workloads/zipf_functions.h"

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

// A change of any draw's rank on any machine changes the digest.
std::uint64_t digest(double s) {
  const Zipf zipf(1'000'000, s);
  Random random(1);
  std::uint64_t digest = 0;
  for (int i = 0; i < 1'000'000; ++i) digest = mix64(digest ^ zipf.draw(random));
  return digest;
}

TEST(Zipf, DrawsTheSameRanksEverywhere) {
  EXPECT_EQ(digest(0.5), 0x1cfc38e853e5e1cbU);
  EXPECT_EQ(digest(0.99), 0xcbe45f5c524192edU);
  EXPECT_EQ(digest(1), 0x9a1ce38fb5a4f1f2U);
  EXPECT_EQ(digest(1.2), 0x46307e2f2b9df4e6U);
}

// Relative to the C library's function, in units of 2^-53.
double error(double found, double expected) {
  return expected == 0 ? std::abs(found) * 0x1p53 : std::abs(found / expected - 1) * 0x1p53;
}

TEST(ZipfFunctions, AgreeWithTheLibrarysToTheLastBits) {
  Random random(1);
  for (int i = 0; i < 1'000'000; ++i) {
    const double uniform = static_cast<double>(random.next() >> 11) * 0x1p-53;
    const double x = std::exp2(120 * uniform - 53);
    EXPECT_LE(error(natural_log(x), std::log(x)), 6) << x;
    const double t = (uniform - 0.5) * 1400;
    EXPECT_LE(error(exponential(t), std::exp(t)), 6) << t;
    EXPECT_LE(error(expm1_ratio(t), std::expm1(t) / t), 8) << t;
    EXPECT_LE(error(expm1_ratio(t / 700), std::expm1(t / 700) / (t / 700)), 8) << t / 700;
    const double above_minus_one = x - 1 + 0x1p-53;
    EXPECT_LE(error(log1p_ratio(above_minus_one), std::log1p(above_minus_one) / above_minus_one), 8)
        << above_minus_one;
    const double small = (uniform - 0.5) * std::exp2(-static_cast<double>(i % 60));
    EXPECT_LE(error(log1p_ratio(small), std::log1p(small) / small), 8) << small;
  }
}

// Ranks hardly ever tell a last bit; this does, e.g. when a compiler fuses multiplications.
TEST(ZipfFunctions, HaveTheSameBitsEverywhere) {
  Random random(1);
  std::uint64_t digest = 0;
  const auto fold = [&](double value) {
    digest = mix64(digest ^ std::bit_cast<std::uint64_t>(value));
  };
  for (int i = 0; i < 100'000; ++i) {
    const double uniform = static_cast<double>(random.next() >> 11) * 0x1p-53;
    fold(natural_log(uniform + 0.5));
    fold(exponential(uniform * 40 - 20));
    fold(log1p_ratio(uniform * 2 - 0.99));
    fold(expm1_ratio(uniform * 2 - 1));
  }
  EXPECT_EQ(digest, 0x6bdfd328967a1e47U);
}

TEST(ZipfFunctions, AreDefinedAtTheirEnds) {
  EXPECT_EQ(natural_log(1), 0);
  EXPECT_EQ(exponential(0), 1);
  EXPECT_EQ(exponential(-1e300), 0);
  EXPECT_EQ(exponential(1e300), exponential(709));
  EXPECT_EQ(expm1_ratio(0), 1);
  EXPECT_EQ(log1p_ratio(0), 1);
  EXPECT_NEAR(log1p_ratio(-1 + 0x1p-53), 53 * std::log(2), 1e-12);
}

}  // namespace
}  // namespace verbena::workloads
