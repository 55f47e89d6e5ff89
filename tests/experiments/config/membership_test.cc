// The cluster of a process whose arguments are refused, as far as it can be known.
#include "experiments/config/membership.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace verbena::experiments {
namespace {

// "1 of a:1 b:2"; "none".
std::string membership(const std::string& line) {
  std::istringstream words(line);
  std::vector<std::string> arguments;
  for (std::string word; words >> word;) arguments.push_back(word);
  const auto found = membership_of(arguments);
  if (!found) return "none";
  std::string text = std::to_string(std::uint16_t{found->node}) + " of";
  for (const std::string& peer : found->peers) text += " " + peer;
  return text;
}

std::string file_of(const std::string& name, const std::string& text) {
  std::string file = ::testing::TempDir() + name;
  std::ofstream(file) << text;
  return file;
}

TEST(Membership, IsFoundAmongFlagsThatAreNone) {
  EXPECT_EQ(membership("run --peers a:1,b:2 --node 1 --threads 0"), "1 of a:1 b:2");
  EXPECT_EQ(membership("run --node=0 --thread 2 --peers=a:1,[::1]:2 x"), "0 of a:1 [::1]:2");
  EXPECT_EQ(membership("bench raed --set node=1 --set peers=a:1,b:2 --set"), "1 of a:1 b:2");
  EXPECT_EQ(membership("run --peers a:1,b:2 --node 0 --set node=1"), "1 of a:1 b:2")
      << "as resolved";
}

TEST(Membership, IsFoundInFiles) {
  const std::string toml =
      file_of("cluster.toml", "peers = ['a:1', 'b:2']\nnode = 1\nthread = 2\n");
  EXPECT_EQ(membership("run --config " + toml + " --threads 0"), "1 of a:1 b:2");
  EXPECT_EQ(membership("run --config=" + toml + " --node 0"), "0 of a:1 b:2");
  const std::string results = file_of("results.json",
                                      R"({"schema": {"name": "verbena.results", "version": 2},
          "config": {"command": "bench", "operation": "read", "peers": "a:1,b:2", "node": 1}})");
  EXPECT_EQ(membership("bench --config " + results + " --threads 0"), "1 of a:1 b:2");
}

TEST(Membership, IsUnknownWhereItIsNotSaidOnceAndRight) {
  for (const char* line :
       {"", "run", "run --peers a:1,b:2", "run --node 1", "run --peers a:1,b:2 --node 2",
        "run --peers a:1,b --node 1", "run --peers a:1,a:1 --node 1", "run --peers --node 1",
        "run --peers a:1,b:2 --node one", "run --peers a:1,b:2 --node 1 --node 0",
        "run --peers a:1,b:2 --peers a:1,b:2 --node 1", "hunt --peers a:1,b:2 --node 1",
        "run --config /nowhere --node 1", "run --config"}) {
    EXPECT_EQ(membership(line), "none") << line;
  }
  const std::string broken = file_of("broken.toml", "peers = 'a:1,b:2'\nnode = 1\n=");
  EXPECT_EQ(membership("run --config " + broken), "none");
}

}  // namespace
}  // namespace verbena::experiments
