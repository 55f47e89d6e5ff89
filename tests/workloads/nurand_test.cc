// Non-uniform numbers have the distribution that their formula gives; content of keys repeats.
#include "workloads/nurand.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "workloads/key_text.h"

namespace verbena::workloads {
namespace {

// The share of each number, from all pairs that the formula combines.
std::vector<double> exact_shares(const NuRand& numbers) {
  std::vector<double> shares(numbers.bound);
  const double each = 1.0 / static_cast<double>((numbers.mask + 1) * numbers.bound);
  for (std::uint64_t bits = 0; bits <= numbers.mask; ++bits) {
    for (std::uint64_t uniform = 0; uniform < numbers.bound; ++uniform) {
      shares[((bits | uniform) + numbers.constant) % numbers.bound] += each;
    }
  }
  return shares;
}

TEST(NuRand, HasTheDistributionOfItsFormula) {
  const NuRand numbers{.mask = 255, .constant = 157, .bound = 1000};
  const std::vector<double> shares = exact_shares(numbers);
  constexpr int kDraws = 1'000'000;
  std::vector<int> counts(numbers.bound);
  Random random(1);
  for (int i = 0; i < kDraws; ++i) ++counts[numbers.draw(random)];
  double distance = 0;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    distance += std::abs(static_cast<double>(counts[i]) / kDraws - shares[i]) / 2;
  }
  EXPECT_LT(distance, 0.02);
}

TEST(NuRand, IsFarFromUniform) {
  const std::vector<double> shares = exact_shares({.mask = 255, .constant = 0, .bound = 1000});
  double most = 0;
  for (const double share : shares) most = std::max(most, share);
  EXPECT_GT(most, 20.0 / 1000);
}

TEST(KeyText, RepeatsFromItsSeedAndDiffersBetweenRecords) {
  const auto letters = [](std::uint8_t table, std::uint16_t partition, std::uint64_t key) {
    std::array<char, 12> text{};
    KeyText(table, partition, key).letters(text);
    return std::string(text.begin(), text.end());
  };
  EXPECT_EQ(letters(1, 2, 3), letters(1, 2, 3));
  EXPECT_NE(letters(1, 2, 3), letters(2, 2, 3));
  EXPECT_NE(letters(1, 2, 3), letters(1, 3, 3));
  EXPECT_NE(letters(1, 2, 3), letters(1, 2, 4));
  for (const char c : letters(1, 2, 3)) EXPECT_TRUE(c >= 'a' && c <= 'p') << c;
}

TEST(KeyText, TextsAreAsLongAsAskedAndEndInZeros) {
  std::array<int, 17> lengths{};
  KeyText source(7);
  for (int i = 0; i < 9000; ++i) {
    std::array<char, 16> text;
    text.fill('?');
    source.letters(text, 8);
    std::size_t length = 0;
    while (length < text.size() && text[length] != 0) ++length;
    for (std::size_t at = length; at < text.size(); ++at) EXPECT_EQ(text[at], 0);
    ++lengths[length];
  }
  for (std::size_t length = 0; length < lengths.size(); ++length) {
    EXPECT_NEAR(lengths[length], length < 8 ? 0 : 1000, length < 8 ? 0 : 150) << length;
  }
}

TEST(KeyText, NumbersAreUniform) {
  std::array<int, 5> counts{};
  KeyText source(7);
  for (int i = 0; i < 50'000; ++i) ++counts.at(source.number(3, 7) - 3);
  for (const int count : counts) EXPECT_NEAR(count, 10'000, 400);
}

}  // namespace
}  // namespace verbena::workloads
