// The first signal asks, the second ends.
#include "experiments/session/stop_request.h"

#include <gtest/gtest.h>

#include <csignal>

namespace verbena::experiments {
namespace {

TEST(StopRequest, TakesTheFirstSignalAsARequest) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const StopRequest stop;
    EXPECT_FALSE(stop.flag());
    std::raise(signal);
    EXPECT_TRUE(stop.flag());
  }
}

TEST(StopRequest, LeavesTheSecondToEndTheProcess) {
  const auto twice = [](int first, int second) {
    const StopRequest stop;
    std::raise(first);
    std::raise(second);
  };
  EXPECT_EXIT(twice(SIGINT, SIGINT), ::testing::KilledBySignal(SIGINT), "");
  EXPECT_EXIT(twice(SIGINT, SIGTERM), ::testing::KilledBySignal(SIGTERM), "");
}

TEST(StopRequest, LeavesSignalsAsTheyWere) {
  { const StopRequest stop; }
  EXPECT_EXIT(std::raise(SIGINT), ::testing::KilledBySignal(SIGINT), "");
}

}  // namespace
}  // namespace verbena::experiments
