// A result file is there whole or not at all.
#include "experiments/report/files/output_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "rdma/base/errors.h"

namespace verbena::experiments {
namespace {

namespace fs = std::filesystem;

class OutputFileTest : public ::testing::Test {
 protected:
  OutputFileTest() : directory_(fs::path(std::getenv("TEST_TMPDIR")) / "output") {
    fs::remove_all(directory_);
    fs::create_directories(directory_);
  }

  std::string path(const std::string& name) const { return (directory_ / name).string(); }

  static std::string content(const std::string& name) {
    std::ifstream stream(name);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  std::ptrdiff_t files() const {
    return std::distance(fs::directory_iterator(directory_), fs::directory_iterator());
  }

  fs::path directory_;
};

TEST_F(OutputFileTest, NothingIsThereBeforeCommit) {
  const OutputFile file(path("a.json"));
  EXPECT_EQ(files(), 0);
}

TEST_F(OutputFileTest, CommitPutsTheContentIntoPlace) {
  const OutputFile file(path("a.json"));
  file.commit("{}\n");
  EXPECT_EQ(content(path("a.json")), "{}\n");
  EXPECT_EQ(files(), 1);
}

TEST_F(OutputFileTest, CommitReplacesTheWholeFileAndKeepsItsMode) {
  std::ofstream(path("a.json")) << "something longer";
  chmod(path("a.json").c_str(), 0640);
  OutputFile(path("a.json")).commit("x");
  EXPECT_EQ(content(path("a.json")), "x");
  struct stat status {};
  ASSERT_EQ(stat(path("a.json").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640U);
}

TEST_F(OutputFileTest, SymbolicLinksStay) {
  std::ofstream(path("a.json")) << "old";
  fs::create_symlink("a.json", directory_ / "link.json");
  OutputFile(path("link.json")).commit("new");
  EXPECT_TRUE(fs::is_symlink(directory_ / "link.json"));
  EXPECT_EQ(content(path("a.json")), "new");
}

TEST_F(OutputFileTest, OfADirectoryReplaceLinksAndPipes) {
  std::ofstream(path("a.json")) << "old";
  fs::create_symlink("a.json", directory_ / "link.json");
  fs::create_symlink("nowhere", directory_ / "dangling.json");
  ASSERT_EQ(mkfifo(path("pipe.json").c_str(), 0600), 0);
  for (const char* name : {"link.json", "dangling.json", "pipe.json"}) {
    OutputFile::in_directory(path(name)).commit("new");
    EXPECT_EQ(fs::symlink_status(path(name)).type(), fs::file_type::regular) << name;
    EXPECT_EQ(content(path(name)), "new");
  }
  EXPECT_EQ(content(path("a.json")), "old");
  EXPECT_FALSE(fs::exists(path("nowhere")));
  EXPECT_THROW(OutputFile::in_directory(directory_.string()), ConfigurationError);
}

TEST_F(OutputFileTest, RefusesPlacesThatCannotBeWritten) {
  EXPECT_THROW(OutputFile(directory_.string()), ConfigurationError);
  EXPECT_THROW(OutputFile(path("missing/a.json")), ConfigurationError);
  EXPECT_THROW(OutputFile("/proc/a.json"), ConfigurationError);
}

TEST_F(OutputFileTest, AFullDeviceIsAnError) {
  const OutputFile file("/dev/full");
  EXPECT_THROW(file.commit("x"), std::runtime_error);
}

}  // namespace
}  // namespace verbena::experiments
