// The first signal asks, the second ends.
#include "experiments/session/stop_request.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>

namespace verbena::experiments {
namespace {

constexpr unsigned kPatienceSeconds = 4;

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

// As a core that spins does.
TEST(StopRequest, EndsAProcessInWhichNobodyHeedsIt) {
  const auto spin = [](int signal) {
    const StopRequest stop(kPatienceSeconds);
    std::raise(signal);
    for (;;) EXPECT_TRUE(stop.flag());
  };
  EXPECT_EXIT(spin(SIGTERM), ::testing::ExitedWithCode(130), "interrupted; no transaction came");
  EXPECT_EXIT(spin(SIGINT), ::testing::ExitedWithCode(130), "interrupted; no transaction came");
}

TEST(StopRequest, LeavesTimeToWhoGetsOnAndToWhatComesAfterIt) {
  const StopRequest stop(kPatienceSeconds);
  std::raise(SIGTERM);
  const auto until = [](unsigned seconds) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
    while (std::chrono::steady_clock::now() < end) sleep(1);
  };
  until(kPatienceSeconds / 2);
  ++stop.position();
  until(kPatienceSeconds);
  stop.position() = StopRequest::kNobody;
  until(kPatienceSeconds);
  EXPECT_TRUE(stop.flag());
}

TEST(StopRequest, LeavesSignalsAsTheyWere) {
  { const StopRequest stop; }
  EXPECT_EXIT(std::raise(SIGINT), ::testing::KilledBySignal(SIGINT), "");
}

}  // namespace
}  // namespace verbena::experiments
