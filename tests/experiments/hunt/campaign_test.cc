// Campaigns: what a signal does to them.
#include "experiments/hunt/campaign.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "experiments/report/exit_code.h"

namespace verbena::experiments {
namespace {

/// A hunt of which the first run fails and the `ending`th asks the hunt to end.
class Campaigns : public ::testing::Test {
 protected:
  Campaigns() { std::filesystem::remove(file_); }

  CampaignResult hunt_until(std::uintmax_t ending) {
    CampaignOptions options;
    options.ground = {.systems = {"drtmh"}, .workloads = {"stress"}, .sets = {}};
    options.twice_percent = 0;
    options.program = [this, ending](const std::vector<std::string>& /*arguments*/) {
      std::ofstream(file_, std::ios::app) << '.';
      if (started() == ending) {
        kill(getppid(), SIGTERM);
        sleep(60);  // until the hunt ends us
      }
      return static_cast<int>(started() == 1 ? kStuck : kSuccess);
    };
    const ProcessPool pool;
    return hunt(options, ::testing::TempDir(), pool, [](const CampaignResult&) {});
  }
  std::uintmax_t started() const { return std::filesystem::file_size(file_); }

 private:
  std::string file_ = ::testing::TempDir() + "/started";
};

TEST_F(Campaigns, StartNothingOnceASignalHasCome) {
  const CampaignResult result = hunt_until(2);
  EXPECT_EQ(result.signal, SIGTERM);
  EXPECT_EQ(started(), 2U);
}

TEST_F(Campaigns, StopMakingAFailureSmallerOnceASignalHasCome) {
  const CampaignResult result = hunt_until(40);
  EXPECT_EQ(result.signal, SIGTERM);
  EXPECT_EQ(started(), 40U) << "beyond the first batch, so of the failure's smaller runs";
  ASSERT_EQ(result.failures.size(), 1U);
  EXPECT_EQ(result.failures[0].outcome, Outcome::kStuck);
}

}  // namespace
}  // namespace verbena::experiments
