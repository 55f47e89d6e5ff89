// Points of steady figures, and points that are measured again.
#include "experiments/reproduce/again.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "experiments/reproduce/figure/figure_file.h"
#include "rdma/base/errors.h"

namespace verbena::experiments {
namespace {

// A figure of runs with these lines and settings.
std::string file_of_runs(const std::string& lines, const std::string& settings) {
  const auto path = std::filesystem::path(std::getenv("TEST_TMPDIR")) / "runs.toml";
  std::ofstream(path) << "title = 't'\nsource = 's'\ncommand = 'run'\n"
                      << lines << "\nsettings = { " << settings << " }\n"
                      << "[x]\nlabel = 'coroutines'\nsetting = 'coroutines'\nvalues = [1, 2]\n"
                         "[y]\nlabel = 'rate'\nquantity = 'throughput'\n"
                         "[[series]]\nname = 'a'\nlabel = 'a'\n";
  return path.string();
}

TEST(SteadyFigure, HasRunsThatFindOutWhenTheyAreAtRest) {
  const Figure figure = load_figure(
      file_of_runs("steady = true\ndecide_within = 8",
                   "precision = 2, max-duration = '5ms', max-commits = 5000, nodes = 3"),
      {});
  EXPECT_TRUE(figure.steady);
  EXPECT_EQ(figure.decide_within, 8U);
  const RunCommand& run = *figure.series[0].points[0].command.run();
  EXPECT_FALSE(run.cluster.duration.has_value());
  EXPECT_FALSE(run.cluster.warmup.has_value());
  EXPECT_EQ(run.run.goal.longest, 5 * kMillisecond);
  EXPECT_EQ(run.run.goal.most_commits, 5000U);
}

TEST(SteadyFigure, IsToldNoTimes) {
  for (const char* key : {"duration", "warmup"}) {
    try {
      load_figure(file_of_runs("steady = true", std::string(key) + " = '1ms'"), {});
      ADD_FAILURE() << key;
    } catch (const ConfigurationError& error) {
      const std::string what = error.what();
      EXPECT_NE(what.find("runs.toml:5:"), std::string::npos) << what;
      EXPECT_NE(what.find(std::string(key) + ": not allowed with steady = true"), std::string::npos)
          << what;
    }
  }
}

TEST(PointsMeasuredAgain, DifferInWhatThatMeansOnly) {
  const Figure timed = load_figure(file_of_runs("", "warmup = '1ms', duration = '1500us'"),
                                   {{"seed", "7", "--set"}});
  const FigurePoint& point = timed.series[0].points[1];
  const MeasuringCommand longer = prolonged(point, 4);
  EXPECT_EQ(longer.common().cluster.duration, 6 * kMillisecond);
  EXPECT_EQ(longer.common().cluster.warmup, 1 * kMillisecond);
  EXPECT_EQ(longer.common().cluster.coroutines, 2U);
  EXPECT_EQ(longer.common().cluster.seed, 7U);
  const MeasuringCommand other = repeated(point, 1);
  EXPECT_EQ(other.common().cluster.duration, 1500 * kMicrosecond);
  EXPECT_NE(other.common().cluster.seed, 7U);
  EXPECT_NE(other.record().command_line(), repeated(point, 2).record().command_line());
  const Figure steady =
      load_figure(file_of_runs("steady = true", "precision = 2, max-duration = '5ms'"), {});
  const RunCommand run = *prolonged(steady.series[0].points[0], 4).run();
  EXPECT_DOUBLE_EQ(run.precision_percent, 1);
  EXPECT_EQ(run.run.goal.longest, 20 * kMillisecond);
  EXPECT_EQ(run.run.goal.most_commits, 12'000'000U);
}

}  // namespace
}  // namespace verbena::experiments
