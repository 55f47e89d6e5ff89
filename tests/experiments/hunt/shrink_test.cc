// How a run that fails becomes the smallest that does.
#include "experiments/hunt/shrink.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>

namespace verbena::experiments {
namespace {

using Fails = std::function<bool(const HuntedRun&)>;

HuntedRun drawn() {
  HuntedRun run{.seed = 7, .settings = {}};
  const auto add = [&run](const std::string& key, const std::string& value,
                          std::vector<std::string> simpler) {
    run.settings.push_back({.key = key, .value = value, .simpler = std::move(simpler)});
  };
  add("nodes", "5", {"2", "3"});
  add("coroutines", "4", {"1", "2", "3"});
  for (const char* key : {"chaos", "fabric.a", "fabric.b", "fabric.c", "fabric.d", "fabric.e"}) {
    add(key, "true", {""});
  }
  return run;
}

HuntedRun smallest(const Fails& fails, std::size_t budget = 1000, std::size_t* runs = nullptr) {
  return shrunk(
      drawn(),
      [&](const std::vector<HuntedRun>& candidates) {
        if (runs != nullptr) *runs += candidates.size();
        std::vector<bool> failed;
        failed.reserve(candidates.size());
        for (const HuntedRun& run : candidates) failed.push_back(fails(run));
        return failed;
      },
      budget);
}

TEST(HuntShrink, LeavesOutAllThatDoesNotMatter) {
  const HuntedRun run = smallest([](const HuntedRun&) { return true; });
  ASSERT_EQ(run.settings.size(), 2U);
  EXPECT_EQ(run.value_of("nodes"), "2");
  EXPECT_EQ(run.value_of("coroutines"), "1");
  EXPECT_EQ(run.seed, 7U);
}

TEST(HuntShrink, KeepsWhatTheFailureNeedsTogether) {
  const HuntedRun run = smallest([](const HuntedRun& one) {
    return !one.value_of("fabric.a").empty() && !one.value_of("fabric.e").empty() &&
           one.value_of("coroutines") >= "2";
  });
  ASSERT_EQ(run.settings.size(), 4U);
  EXPECT_EQ(run.value_of("fabric.a"), "true");
  EXPECT_EQ(run.value_of("fabric.e"), "true");
  EXPECT_EQ(run.value_of("nodes"), "2");
  EXPECT_EQ(run.value_of("coroutines"), "2");
}

TEST(HuntShrink, OneThatOnlyFailsAsItIsStaysAsItIs) {
  const std::string line = drawn().command_line();
  const HuntedRun run = smallest([&](const HuntedRun& one) { return one.command_line() == line; });
  EXPECT_EQ(run.command_line(), line);
}

TEST(HuntShrink, TakesAnotherSeedWhereTheSimplerRunNeedsOne) {
  const HuntedRun run = smallest(
      [](const HuntedRun& one) { return one.value_of("nodes") == "5" || one.seed % 5 == 0; });
  EXPECT_EQ(run.value_of("nodes"), "2");
  EXPECT_EQ(run.seed, 10U);
}

TEST(HuntShrink, KeepsToItsBudget) {
  std::size_t runs = 0;
  const HuntedRun run =
      smallest([](const HuntedRun& one) { return one.value_of("nodes") == "5"; }, 3, &runs);
  EXPECT_LE(runs, 5U) << "those of the last step";
  EXPECT_EQ(run.value_of("nodes"), "5");
}

}  // namespace
}  // namespace verbena::experiments
