// Checkpoints and journals that were changed, with checksums that are right all the same.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "rdma/base/errors.h"
#include "tests/fuzz/mutations.h"
#include "tests/txn/nam/saved_cluster.h"

namespace verbena::testing {
namespace {

const IsRefusal kRefused = is_any_of<ConfigurationError>;

class SavedFilesFuzz : public ::testing::Test {
 protected:
  /// Restores from files of which one has this content.
  void restore_with(const std::string& file, std::span<const std::byte> content) {
    cluster_.replace(file, content);
    cluster_.restore();
  }

  SavedCluster cluster_{::testing::TempDir() + "fuzzed_files"};
};

TEST_F(SavedFilesFuzz, Checkpoints) {
  EXPECT_TRUE(survives(
      "checkpoints", {cluster_.content("checkpoint.1")},
      [&](std::span<const std::byte> content) { restore_with("checkpoint.1", content); },
      kRefused));
}

TEST_F(SavedFilesFuzz, Rings) {
  EXPECT_TRUE(survives(
      "rings", {cluster_.content("journals.1")},
      [&](std::span<const std::byte> content) { restore_with("journals.1", content); }, kRefused));
}

// A file's header is changed, too.
TEST_F(SavedFilesFuzz, WholeFiles) {
  const std::string path = cluster_.directory() + "/checkpoint.2";
  std::ifstream file(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  const auto bytes = std::as_bytes(std::span(text));
  EXPECT_TRUE(survives(
      "whole files", {std::vector<std::byte>(bytes.begin(), bytes.end())},
      [&](std::span<const std::byte> content) {
        std::ofstream(path, std::ios::binary | std::ios::trunc)
            .write(reinterpret_cast<const char*>(content.data()),
                   static_cast<std::streamsize>(content.size()));
        cluster_.restore();
      },
      kRefused));
}

TEST_F(SavedFilesFuzz, JournalEntries) {
  EXPECT_TRUE(survives(
      "journal entries", {cluster_.entry()},
      [&](std::span<const std::byte> entry) {
        cluster_.replace_entry(entry);
        cluster_.restore();
      },
      kRefused));
}

}  // namespace
}  // namespace verbena::testing
