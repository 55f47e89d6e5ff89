// The core workloads have YCSB's operations, and options replace them.
#include "workloads/ycsb/mix.h"

#include <gtest/gtest.h>

#include <cstddef>

#include "rdma/base/errors.h"

namespace verbena::workloads::ycsb {
namespace {

using Percent = std::array<std::uint32_t, kOperations>;

std::string refusal(const YcsbOptions& options) {
  try {
    mix_of(options);
  } catch (const ConfigurationError& error) {
    return error.what();
  }
  return "none";
}

TEST(YcsbMix, CoreWorkloadsAreThoseOfYcsb) {
  const auto percent = [](const char* core) { return mix_of({.core = core}).percent; };
  EXPECT_EQ(percent("A"), (Percent{50, 50, 0, 0, 0}));
  EXPECT_EQ(percent("B"), (Percent{95, 5, 0, 0, 0}));
  EXPECT_EQ(percent("C"), (Percent{100, 0, 0, 0, 0}));
  EXPECT_EQ(percent("D"), (Percent{95, 0, 5, 0, 0}));
  EXPECT_EQ(percent("E"), (Percent{0, 0, 5, 95, 0}));
  EXPECT_EQ(percent("F"), (Percent{50, 0, 0, 0, 50}));
  EXPECT_EQ(mix_of({.core = "A"}).distribution, Distribution::kZipfian);
  EXPECT_EQ(mix_of({.core = "D"}).distribution, Distribution::kLatest);
}

TEST(YcsbMix, OptionsReplaceWhatTheCoreWorkloadSays) {
  EXPECT_EQ(
      mix_of({.core = "A", .read_percent = 80, .update_percent = 10, .insert_percent = 10}).percent,
      (Percent{80, 10, 10, 0, 0}));
  EXPECT_EQ(mix_of({.core = "D", .distribution = "uniform"}).distribution, Distribution::kUniform);
}

TEST(YcsbMix, RefusesWhatIsUnknownOrNotAHundredTogether) {
  EXPECT_EQ(refusal({.core = "G"}), "ycsb: core G; allowed are A, B, C, D, E, F");
  EXPECT_EQ(refusal({.distribution = "normal"}),
            "ycsb: distribution normal; allowed are auto, uniform, zipfian, latest");
  EXPECT_EQ(refusal({.read_percent = 60}),
            "ycsb: workload.read_percent, update_percent, insert_percent, scan_percent and "
            "read_modify_write_percent are 110 together, with those of core workload A; allowed "
            "are 100");
}

TEST(YcsbMix, OperationsAreDrawnAsOftenAsThePercentagesSay) {
  const Mix mix = {.percent = {30, 25, 20, 15, 10}};
  constexpr double kDraws = 100'000;
  std::array<double, kOperations> counts{};
  Random random(1);
  for (int i = 0; i < kDraws; ++i) ++counts.at(static_cast<std::size_t>(mix.draw(random)));
  double chi_square = 0;
  for (std::size_t i = 0; i < kOperations; ++i) {
    const double expected = kDraws * mix.percent.at(i) / 100;
    chi_square += (counts.at(i) - expected) * (counts.at(i) - expected) / expected;
  }
  EXPECT_LT(chi_square, 18.5);  // 0.1 % of samples exceed it at four degrees of freedom
}

}  // namespace
}  // namespace verbena::workloads::ycsb
