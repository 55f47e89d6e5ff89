// Names under which results are kept: of other files they are other ones.
#include "experiments/points/point_store.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>

namespace verbena::experiments {
namespace {

namespace fs = std::filesystem;

/// A directory with a checkpoint, and a run that begins with it.
class Restored : public ::testing::Test {
 public:
  Restored() { write("part", "one"); }
  ~Restored() override { fs::remove_all(root_); }

 protected:
  void write(const std::string& file, const std::string& text) const {
    fs::create_directories(checkpoint_);
    std::ofstream(checkpoint_ / file) << text;
  }

  /// The name of the run's result in a program that starts now.
  std::string name() const {
    RunCommand run;
    run.record.overrides["nam.restore"] = checkpoint_.string();
    return PointStore((root_ / "points").string()).name_of(MeasuringCommand(run)).text();
  }

 private:
  const fs::path root_ = fs::path(::testing::TempDir()) / "point_store_test";
  const fs::path checkpoint_ = root_ / "checkpoint";
};

TEST_F(Restored, HasTheSameNameForAsLongAsNothingChanges) { EXPECT_EQ(name(), name()); }

TEST_F(Restored, HasAnotherNameWhenTheCheckpointDiffers) {
  std::set<std::string> names = {name()};
  write("part", "two");
  EXPECT_TRUE(names.insert(name()).second) << "another content";
  write("more", "");
  EXPECT_TRUE(names.insert(name()).second) << "another file";
}

}  // namespace
}  // namespace verbena::experiments
