// Systems by name and from files; each says which protocol reads it.
#include "txn/registry/load_system.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <variant>
#include <vector>

#include "rdma/base/errors.h"

namespace verbena::txn {
namespace {

std::string error_of(const std::string& system) {
  try {
    load_system(system);
  } catch (const ConfigurationError& error) {
    return error.what();
  }
  return "";
}

TEST(LoadSystem, EverySystemOfTheProgramTellsItsNames) {
  for (const std::string& name : system_names()) {
    const auto system = load_system(name);
    EXPECT_EQ(system->info().name, name);
    EXPECT_FALSE(system->info().description.empty()) << name;
    EXPECT_FALSE(system->info().phases.empty()) << name;
    EXPECT_FALSE(system->info().abort_causes.empty()) << name;
  }
}

TEST(LoadSystem, AnUnknownNameIsToldWithThoseThatExist) {
  const std::string error = error_of("drtm");
  EXPECT_NE(error.find("'drtm' is unknown; allowed are abdlock, drtmh, "), std::string::npos)
      << error;
}

TEST(LoadSystem, AnUnknownProtocolIsToldWithThoseThatExist) {
  const std::string file = ::testing::TempDir() + "unknown_protocol.toml";
  std::ofstream(file) << "protocol = \"paxos\"\n";
  EXPECT_EQ(error_of(file), file +
                                ": protocol 'paxos' is unknown; allowed are abdlock, nam, "
                                "nam-naive, occ, pilaf, prism-kv, prism-rs, prism-tx, si2pc");
  std::ofstream(file) << "protocol = 3\n";
  EXPECT_EQ(error_of(file), file + ":1: protocol: expected a text");
}

TEST(LoadSystem, AParametersTargetBelongsToItsSystem) {
  const auto one = load_system("drtmh");
  const auto other = load_system("drtmh");
  const auto target = [](System& system) {
    const auto sections = system.parameters();
    const auto run = std::find_if(sections.begin(), sections.end(),
                                  [](const auto& section) { return section.name == "run"; });
    const auto parameter = std::find_if(run->parameters.begin(), run->parameters.end(),
                                        [](const auto& p) { return p.name == "log_ring_bytes"; });
    return std::get<std::uint64_t*>(parameter->target);
  };
  *target(*one) = 4096;
  EXPECT_EQ(*target(*one), 4096U);
  EXPECT_EQ(*target(*other), 0U);
}

}  // namespace
}  // namespace verbena::txn
