// How many programs run at once, and how they end.
#include "experiments/points/process_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace verbena::experiments {
namespace {

// The largest number of processes that ran at once, of six that take a while.
std::size_t most_at_once(const PoolLimits& limits, std::uint64_t memory_bytes) {
  const std::filesystem::path directory =
      std::filesystem::path(std::getenv("TEST_TMPDIR")) / "running";
  std::filesystem::remove_all(directory);
  std::filesystem::create_directories(directory);
  std::vector<Process> processes;
  processes.reserve(6);
  for (int i = 0; i < 6; ++i) {
    // Each counts those that are there, itself too.
    processes.push_back({.program = "sh",
                         .arguments = {"-c",
                                       "touch $0; ls | grep -vc count > count.$0; sleep 0.2; "
                                       "ls | grep -vc count >> count.$0; rm $0",
                                       std::to_string(i)},
                         .directory = directory.string(),
                         .memory_bytes = memory_bytes});
  }
  const ProcessPool pool;
  EXPECT_EQ(pool.run(processes, limits, [](std::size_t, const ProcessEnd&) {}), 0);
  std::size_t most = 0;
  for (int i = 0; i < 6; ++i) {
    std::ifstream counts(directory / ("count." + std::to_string(i)));
    for (std::size_t count = 0; counts >> count;) most = std::max(most, count);
  }
  return most;
}

TEST(ProcessPool, RunsNoMoreAtOnceThanAllowed) {
  EXPECT_EQ(most_at_once({.processes = 1}, 0), 1U);
  EXPECT_LE(most_at_once({.processes = 3}, 0), 3U);
}

TEST(ProcessPool, RunsNoMoreAtOnceThanMemoryHolds) {
  EXPECT_LE(most_at_once({.processes = 6, .memory_bytes = 250}, 100), 2U);
  EXPECT_EQ(most_at_once({.processes = 6, .memory_bytes = 50}, 100), 1U) << "one in any case";
}

TEST(ProcessPool, CallsFunctionsInCopiesOfThisProcess) {
  int calls = 0;
  const auto inside = [&calls](const std::vector<std::string>& arguments) {
    ++calls;
    std::fputs("why\nmore\n", stderr);
    if (arguments.front() == "abort") std::abort();
    return std::stoi(arguments.front());
  };
  std::vector<Process> processes;
  for (const char* argument : {"0", "3", "abort"}) {
    processes.push_back(
        {.program = "", .inside = inside, .arguments = {argument}, .directory = ""});
  }
  std::vector<ProcessEnd> ends(processes.size());
  const ProcessPool pool;
  pool.run(processes, {.processes = 2},
           [&](std::size_t index, const ProcessEnd& end) { ends[index] = end; });
  EXPECT_TRUE(ends[0].succeeded);
  EXPECT_EQ(ends[1].code, 3);
  EXPECT_EQ(ends[1].error, "why");
  EXPECT_EQ(ends[2].code, -1);
  EXPECT_EQ(calls, 0) << "none in this one";
}

TEST(ProcessPool, TellsHowEachEnded) {
  const std::vector<Process> processes = {
      {.program = "true", .arguments = {}, .directory = ""},
      {.program = "sh", .arguments = {"-c", "echo why >&2; exit 2"}, .directory = ""},
      {.program = "sh", .arguments = {"-c", "kill -KILL $$"}, .directory = ""}};
  std::vector<ProcessEnd> ends(processes.size());
  const ProcessPool pool;
  pool.run(processes, {.processes = 3},
           [&](std::size_t index, const ProcessEnd& end) { ends[index] = end; });
  EXPECT_TRUE(ends[0].succeeded);
  EXPECT_EQ(ends[0].code, 0);
  EXPECT_EQ(ends[1].error, "why");
  EXPECT_EQ(ends[1].code, 2);
  EXPECT_EQ(ends[2].error, "killed by signal 9 (Killed)");
  EXPECT_EQ(ends[2].code, -1);
}

}  // namespace
}  // namespace verbena::experiments
