// Verdicts on claims and on measured sets.
#include "experiments/reproduce/judge/judge.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace verbena::experiments {
namespace {

// A figure with one series `ours` in M/s at 1, 2, 3, ...; without a value where there is none.
class JudgeTest : public ::testing::Test {
 protected:
  const MeasuredFigure& measured(const std::vector<std::optional<double>>& values) {
    figure_ = Figure{};
    figure_.x_label = "threads";
    figure_.quantity = "throughput";
    figure_.error_limit = 0.1;
    figure_.series.push_back(
        {.name = "ours", .label = "8 requests", .points = {}, .published = {}});
    measured_ = MeasuredFigure{.figure = &figure_, .results = {{}}};
    for (const auto& value : values) {
      const std::size_t place = figure_.series[0].points.size() + 1;
      figure_.series[0].points.push_back({.at = std::to_string(place),
                                          .x = static_cast<double>(place),
                                          .command = command(place),
                                          .quantity = {},
                                          .measured = 100});
      measured_.results[0].emplace_back();
      if (!value) continue;
      measured_.results[0].back().emplace();
      measured_.results[0].back()->throughput_per_s = *value * 1e6;
    }
    return measured_;
  }

  ClaimVerdict verdict(Relation relation, const std::string& value,
                       const std::vector<double>& published,
                       const std::vector<std::optional<double>>& values) {
    return judge(claim(relation, value, published), measured(values));
  }

  // Makes places different measurements, so that they err independently.
  static MeasuringCommand command(std::size_t place) {
    RunCommand run;
    run.record.flags = {{"threads", std::to_string(place)}};
    return MeasuringCommand(run);
  }

  // The same with half of each value's 95 % interval.
  ClaimVerdict verdict(Relation relation, const std::string& value,
                       const std::vector<double>& published, const std::vector<double>& values,
                       const std::vector<double>& half_widths) {
    measured({values.begin(), values.end()});
    for (std::size_t i = 0; i < values.size(); ++i) set_interval(i, half_widths[i]);
    return judge(claim(relation, value, published), measured_);
  }

  void set_interval(std::size_t point, double half_width) {
    measured_.results[0][point]->throughput_interval =
        OwnInterval{.half_width = half_width * 1e6, .degrees_of_freedom = 1e6};
  }

  static Claim claim(Relation relation, const std::string& value,
                     const std::vector<double>& published) {
    Claim claim;
    claim.relation = relation;
    claim.values = {value};
    claim.published = published;
    return claim;
  }

  Figure figure_;
  MeasuredFigure measured_;
};

TEST_F(JudgeTest, ClaimsSpeakOfSeveralQuantities) {
  measured({100, 200});
  for (std::size_t i = 0; i < 2; ++i) {
    measured_.results[0][i]->p50_us = static_cast<double>(10 + i);
    measured_.results[0][i]->phases["execute"].mean_us = 3;
  }
  figure_.against = QuantityAxis{"latency", "us", "p50"};
  EXPECT_EQ(measured_.against(0, 1), 11);
  Claim claim;
  claim.values = {"ours.throughput[2] / ours.p50[1] * ours.execute_mean[1]"};
  claim.published = {60};
  EXPECT_TRUE(judge(claim, measured_).holds());
}

TEST_F(JudgeTest, QuantitiesThatAResultHasNotAreUnknown) {
  measured({100});
  figure_.series[0].points[0].quantity = "log_mean";
  EXPECT_FALSE(measured_.value(0, 0).has_value());
  figure_.series[0].points[0].quantity = "throughput";
  EXPECT_EQ(measured_.value(0, 0), 100);
}

TEST_F(JudgeTest, WhatIsLeftOutIsNotJudged) {
  Claim claim;
  claim.values = {"ours[7]"};
  claim.published = {1};
  claim.left_out = true;
  const ClaimVerdict left_out = judge(claim, measured({100}));
  EXPECT_FALSE(left_out.known());
  EXPECT_EQ(left_out.verdict, "left out by --quick");
}

TEST_F(JudgeTest, AboutHoldsWithinTenPercent) {
  EXPECT_TRUE(verdict(Relation::kAbout, "ours[1]", {100}, {109.9}).holds());
  EXPECT_EQ(verdict(Relation::kAbout, "ours[1]", {100}, {95.9}).verdict,
            "holds: -4.1 % (interval unknown, 10 % allowed)");
  EXPECT_TRUE(verdict(Relation::kAbout, "ours[1]", {100}, {90.1}).holds());
  const ClaimVerdict above = verdict(Relation::kAbout, "ours[1]", {100}, {112});
  EXPECT_TRUE(above.known());
  EXPECT_FALSE(above.holds());
  EXPECT_EQ(above.verdict, "off by +12.0 % (interval unknown, 10 % allowed)");
  EXPECT_EQ(verdict(Relation::kAbout, "ours[1]", {100}, {50}).verdict,
            "off by -50 % (interval unknown, 10 % allowed)");
}

TEST_F(JudgeTest, UpToIsAboutTheMaximum) {
  EXPECT_TRUE(verdict(Relation::kUpTo, "max(ours)", {100}, {20, 95, 40}).holds());
  EXPECT_FALSE(verdict(Relation::kUpTo, "max(ours)", {100}, {20, 80, 40}).holds());
  EXPECT_FALSE(verdict(Relation::kUpTo, "max(ours)", {100}, {20, 120, 40}).holds());
  // A drop.
  EXPECT_TRUE(verdict(Relation::kUpTo, "min(ours) - 1", {-0.63}, {0.9, 0.4}).holds());
  EXPECT_EQ(verdict(Relation::kUpTo, "min(ours) - 1", {-0.5}, {0.9, 0.75}).verdict,
            "off by +50 % (interval unknown, 10 % allowed)");
}

TEST_F(JudgeTest, RangeIsAboutBothEnds) {
  EXPECT_TRUE(verdict(Relation::kRange, "ours", {1, 2}, {1.05, 1.4, 1.9}).holds());
  EXPECT_FALSE(verdict(Relation::kRange, "ours", {1, 2}, {1.5, 1.9}).holds());
  const ClaimVerdict above = verdict(Relation::kRange, "ours", {1, 2}, {1.0, 3.0});
  EXPECT_EQ(above.ours, (std::vector<double>{1, 3}));
  EXPECT_EQ(above.verdict, "off by +50 % (interval unknown, 10 % allowed)");
}

TEST_F(JudgeTest, ARangeOfSeveralExpressionsIsFromTheLeastToTheLargest) {
  Claim several = claim(Relation::kRange, "ours[1]", {1, 2});
  several.values = {"ours[2]", "ours[1]", "ours[3]"};
  const ClaimVerdict found = judge(several, measured({1.05, 1.4, 1.9}));
  EXPECT_EQ(found.ours, (std::vector<double>{1.05, 1.9}));
  EXPECT_TRUE(found.holds());
  figure_.series.clear();
  EXPECT_FALSE(judge(several, measured({1.05, 1.4, 2.5})).holds());
  figure_.series.clear();
  EXPECT_FALSE(judge(several, measured({1.05, 1.4, std::nullopt})).known());
  figure_.series.clear();
  EXPECT_FALSE(judge(several, measured({1.05, std::nullopt, 1.9})).known());
}

TEST_F(JudgeTest, AtLeastHasNoTolerance) {
  EXPECT_TRUE(verdict(Relation::kAtLeast, "ours", {1}, {1, 5}).holds());
  EXPECT_EQ(verdict(Relation::kAtLeast, "ours", {1}, {1.5}).verdict,
            "holds: +50 % (interval unknown, none below)");
  EXPECT_FALSE(verdict(Relation::kAtLeast, "ours", {1}, {0.99, 5}).holds());
}

TEST_F(JudgeTest, TriplesAreAboutEach) {
  Claim claim;
  claim.relation = Relation::kTriple;
  claim.values = {"ours[1]", "ours[2]", "ours[3]"};
  claim.published = {1, 2, 4};
  EXPECT_TRUE(judge(claim, measured({1.05, 1.9, 4})).holds());
  EXPECT_EQ(judge(claim, measured({1.05, 1.9, 5})).verdict,
            "off by +25 % (interval unknown, 10 % allowed)");
}

TEST_F(JudgeTest, OrderingsSayWhereTheyFail) {
  EXPECT_EQ(verdict(Relation::kOrdering, "ours > 1", {}, {2, 3}).verdict,
            "holds (interval unknown)");
  EXPECT_EQ(verdict(Relation::kOrdering, "ours > 1", {}, {2, 0.5}).verdict,
            "fails: 0.5 (ours) is not > 1 at 2 (interval unknown)");
}

TEST_F(JudgeTest, OrderingsSayAtHowManyPlacesTheyWereJudged) {
  EXPECT_EQ(verdict(Relation::kOrdering, "ours[1] > 1", {}, {2, 3}).ours_text,
            "holds at 1 place: 2 > 1");
  EXPECT_EQ(verdict(Relation::kOrdering, "ours > 1", {}, {2, 3}).ours_text, "holds at 2 places");
  EXPECT_EQ(verdict(Relation::kOrdering, "ours > 1", {}, {2, 0.5}).ours_text,
            "fails, judged at 2 places");
  EXPECT_EQ(verdict(Relation::kOrdering, "ours > ours[<=2] - 1", {}, {2, 3, 4}).ours_text,
            "holds at 2 of 3 places, 1 on one curve only");
}

TEST_F(JudgeTest, RangesAreNumbersWithoutExponents) {
  const ClaimVerdict large = verdict(Relation::kRange, "ours", {1234, 1e8}, {1234, 1e8});
  EXPECT_EQ(large.published_text, "1234 to 100000000");
  EXPECT_EQ(large.ours_text, "1234 to 100000000");
}

TEST_F(JudgeTest, WhatWasNotMeasuredNeitherHoldsNorFails) {
  for (const Relation relation : {Relation::kAbout, Relation::kUpTo, Relation::kOrdering}) {
    const bool ordering = relation == Relation::kOrdering;
    const ClaimVerdict unknown =
        verdict(relation, ordering ? "ours > 1" : "max(ours)",
                ordering ? std::vector<double>{} : std::vector<double>{3}, {3, std::nullopt});
    EXPECT_FALSE(unknown.known());
    EXPECT_FALSE(unknown.holds());
    EXPECT_EQ(unknown.verdict, "not measured");
  }
}

TEST_F(JudgeTest, WhatIsWithinTheToleranceAtBothEndsHolds) {
  const ClaimVerdict inside = verdict(Relation::kAbout, "ours[1]", {100}, {105}, {3});
  EXPECT_EQ(inside.outcome, Standing::kHolds);
  EXPECT_EQ(inside.verdict, "holds: +5.0 % (+2.0 to +8.0 %, 10 % allowed)");
  EXPECT_TRUE(inside.interval_known);
  EXPECT_EQ(verdict(Relation::kAbout, "ours[1]", {100}, {120}, {3}).outcome, Standing::kOff);
}

TEST_F(JudgeTest, WhatStraddlesTheToleranceIsUndecidedOnEitherSide) {
  const auto outcome = [&](double value, double half_width) {
    return verdict(Relation::kAbout, "ours[1]", {100}, {value}, {half_width}).outcome;
  };
  EXPECT_EQ(outcome(109, 3), Standing::kUndecided);
  EXPECT_EQ(outcome(111, 3), Standing::kUndecided);
  EXPECT_EQ(outcome(91, 3), Standing::kUndecided);
  EXPECT_EQ(outcome(89, 3), Standing::kUndecided);
  EXPECT_EQ(outcome(100, 15), Standing::kUndecided);
  EXPECT_EQ(outcome(113.5, 3), Standing::kOff);
  EXPECT_EQ(outcome(86.5, 3), Standing::kOff);
  const ClaimVerdict wide = verdict(Relation::kAbout, "ours[1]", {100}, {111}, {3});
  EXPECT_EQ(wide.verdict, "undecided: +11.0 % (+8.0 to +14.0 %, 10 % allowed)");
  EXPECT_FALSE(wide.holds());
  EXPECT_TRUE(wide.known());
}

TEST_F(JudgeTest, RangesAndMaximaAreUndecidedByTheEndThatStraddles) {
  const auto outcome = [&](double low, double high, double high_width) {
    return verdict(Relation::kRange, "ours", {100, 200}, {low, 150, high}, {1, 1, high_width})
        .outcome;
  };
  EXPECT_EQ(outcome(102, 204, 4), Standing::kHolds);
  EXPECT_EQ(outcome(102, 218, 8), Standing::kUndecided);
  EXPECT_EQ(outcome(102, 240, 8), Standing::kOff);
  EXPECT_EQ(outcome(120, 218, 8), Standing::kOff);  // the lower end decides
  EXPECT_EQ(verdict(Relation::kUpTo, "max(ours)", {100}, {109, 90}, {3, 3}).outcome,
            Standing::kUndecided);
  EXPECT_EQ(verdict(Relation::kAtLeast, "ours", {100}, {101, 130}, {3, 3}).outcome,
            Standing::kUndecided);
  EXPECT_EQ(verdict(Relation::kAtLeast, "ours", {100}, {105, 130}, {3, 3}).outcome,
            Standing::kHolds);
}

TEST_F(JudgeTest, OrderingsOfWhatOverlapsAreUndecided) {
  const ClaimVerdict close =
      verdict(Relation::kOrdering, "ours[1] > ours[2]", {}, {101, 100}, {2, 2});
  EXPECT_EQ(close.outcome, Standing::kUndecided);
  EXPECT_NEAR(close.probability, 0.76, 0.05);
  EXPECT_TRUE(close.verdict.starts_with("undecided: holds with a probability of 7"))
      << close.verdict;
  EXPECT_EQ(verdict(Relation::kOrdering, "ours[1] > ours[2]", {}, {100, 101}, {2, 2}).outcome,
            Standing::kUndecided);
  EXPECT_EQ(verdict(Relation::kOrdering, "ours[1] > ours[2]", {}, {110, 100}, {2, 2}).verdict,
            "holds");
  EXPECT_EQ(verdict(Relation::kOrdering, "ours[1] > ours[2]", {}, {100, 110}, {2, 2}).outcome,
            Standing::kOff);
  // One broken pair is enough, however close another one is.
  EXPECT_EQ(verdict(Relation::kOrdering, "ours[1] > ours[2] and ours[3] > ours[2]", {},
                    {100, 110, 111}, {2, 2, 2})
                .outcome,
            Standing::kOff);
}

TEST_F(JudgeTest, ListsAreUndecidedByOneOfThem) {
  measured({1, 2, 4});
  for (const auto& [point, half_width] : {std::pair{0, 0.01}, {1, 0.02}, {2, 0.1}}) {
    set_interval(static_cast<std::size_t>(point), half_width);
  }
  Claim three = claim(Relation::kTriple, "ours[1]", {1.02, 2.01, 4.1});
  three.values = {"ours[1]", "ours[2]", "ours[3]"};
  EXPECT_EQ(judge(three, measured_).outcome, Standing::kHolds);
  set_interval(2, 0.6);
  const ClaimVerdict wide = judge(three, measured_);
  EXPECT_EQ(wide.outcome, Standing::kUndecided);
  ASSERT_FALSE(wide.influences.empty());
  EXPECT_EQ(wide.influences[0].at, "3");
}

TEST_F(JudgeTest, WithoutIntervalsTheValueDecidesAndNearTheToleranceItIsDoubtful) {
  const ClaimVerdict near = verdict(Relation::kAbout, "ours[1]", {100}, {109});
  EXPECT_EQ(near.outcome, Standing::kHolds);
  EXPECT_FALSE(near.interval_known);
  EXPECT_TRUE(near.doubtful);
  EXPECT_FALSE(verdict(Relation::kAbout, "ours[1]", {100}, {101}).doubtful);
}

TEST_F(JudgeTest, RepeatedRunsHaveAnInterval) {
  measured({100});
  measured_.repeats = {{{}}};
  for (const double value : {104.0, 108.0}) {
    measured_.repeats[0][0].push_back(*measured_.results[0][0]);
    measured_.repeats[0][0].back().throughput_per_s = value * 1e6;
  }
  EXPECT_NEAR(measured_.value(0, 0).value(), 104, 1e-9);
  // An interval of three: 4.303 standard errors, which are 4 / sqrt(3).
  EXPECT_NEAR(measured_.interval(0, 0)->high, 104 + 4.303 * 4 / 1.732, 0.01);
  EXPECT_EQ(judge(claim(Relation::kAbout, "ours[1]", {110}), measured_).outcome,
            Standing::kUndecided);
}

TEST_F(JudgeTest, VerdictsSayWhichPointsHadNotComeToRest) {
  measured({105});
  set_interval(0, 1);
  measured_.results[0][0]->steady = false;
  EXPECT_EQ(judge(claim(Relation::kAbout, "ours[1]", {100}), measured_).verdict,
            "holds: +5.0 % (+4.0 to +6.0 %, 10 % allowed, 1 of 1 points not at rest)");
}

TEST_F(JudgeTest, SetsAreUndecidedWhereTheirMeanErrorStraddlesTheLimit) {
  measured({111, 109});
  set_interval(0, 3);
  set_interval(1, 3);
  const SetVerdict verdict = judge_set(measured_);
  EXPECT_EQ(verdict.outcome, Standing::kUndecided);
  EXPECT_EQ(verdict.verdict.substr(0, 11), "undecided (");
  set_interval(0, 0.1);
  set_interval(1, 0.1);
  measured_.results[0][1]->throughput_per_s = 105e6;
  EXPECT_EQ(judge_set(measured_).outcome, Standing::kHolds);
}

TEST_F(JudgeTest, SetsHaveAMeanAndALargestError) {
  const SetVerdict good = judge_set(measured({105, 85, 100}));
  EXPECT_TRUE(good.holds());
  EXPECT_NEAR(good.mean_error, 0.2 / 3, 1e-9);
  EXPECT_NEAR(good.largest_error, -0.15, 1e-9);
  EXPECT_EQ(good.largest_at, "8 requests, threads 2");
  EXPECT_FALSE(judge_set(measured({105, 60, 100})).holds());
}

TEST_F(JudgeTest, ASetWithAHoleIsNotReproduced) {
  const SetVerdict verdict = judge_set(measured({100, std::nullopt}));
  EXPECT_FALSE(verdict.known());
  EXPECT_FALSE(verdict.holds());
  EXPECT_EQ(verdict.points, 1U);
}

}  // namespace
}  // namespace verbena::experiments
