// Names under which results are kept, and directories that are not left empty.
#include "experiments/points/point_store.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "experiments/config/named_files.h"
#include "rdma/base/errors.h"

namespace verbena::experiments {
namespace {

namespace fs = std::filesystem;

class PointStoreTest : public ::testing::Test {
 public:
  ~PointStoreTest() override { fs::remove_all(root_); }

 protected:
  fs::path points() const { return root_ / "out" / "points"; }

  /// The name of the result of a run that depends on a file with this digest.
  std::string name(const std::string& path, const std::string& digest) const {
    RunCommand run;
    run.record.files[path] = digest;
    return PointStore(points().string()).name_of(MeasuringCommand(run)).text();
  }

 private:
  const fs::path root_ = fs::path(::testing::TempDir()) / "point_store_test";
};

TEST_F(PointStoreTest, NamesDependOnFiles) {
  EXPECT_EQ(name("/a", "1"), name("/a", "1"));
  const std::set<std::string> names = {name("/a", "1"), name("/a", "2"), name("/b", "1")};
  EXPECT_EQ(names.size(), 3);
}

TEST_F(PointStoreTest, LeavesNoDirectoryWithoutResults) {
  { const PointStore store(points().string()); }
  EXPECT_FALSE(fs::exists(points().parent_path()));
}

TEST_F(PointStoreTest, LeavesDirectoriesThatAreKept) {
  {
    PointStore store(points().string());
    store.keep();
  }
  EXPECT_TRUE(fs::exists(points()));
}

TEST_F(PointStoreTest, RefusesResultsOfOtherContents) {
  const PointStore store(points().string());
  RunCommand run;
  run.record.files["/a"] = "1";
  const std::string file = store.file_of(MeasuringCommand(run));
  run.record.files["/a"] = "2";
  nlohmann::json document = {{"config", {{"command_line", run.record.command_line()}}},
                             {"identity", identity_of(run.record)}};
  std::ofstream(file) << document;
  run.record.files["/a"] = "1";
  try {
    PointStore::read(file, MeasuringCommand(run));
    FAIL() << "it was read";
  } catch (const ConfigurationError& error) {
    EXPECT_NE(std::string(error.what()).find("files that have changed since"), std::string::npos);
  }
}

TEST_F(PointStoreTest, LeavesWhatItDidNotMake) {
  fs::create_directories(points().parent_path());
  { const PointStore store(points().string()); }
  EXPECT_TRUE(fs::exists(points().parent_path()));
  EXPECT_FALSE(fs::exists(points()));
}

TEST_F(PointStoreTest, LeavesResults) {
  {
    const PointStore store(points().string());
    std::ofstream(points() / "result.json") << "{}";
  }
  EXPECT_TRUE(fs::exists(points() / "result.json"));
}

}  // namespace
}  // namespace verbena::experiments
