// Profiles and overrides: what is accepted, and the one line that says what is wrong.
#include "simnic/profile/profile.h"

#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <string>

#include "rdma/base/errors.h"
#include "simnic/sim_fabric.h"

namespace verbena::simnic {
namespace {

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const ConfigurationError& error) {
    return error.what();
  }
  return "no error";
}

/// The built-in NIC profile with one piece of text replaced, as a file; what loading it says.
std::string error_with(const std::string& from, const std::string& to) {
  std::string text = *built_in_profile("nic", "connectx-4");
  const std::size_t place = text.find(from);
  EXPECT_NE(place, std::string::npos) << from;
  text.replace(place, from.size(), to);
  const std::string path = ::testing::TempDir() + "/profile_test.toml";
  std::ofstream(path) << text;
  std::string error = error_of([&] { load_nic_profile(path, {}); });
  EXPECT_EQ(error.find('\n'), std::string::npos);
  const std::size_t name = error.find(path);
  if (name != std::string::npos) error.replace(name, path.size(), "FILE");
  return error;
}

TEST(Profile, BuiltInsLoadAndNamesAreListed) {
  for (const std::string& name : built_in_profiles("nic")) {
    EXPECT_NO_THROW(load_nic_profile(name, {})) << name;
  }
  const NicProfile nic = load_nic_profile("connectx-4", {});
  EXPECT_EQ(nic.port_rate, 80 * 1024) << "100 Gb/s are 80 ps per byte";
  EXPECT_EQ(nic.qp_cache_entries, 280);
  EXPECT_EQ(load_cpu_profile("e5-2650v4", {}).dma_read_latency, to_picoseconds(547_ns));
  EXPECT_EQ(
      load_cpu_profile("e5-2650v4", {}).work[static_cast<std::size_t>(rdma::Work::kFiberSwitch)],
      to_picoseconds(20_ns));
  EXPECT_EQ(load_fabric_profile("edr-switch", {}).ud_loss, 0);
}

TEST(Profile, BuiltInsSayWhatTheyAreAndWhereTheirConstantsAreFrom) {
  for (const char* kind : {"nic", "cpu", "fabric"}) {
    for (const std::string& name : built_in_profiles(kind)) {
      const ProfileInfo info = profile_info(kind, name);
      EXPECT_FALSE(info.description.empty()) << name;
      EXPECT_FALSE(info.origin.empty()) << name;
    }
  }
  EXPECT_FALSE(profile_info("nic", "connectx-4").estimate);
  EXPECT_TRUE(profile_info("nic", "connectx-7").estimate);
  EXPECT_EQ(profile_info("nic", "connectx-4").fabric, "edr-switch");
  EXPECT_EQ(error_with("\nfabric", "\nestimate = \"no\"\nfabric"),
            "nic profile 'FILE': 'estimate' is the text 'no'; expected true or false");
  EXPECT_EQ(error_with("\nfabric = \"edr-switch\"", "\nfabric = 3"),
            "nic profile 'FILE': 'fabric' is 3; expected the name of a fabric profile");
}

TEST(Profile, PcieIsWhatNicAndHostCanDo) {
  NicProfile nic = load_nic_profile("connectx-3", {});
  CpuProfile cpu = load_cpu_profile("platinum-8480", {});
  EXPECT_EQ(pcie_link(nic, cpu).lanes, nic.pcie_lanes);
  EXPECT_EQ(pcie_link(nic, cpu).lane_rate, nic.pcie_lane_rate);
  nic = load_nic_profile("connectx-7", {});
  EXPECT_EQ(pcie_link(nic, cpu).rate(), cpu.pcie_lane_rate / cpu.pcie_lanes);
  cpu = load_cpu_profile("e5-2650v4", {});
  EXPECT_GT(cpu.pcie_lane_rate, nic.pcie_lane_rate) << "times per byte";
  EXPECT_EQ(pcie_link(nic, cpu).lane_rate, cpu.pcie_lane_rate);
}

TEST(Profile, AFileIsReadLikeABuiltIn) {
  EXPECT_EQ(error_with("value = 280", "value = 284"), "no error");
}

TEST(Profile, AnUnknownProfileIsNamedWithThoseThatExist) {
  std::string all;
  for (const std::string& name : built_in_profiles("nic")) all += (all.empty() ? "" : ", ") + name;
  EXPECT_NE(all.find("connectx-3, connectx-4"), std::string::npos);
  EXPECT_EQ(
      error_of([] { load_nic_profile("connectx-9", {}); }),
      "nic profile 'connectx-9' is neither built in (" + all + ") nor a file that can be read");
}

TEST(Profile, EveryConstantMustBeThere) {
  EXPECT_EQ(error_with("\natomic_slots", "\n# atomic_slots"),
            "nic profile 'FILE': constant 'atomic_slots' is missing");
}

TEST(Profile, AnUnknownConstantIsNamedWithTheNearest) {
  EXPECT_EQ(error_with("\natomic_slots", "\natomic_slot"),
            "nic profile 'FILE': constant 'atomic_slot' is unknown; did you mean atomic_slots?");
}

TEST(Profile, ValuesOutOfRangeUnitsAndSourcesAreChecked) {
  EXPECT_EQ(error_with("value = 280", "value = 0"),
            "nic profile 'FILE': constant 'qp_cache_entries' is 0; expected a multiple of 4 from 4 "
            "to 100000000");
  EXPECT_EQ(
      error_with("value = 280", "value = \"many\""),
      "nic profile 'FILE': constant 'qp_cache_entries': its value is the text 'many'; expected a "
      "multiple of 4 from 4 to 100000000");
  EXPECT_EQ(error_with("value = 280", "value = nan"),
            "nic profile 'FILE': constant 'qp_cache_entries' is nan; expected a multiple of 4 from "
            "4 to 100000000");
  EXPECT_EQ(error_with("value = 280", "valeu = 280"),
            "nic profile 'FILE': constant 'qp_cache_entries' has a member 'valeu', allowed are "
            "value, unit and source");
  EXPECT_EQ(error_with("value = 280", "value = [280]"),
            "nic profile 'FILE': constant 'qp_cache_entries': its value is a list; expected a "
            "multiple of 4 from 4 to 100000000");
  EXPECT_EQ(
      error_with("\nports = { value = 1, unit = \"ports\", source = \"one port\" }", "\nports = 1"),
      "nic profile 'FILE': constant 'ports' is 1; expected { value, unit, source }");
  EXPECT_EQ(
      error_with("value = 57.0, unit = \"ns\"", "value = 57.0, unit = \"us\""),
      "nic profile 'FILE': constant 'result_write_ns': its unit is the text 'us'; expected 'ns'");
  EXPECT_EQ(
      error_with("source = \"IBTA: immediate data\"", "source = \"\""),
      "nic profile 'FILE': constant 'immediate_bytes': its source is the text ''; expected a text "
      "that tells where the value is from");
  EXPECT_NE(error_with("value = 280", "value = = 280").find("line "), std::string::npos);
}

TEST(Options, OverrideConstantsAndTheLastOneWins) {
  Options options;
  options.set("nic.qp_cache_entries", "100");
  options.set("nic.qp_cache_entries", "2048");
  options.set("fabric.link_gbps", "200");
  EXPECT_EQ(load_nic_profile("connectx-4", options).qp_cache_entries, 2048);
  EXPECT_EQ(load_fabric_profile("edr-switch", options).link_rate, 40 * 1024);
}

TEST(Options, SayWhatIsWrong) {
  Options options;
  EXPECT_EQ(error_of([&] { options.set("nic.qp_cache_entrys", "1"); }),
            "constant 'nic.qp_cache_entrys' is unknown; did you mean nic.qp_cache_entries?");
  EXPECT_EQ(error_of([&] { options.set("fabric.ud_loss", "1.5"); }),
            "fabric.ud_loss = 1.5: expected a number from 0 to 1 (probability)");
  EXPECT_EQ(error_of([&] { options.set("cpu.fiber_switch_ns", "fast"); }),
            "cpu.fiber_switch_ns = fast: expected a number from 0 to 1000000 (ns)");
  EXPECT_EQ(
      error_of([&] { options.set("cpu.fiber_switch_ns", "nan"); }).find("cpu.fiber_switch_ns"), 0U);
}

struct Nonsense {
  const char* key;
  const char* value;
  const char* refusal;
};

class Values : public ::testing::TestWithParam<Nonsense> {};

TEST_P(Values, NamesWhatIsAllowed) {
  const auto& [key, value, refusal] = GetParam();
  EXPECT_EQ(error_of([&] { Options().set(key, value); }),
            std::string(key) + " = " + value + ": expected " + refusal);
}

INSTANTIATE_TEST_SUITE_P(
    OfEachKind, Values,
    ::testing::Values(
        Nonsense{"nic.ethernet", "0.5", "0 or 1"},
        Nonsense{"nic.ports", "1.5", "a whole number from 1 to 4 (ports)"},
        Nonsense{"nic.path_mtu_bytes", "1000", "256, 512, 1024, 2048 or 4096 (bytes)"},
        Nonsense{"nic.page_bytes", "5000", "a power of two from 4096 to 1073741824 (bytes)"},
        Nonsense{"nic.qp_cache_entries", "1.5", "a multiple of 4 from 4 to 100000000 (entries)"},
        Nonsense{"nic.mtt_cache_entries", "5", "a multiple of 4 from 4 to 100000000 (entries)"},
        Nonsense{"nic.max_qp", "1e9", "a whole number from 1 to 8388608 (queue pairs)"},
        Nonsense{"cpu.doorbell_ns", "-1", "a number from 0 to 100000 (ns)"}));

TEST(Options, TakeWhatIsAllowed) {
  Options options;
  for (const char* mtu : {"256", "512", "1024", "2048", "4096"}) {
    options.set("nic.path_mtu_bytes", mtu);
  }
  options.set("nic.ethernet", "1");
  options.set("nic.page_bytes", "8192");
  options.set("nic.mtt_cache_entries", "8");
  options.set("cpu.doorbell_ns", "0.5");
  EXPECT_EQ(load_nic_profile("connectx-4", options).mtt_cache_entries, 8);
}

TEST(Options, AllConstantsAreKnownByKey) {
  std::size_t nic = 0;
  Options options;
  for (const Parameter& constant : parameters(options)) {
    EXPECT_FALSE(constant.allowed.empty()) << constant.name;
    EXPECT_FALSE(constant.help.empty()) << constant.name;
    nic += constant.name.rfind("nic.", 0) == 0 ? 1 : 0;
  }
  EXPECT_GT(nic, 40U);
}

TEST(Options, AClusterMustHaveASizeThatIsPossible) {
  SimOptions options;
  options.nodes = 0;
  EXPECT_EQ(error_of([&] { make_sim_fabric(options); }), "nodes is 0, allowed are 1 to 49151");
  options.nodes = 2;
  options.nics_per_node = 17;
  EXPECT_EQ(error_of([&] { make_sim_fabric(options); }),
            "nics per node is 17, allowed are 1 to 16");
}

}  // namespace
}  // namespace verbena::simnic
