// TOML files of configurations and systems, overrides, lists of values, and figures' expressions.
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "experiments/config/config_file.h"
#include "experiments/config/resolve.h"
#include "experiments/config/series.h"
#include "experiments/reproduce/figure/data_table.h"
#include "experiments/reproduce/figure/expression.h"
#include "rdma/base/errors.h"
#include "tests/fuzz/mutations.h"
#include "txn/plan/plan_file.h"

namespace verbena::testing {
namespace {

using namespace experiments;

const IsRefusal kRefused = is_any_of<ConfigurationError>;

const std::vector<std::string_view> kTomlWords = {"[",
                                                  "]",
                                                  "[[",
                                                  "]]",
                                                  "{",
                                                  "}",
                                                  "=",
                                                  "\"",
                                                  "'''",
                                                  "\"\"\"",
                                                  "#",
                                                  "\n",
                                                  "nan",
                                                  "inf",
                                                  "-",
                                                  "1e999",
                                                  "0x",
                                                  "9223372036854775808",
                                                  "1979-05-27T07:32:00Z",
                                                  "true",
                                                  ".",
                                                  ",",
                                                  "\\u0000",
                                                  "\xff",
                                                  "\\",
                                                  "name = \"x\"\n",
                                                  "[nic]\n"};

TEST(ConfigurationFuzz, Files) {
  const std::string file = ::testing::TempDir() + "fuzzed.toml";
  const std::vector<std::string> seeds = {
      "nodes = 4\nduration = \"2ms\"\nseed = 7\nwarmup = \"100us\"\n[nic]\nname = \"connectx-4\"\n"
      "qp_cache_entries = 2048\n[workload]\nname = \"smallbank\"\n",
      "system = 'drtmh'\n[rdma]\nsignal_interval = 8\n[run]\nlog_ring_bytes = 65536\n"};
  EXPECT_TRUE(survives(
      "configuration files", seeds, kTomlWords,
      [&](const std::string& text) {
        std::ofstream(file, std::ios::trunc) << text;
        CommandLine line;
        line.config = read_config(open_config(file), line);
        resolve(line);
      },
      kRefused));
}

TEST(ConfigurationFuzz, Systems) {
  std::vector<std::string> seeds;
  for (const auto& [name, text] : txn::built_in_systems()) {
    if (txn::protocol_of({.name = name, .file = name, .text = text}) == "occ") {
      seeds.push_back(text);
    }
  }
  std::vector<std::string_view> words = kTomlWords;
  words.insert(words.end(), {"one-sided", "two-sided", "hybrid", "doorbell", "passive", "true"});
  EXPECT_TRUE(survives(
      "systems", seeds, words,
      [](const std::string& text) { txn::parse_plan("fuzzed", "fuzzed.toml", text); }, kRefused));
}

TEST(ConfigurationFuzz, Overrides) {
  const std::vector<std::string> seeds = {"nodes=4",
                                          "duration=2ms",
                                          "nic.qp_cache_entries=2048",
                                          "run.log_ring_bytes=65536",
                                          "plan.whole_log=true",
                                          "topology=fat-tree",
                                          "run.max_transactions=50",
                                          "fabric.rc_loss=0.03",
                                          "coroutines=4..64*2",
                                          "threads=1..9+2,12",
                                          "seed=18446744073709551615"};
  const std::vector<std::string_view> words = {
      "..",    ",",    "|",   "*",    "+",
      "=",     ".",    "us",  "ms",   "KiB",
      "1e308", "-1",   "nan", "inf",  "18446744073709551616",
      "0",     "0x10", " ",   "\xff", "*1",
      "+0",    "*0",   "%"};
  EXPECT_TRUE(survives(
      "overrides", seeds, words,
      [](const std::string& text) {
        const std::size_t equals = text.find('=');
        if (equals == std::string::npos) return;
        const Assignment assignment{
            .key = text.substr(0, equals), .value = text.substr(equals + 1), .place = "--set"};
        CommandLine line;
        line.sets.push_back(assignment);
        const auto series = expand_lists(line);
        resolve(series.lines.front());
      },
      kRefused));
}

TEST(ConfigurationFuzz, Expressions) {
  const std::vector<std::string> seeds = {
      "read[64] < write.p99[<=64] and max(read) >= 2 * min(write[8..64])",
      "mean(read[8..64]) / read[\"+CO\"] - -1.5 > 0", "(read + write) * 2 <= 10"};
  const std::vector<std::string_view> words = {"(",
                                               ")",
                                               "[",
                                               "]",
                                               "<",
                                               "<=",
                                               ">",
                                               ">=",
                                               "and",
                                               "read",
                                               "write",
                                               ".",
                                               "..",
                                               "max(",
                                               "mean(",
                                               "\"",
                                               "\"+CO\"",
                                               "1e999",
                                               "-",
                                               "/",
                                               "0",
                                               ",",
                                               "((((((((((((((((",
                                               "----------------",
                                               "nan"};
  const CurveLookup lookup = [](const std::string& series, const std::string& quantity) -> Curve {
    if (series != "read" && series != "write") throw ConfigurationError("no series " + series);
    if (!quantity.empty() && quantity != "p99") throw ConfigurationError("no " + quantity);
    return {{.at = "8", .x = 8, .y = 1}, {.at = "64", .x = 64, .y = 3}, {.at = "+CO", .x = 2}};
  };
  EXPECT_TRUE(survives(
      "expressions", seeds, words, [&](const std::string& text) { evaluate(text, lookup); },
      kRefused));
}

TEST(ConfigurationFuzz, TablesOfMeasuredNumbers) {
  const std::vector<std::string> seeds = {"# a comment\nx,y,z\n1,2,3\n4,5,6\n", "x\n1\n"};
  EXPECT_TRUE(survives(
      "tables", seeds, {",", "\n", "#", "\r", "\"", ",,", "\xff", "\n\n"},
      [](const std::string& text) { parse_data_table("fuzzed.csv", text); }, kRefused));
}

}  // namespace
}  // namespace verbena::testing
