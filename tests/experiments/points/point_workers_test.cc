// Processes that make one run after another.
#include "experiments/points/point_workers.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "experiments/report/exit_code.h"

namespace verbena::experiments {
namespace {

// Ends of runs with these arguments. Each writes its process into a file: whose runs are they?
class PointWorkersTest : public ::testing::Test {
 protected:
  struct Outcome {
    std::map<std::size_t, ProcessEnd> ends;
    std::size_t begun = 0;  // runs that told their progress
    std::size_t done = 0;   // runs of which the progress tells that they ended well
    int signal = 0;
  };

  static constexpr std::uint64_t kShare = 1 << 20;

  static int program(const std::vector<std::string>& arguments, rdma::PageArena* arena,
                     workloads::RunProgress* progress, std::uint64_t memory_bytes) {
    if (arena == nullptr || progress == nullptr || memory_bytes != kShare) return kFailure;
    progress->enter(workloads::RunStage::kLoading);
    const std::string& what = arguments.at(0);
    std::ofstream(file(), std::ios::app) << getpid() << '\n';
    if (what == "die") std::raise(SIGKILL);
    if (what == "interrupt") {
      kill(getppid(), SIGTERM);
      pause();
    }
    if (what == "silent") return kNotMeasured;
    if (what != "good") {
      std::fprintf(stderr, "verbena: %s\nand more\n", what.c_str());
      return kBadInput;
    }
    return kSuccess;
  }

  static Outcome run(const std::vector<std::string>& whats, std::size_t processes) {
    std::vector<PointRun> runs;
    runs.reserve(whats.size());
    for (const std::string& what : whats) runs.push_back({what});
    ProgressBoard board(runs.size());
    PointWorkers workers(std::move(runs), board);
    Outcome outcome;
    const ProcessPool pool;
    outcome.signal =
        workers.run({.program = program, .processes = processes, .memory_bytes = kShare}, pool,
                    [&](std::size_t index, const ProcessEnd& end) {
                      EXPECT_TRUE(outcome.ends.emplace(index, end).second) << index;
                    });
    for (std::size_t i = 0; i < board.size(); ++i) {
      const workloads::RunStage stage = board.of(i).read().stage;
      outcome.begun += stage != workloads::RunStage::kWaiting ? 1 : 0;
      outcome.done += stage == workloads::RunStage::kEnded ? 1 : 0;
    }
    return outcome;
  }

  // A process for each run, in the order in which they began.
  static std::vector<int> makers() {
    std::vector<int> made;
    std::ifstream stream(file());
    for (int process = 0; stream >> process;) made.push_back(process);
    return made;
  }

  static std::string file() { return std::string(std::getenv("TEST_TMPDIR")) + "/makers"; }

  void SetUp() override { std::remove(file().c_str()); }
};

TEST_F(PointWorkersTest, OneProcessMakesManyRuns) {
  const Outcome outcome = run({"good", "good", "good", "good"}, 1);
  EXPECT_EQ(outcome.signal, 0);
  ASSERT_EQ(outcome.ends.size(), 4U);
  for (const auto& [index, end] : outcome.ends) EXPECT_TRUE(end.succeeded) << index;
  EXPECT_EQ(outcome.begun, 4U);
  const std::vector<int> all = makers();
  EXPECT_EQ(all.size(), 4U);
  EXPECT_EQ(std::set<int>(all.begin(), all.end()).size(), 1U);
}

TEST_F(PointWorkersTest, ARunThatFailsTellsWhyAndTheOthersGoOn) {
  const Outcome outcome = run({"nodes 0", "good", "silent", "nodes 7"}, 1);
  EXPECT_EQ(outcome.done, 1U);
  ASSERT_EQ(outcome.ends.size(), 4U);
  EXPECT_EQ(outcome.ends.at(0).code, kBadInput);
  EXPECT_EQ(outcome.ends.at(0).error, "verbena: nodes 0");
  EXPECT_TRUE(outcome.ends.at(1).succeeded);
  EXPECT_EQ(outcome.ends.at(2).error, "exit code 5");
  EXPECT_EQ(outcome.ends.at(3).error, "verbena: nodes 7");
}

TEST_F(PointWorkersTest, ARunThatEndsItsProcessFailsAlone) {
  for (const std::size_t processes : {1U, 2U}) {
    const Outcome outcome = run({"good", "die", "nodes 0", "die", "good"}, processes);
    ASSERT_EQ(outcome.ends.size(), 5U);
    EXPECT_TRUE(outcome.ends.at(0).succeeded);
    EXPECT_EQ(outcome.ends.at(1).error, "killed by signal 9 (Killed)");
    EXPECT_EQ(outcome.ends.at(2).error, "verbena: nodes 0");
    EXPECT_EQ(outcome.ends.at(3).error, "killed by signal 9 (Killed)");
    EXPECT_TRUE(outcome.ends.at(4).succeeded);
    EXPECT_EQ(outcome.begun, 5U);
    EXPECT_EQ(outcome.done, 2U) << "told by the processes themselves";
  }
}

TEST_F(PointWorkersTest, WhatWasNotBegunWhenASignalCameIsNotToldOf) {
  const Outcome outcome = run({"good", "interrupt", "good"}, 1);
  EXPECT_EQ(outcome.signal, SIGTERM);
  ASSERT_EQ(outcome.ends.size(), 1U);
  EXPECT_TRUE(outcome.ends.at(0).succeeded);
}

}  // namespace
}  // namespace verbena::experiments
