// Which axes a series gets.
#include "experiments/sweep/sweep_plot.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace verbena::experiments {
namespace {

// A series over lists, the values of the first of which change slowest; each place has one run,
// with a throughput that is its number.
class SweepPlotTest : public ::testing::Test {
 protected:
  using List = std::pair<std::string, std::vector<std::string>>;

  const MeasuredSweep& measured(const std::vector<List>& lists) {
    sweep_ = Sweep{.record = {}, .configuration = {}, .options = options_, .points = {}};
    measured_ = MeasuredSweep{.sweep = &sweep_, .points = {}};
    add(lists, {});
    return measured_;
  }

  SeriesOptions options_;

 private:
  void add(const std::vector<List>& lists, const Values& values) {
    if (values.size() < lists.size()) {
      const auto& [key, all] = lists[values.size()];
      for (const std::string& value : all) {
        Values more = values;
        more.emplace_back(key, value);
        add(lists, more);
      }
      return;
    }
    RunCommand run;
    run.record.place = values;
    sweep_.points.emplace_back(AnyCommand(run));
    measured_.points.results.emplace_back(PointResult());
    measured_.points.results.back()->throughput_per_s =
        1e6 * static_cast<double>(measured_.points.results.size());
  }

  Sweep sweep_;
  MeasuredSweep measured_;
};

TEST_F(SweepPlotTest, NumbersLieOnTheXAxisAndWordsHaveCurves) {
  const auto plots = sweep_plots(measured({{"nodes", {"4", "8"}}, {"system", {"a", "b", "c"}}}));
  ASSERT_EQ(plots.size(), 2U);
  EXPECT_EQ(plots[0].x_label, "nodes");
  EXPECT_EQ(plots[0].y_label, "throughput [M/s]");
  ASSERT_EQ(plots[0].curves.size(), 3U);
  EXPECT_EQ(plots[0].curves[1].label, "b");
  ASSERT_EQ(plots[0].curves[1].points.size(), 2U);
  EXPECT_EQ(plots[0].curves[1].points[1].x, 8);
  EXPECT_EQ(plots[0].curves[1].points[1].y, 5);
}

TEST_F(SweepPlotTest, OverNodesThereIsThroughputOfEachNodeToo) {
  const MeasuredSweep& over_nodes = measured({{"nodes", {"4", "8"}}});
  const auto plots = sweep_plots(over_nodes);
  ASSERT_EQ(plots.size(), 2U);
  EXPECT_EQ(plots[1].y_label, "throughput_per_node [M/s]");
  EXPECT_EQ(plot_stems(over_nodes, plots), (std::vector<std::string>{"plot", "plot-per-node"}));
  EXPECT_EQ(sweep_plots(measured({{"threads", {"1", "2"}}})).size(), 1U);
}

TEST_F(SweepPlotTest, WhatIsWithheldOfAllIsToldOf) {
  options_.y = "log_p50";
  const auto plots = sweep_plots(measured({{"threads", {"1", "2"}}}));
  ASSERT_EQ(plots.size(), 1U);
  EXPECT_TRUE(is_blank(plots[0]));
  EXPECT_TRUE(gnuplot_script(plots[0], "plot").empty());
  EXPECT_NE(blank_text(plots[0]).find("no measurement tells log_p50 [us]"), std::string::npos);
}

TEST_F(SweepPlotTest, TheLongestListOfNumbersIsTheXAxis) {
  EXPECT_EQ(axes_of(measured({{"nodes", {"4", "8"}}, {"threads", {"1", "2", "3"}}})).x, "threads");
  EXPECT_EQ(axes_of(measured({{"system", {"a", "b"}}, {"workload", {"c", "d", "e"}}})).x,
            "workload");
}

TEST_F(SweepPlotTest, AxesAreThoseThatWereAskedFor) {
  options_.x = "system";
  options_.curves = "nodes";
  const SweepAxes axes =
      axes_of(measured({{"nodes", {"4", "8"}}, {"system", {"a", "b"}}, {"threads", {"1", "2"}}}));
  EXPECT_EQ(axes.x, "system");
  EXPECT_EQ(axes.curves, std::vector<std::string>{"nodes"});
  EXPECT_EQ(axes.plots, std::vector<std::string>{"threads"});
}

TEST_F(SweepPlotTest, ScalesFollowFromTheValues) {
  const auto scale = [this](const std::vector<std::string>& values) {
    return sweep_plots(measured({{"x", values}})).front().scale;
  };
  EXPECT_EQ(scale({"4", "8", "16", "32"}), AxisScale::kLog2);
  EXPECT_EQ(scale({"1", "2", "3", "4", "5"}), AxisScale::kLinear);
  EXPECT_EQ(scale({"0", "8", "64"}), AxisScale::kLinear);
  EXPECT_EQ(scale({"100us", "1ms", "10ms"}), AxisScale::kLog2);
  EXPECT_EQ(scale({"star", "torus"}), AxisScale::kCategories);
}

TEST_F(SweepPlotTest, SeedsAreRepetitionsWithIntervals) {
  const MeasuredSweep& sweep = measured({{"nodes", {"4", "8"}}, {"seed", {"1", "2"}}});
  ASSERT_EQ(sweep.places().size(), 2U);
  const auto plots = sweep_plots(sweep);
  ASSERT_EQ(plots[0].curves.size(), 1U);
  EXPECT_EQ(plots[0].curves[0].points[0].y, 1.5);
  const PlotPoint& point = plots[0].curves[0].points[0];
  EXPECT_LT(point.low, 0.5);
  EXPECT_NEAR(point.low + point.high, 2 * point.y, 1e-9);
  options_.x = "seed";
  EXPECT_EQ(measured({{"nodes", {"4", "8"}}, {"seed", {"1", "2"}}}).places().size(), 4U);
}

TEST_F(SweepPlotTest, OnePlaceIsNoPlot) { EXPECT_TRUE(sweep_plots(measured({})).empty()); }

}  // namespace
}  // namespace verbena::experiments
