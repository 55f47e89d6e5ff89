// Progress of points that other processes tell.
#include "experiments/points/progress_board.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace verbena::experiments {
namespace {

using workloads::RunStage;

TEST(ProgressBoard, ShowsWhatAForkedProcessTells) {
  ProgressBoard board(3);
  const pid_t child = fork();
  if (child == 0) {
    board.of(1).enter(RunStage::kConnecting);
    board.of(1).done(1, 4);
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(board.of(0).read().stage, RunStage::kWaiting);
  EXPECT_EQ(board.of(1).read().stage, RunStage::kConnecting);
  EXPECT_EQ(board.of(1).read().share, 0.25);
}

TEST(ProgressBoard, GivesAProgramThatIsStartedThePlaceThatItsEnvironmentNames) {
  ProgressBoard board(3);
  const std::string place = board.place_of(2);
  const std::size_t equals = place.find('=');
  setenv(place.substr(0, equals).c_str(), place.c_str() + equals + 1, 1);
  workloads::RunProgress* own = ProgressBoard::inherited();
  ASSERT_NE(own, nullptr);
  own->enter(RunStage::kLoading);
  EXPECT_EQ(board.of(2).read().stage, RunStage::kLoading);
  EXPECT_EQ(ProgressBoard::inherited(), nullptr) << "what it starts itself is another program";
}

TEST(ProgressBoard, GivesNothingToAProgramThatSomebodyElseStarted) {
  EXPECT_EQ(ProgressBoard::inherited(), nullptr);
  for (const char* place : {"", "x", "999:0", "0:99999999"}) {
    setenv("VERBENA_PROGRESS", place, 1);
    EXPECT_EQ(ProgressBoard::inherited(), nullptr) << place;
  }
}

}  // namespace
}  // namespace verbena::experiments
