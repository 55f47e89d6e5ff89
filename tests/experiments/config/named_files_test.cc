// Files on which results depend, found from what is said.
#include "experiments/config/named_files.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <variant>

#include "experiments/config/contents_digest.h"
#include "experiments/config/resolve.h"
#include "simnic/profile/profile.h"

namespace verbena::experiments {
namespace {

namespace fs = std::filesystem;

using Files = std::map<std::string, std::string>;

class NamedFilesTest : public ::testing::Test {
 public:
  NamedFilesTest() { fs::create_directories(root_ / "checkpoint"); }
  ~NamedFilesTest() override { fs::remove_all(root_); }

 protected:
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(root_ / name) << text;
    return (root_ / name).string();
  }

  std::string directory() const { return (root_ / "checkpoint").string(); }

  /// The files that `run KEY VALUE` names.
  static Files files(const std::string& key, const std::string& value) {
    CommandLine line;
    line.sets.push_back({.key = key, .value = value, .place = key});
    if (key == "nam.restore") {
      line.sets.push_back({.key = "system", .value = "nam", .place = ""});
      line.sets.push_back({.key = "nam.journals", .value = "2", .place = ""});
    }
    AnyCommand command = resolve(line);
    return options_of(command).record.files;
  }

 private:
  const fs::path root_ = fs::path(::testing::TempDir()) / "named_files_test";
};

TEST_F(NamedFilesTest, AreNoneWhereAllIsBuiltIn) { EXPECT_EQ(files("nodes", "4"), Files{}); }

TEST_F(NamedFilesTest, AreProfilesAndTheNetworkThatAProfileNames) {
  const std::string network =
      write("network.toml", *simnic::built_in_profile("fabric", "edr-switch"));
  std::string text = *simnic::built_in_profile("nic", "connectx-4");
  const std::size_t named = text.find("\nfabric = ") + 1;
  text.replace(named, text.find('\n', named) - named, "fabric = '" + network + "'");
  const std::string nic = write("nic.toml", text);
  EXPECT_EQ(files("nic", nic),
            (Files{{network, contents_digest(network)}, {nic, contents_digest(nic)}}));
}

TEST_F(NamedFilesTest, ArePlatformsAndWhatTheseName) {
  const std::string trace = write("off.txt", "0.0005 0\n");
  const std::string platform =
      write("hosts.xml",
            "<?xml version='1.0'?>\n<platform version='4.1'><zone id='z' routing="
            "'Full'><host id='a' speed='1Gf' state_file='off.txt'/></zone></platform>");
  const Files found = files("platform", platform);
  EXPECT_EQ(found.size(), 2);
  EXPECT_TRUE(found.contains(trace) && found.contains(platform));
}

TEST_F(NamedFilesTest, AreCheckpointsAsWholeDirectories) {
  const std::string part = write("checkpoint/part", "one");
  const auto time = fs::last_write_time(part);
  const Files before = files("nam.restore", directory());
  ASSERT_TRUE(before.contains(directory()));
  EXPECT_EQ(files("nam.restore", directory()), before);
  write("checkpoint/part", "two");
  fs::last_write_time(part, time);
  EXPECT_EQ(files("nam.restore", directory()), before) << "as large and as old";
  fs::last_write_time(part, time + std::chrono::seconds(1));
  const Files other = files("nam.restore", directory());
  EXPECT_NE(other, before) << "written later";
  write("checkpoint/more", "");
  EXPECT_NE(files("nam.restore", directory()), other) << "another file";
}

TEST_F(NamedFilesTest, AreTheSameMeasurementWhereverTheyLie) {
  const std::string profile = *simnic::built_in_profile("fabric", "edr-switch");
  const auto identity = [](const std::string& path) {
    CommandLine line;
    line.sets.push_back({.key = "switch", .value = path, .place = ""});
    AnyCommand command = resolve(line);
    return identity_of(options_of(command).record);
  };
  const std::string one = identity(write("network.toml", profile));
  EXPECT_EQ(identity(write("checkpoint/other.toml", profile)), one);
  EXPECT_NE(identity(write("network.toml", profile + "\n")), one);
}

TEST_F(NamedFilesTest, DoNotChangeSeedsByTheirDirectories) {
  const std::string profile = *simnic::built_in_profile("fabric", "edr-switch");
  const auto seeds = [&](const std::string& directory) {
    CommandLine line;
    const std::string list =
        write(directory + "a.toml", profile) + "," + write(directory + "b.toml", profile);
    line.flags = {{.key = "switch", .value = list, .place = "--switch"},
                  {.key = "vary-seed", .value = "true", .place = "--vary-seed"}};
    const auto run = std::get<RunCommand>(resolve(line));
    return std::pair(run.measurements.at(0).cluster.seed, run.measurements.at(1).cluster.seed);
  };
  EXPECT_EQ(seeds(""), seeds("checkpoint/"));
  EXPECT_NE(seeds("").first, seeds("").second);
}

TEST_F(NamedFilesTest, CountAsTheyWereWhenFirstAskedFor) {
  const std::string network =
      write("network.toml", *simnic::built_in_profile("fabric", "edr-switch"));
  CommandLine line;
  line.sets.push_back({.key = "switch", .value = network, .place = ""});
  AnyCommand command = resolve(line);
  NamedFiles digests;
  const Files before = digests.of(options_of(command));
  write("network.toml", "other");
  EXPECT_EQ(digests.of(options_of(command)), before);
  EXPECT_NE(NamedFiles().of(options_of(command)), before);
}

TEST(ContentsDigest, IsEmptyWhereThereIsNothingToRead) {
  EXPECT_EQ(contents_digest("/dev/null"), "");
  EXPECT_EQ(contents_digest("no-such-file"), "");
}

}  // namespace
}  // namespace verbena::experiments
