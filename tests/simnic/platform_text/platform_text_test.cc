// Platform files' own words: hosts, settings and links are known by them, and others refused.
#include "simnic/platform_text/platform_text.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "rdma/base/errors.h"

namespace verbena::simnic {
namespace {

std::string written(const std::string& name, const std::string& text) {
  std::string path = testing::TempDir() + name;
  std::ofstream(path) << text;
  return path;
}

PlatformText text_of(const std::string& inside) {
  return read_platform_text(written(
      "p.xml", "<?xml version='1.0'?><!DOCTYPE platform SYSTEM 'x'><platform version='4.1'>" +
                   inside + "</platform>"));
}

std::string refusal_of(const std::string& inside) {
  try {
    text_of(inside);
  } catch (const ConfigurationError& error) {
    return error.what();
  }
  return "none";
}

std::string in_zone(const std::string& inside) {
  return "<zone id='z' routing='Full'>" + inside + "</zone>";
}

/// Says why a link whose profile has these lines is refused.
std::string refusal_of_profile(const std::string& lines) {
  written("lines.txt", lines);
  return refusal_of(in_zone("<link id='l' bandwidth_file='lines.txt'/>"));
}

/// Says why a cluster with these attributes is refused.
std::string refusal_of_cluster(const std::string& attributes) {
  return refusal_of("<cluster id='c' " + attributes + "/>");
}

TEST(PlatformText, HostsThatHaveProfilesAreKnownByTheNamesThatSimGridReads) {
  const PlatformText text = text_of(in_zone(
      "<host id='a&amp;b' state_file='off.txt'/><host id=\"&#99;&#x64;\" speed_file='slow.txt'/>"
      "<peer id='p' availability_file='old.txt'/><host id='none' state_file=''/>"));
  EXPECT_EQ(text.host_profiles,
            (std::map<std::string, std::string>{{"a&b", "state_file off.txt"},
                                                {"cd", "speed_file slow.txt"},
                                                {"p", "availability_file old.txt"}}));
}

TEST(PlatformText, ConnectionsOfTracesWithoutAKindAreOfHosts) {
  const PlatformText text = text_of(
      "<trace_connect trace='s' element='a'/><trace_connect kind='SPEED' trace='t' element='b'/>"
      "<trace_connect kind='BANDWIDTH' trace='u' element='l'/>");
  EXPECT_EQ(text.host_profiles,
            (std::map<std::string, std::string>{{"a", "trace s"}, {"b", "trace t"}}));
}

TEST(PlatformText, OnlySettingsAreOfAConfig) {
  const std::string host = in_zone("<host id='a'><prop id='ram' value='8GiB'/></host>");
  EXPECT_TRUE(text_of("<config id='x'/>" + host).settings.empty());
  EXPECT_TRUE(
      text_of("<config><!--<prop id='tracing' value='yes'/>--></config>" + host).settings.empty());
  const PlatformText text =
      text_of("<config><prop id='network/optim' value='Full'></prop></config>" + host);
  ASSERT_EQ(text.settings.size(), 1U);
  EXPECT_EQ(text.settings[0].first, "network/optim");
  EXPECT_EQ(text.settings[0].second, "Full");
}

TEST(PlatformText, AValueIsNoFurtherSettings) {
  for (const char* separator : {" ", ",", "\n", "&#10;", "\t"}) {
    const std::string value = std::string("Full") + separator + "tracing:yes";
    EXPECT_NE(refusal_of("<config><prop id='network/optim' value='" + value + "'/></config>")
                  .find("its <config> gives network/optim the value Full"),
              std::string::npos)
        << separator;
  }
  // Not known to SimGrid outside MPI programs.
  EXPECT_NE(refusal_of("<config><prop id='smpi/os' value='0:1:2'/></config>").find("sets smpi/os"),
            std::string::npos);
}

TEST(PlatformText, ProfilesOfDatesAndValues) {
  for (const char* lines :
       {"", "# none\n\n% at all\n", "0 5e8\n0.5 1e9\n", "  0.0\t5e8  \r\n1 1e9\r\n",
        "PERIODICITY 1\n0 5e8\n1 1e9\n", "0.5 5e8\nLOOPAFTER 0\n", "0 1\nLOOPAFTER 0.000001"}) {
    EXPECT_EQ(refusal_of_profile(lines), "none") << lines;
  }
}

TEST(PlatformText, ProfilesThatNoSimulationGetsThrough) {
  for (const auto& [lines, again] : std::map<std::string, std::string>{
           {"0 5e8\nLOOPAFTER 0\n", "line \"LOOPAFTER 0\", so that it begins again after 0s"},
           {"0 5e8\rLOOPAFTER 1e-9\r", "line \"LOOPAFTER 1e-9\", so"},
           {"0 1\n1e-4 2\nPERIODICITY 5e-5",
            "line \"PERIODICITY 5e-5\", so that it begins again after 50us; expected 1us or more"},
           {"0.5 1\n0.9 2\nPERIODICITY 0.4", "line \"PERIODICITY 0.4\", so"},
           {"PERIODICITY 0\n0 1", "line \"PERIODICITY 0\", so"}}) {
    EXPECT_EQ(refusal_of_profile(lines).rfind("profile lines.txt has the " + again, 0), 0U)
        << refusal_of_profile(lines);
  }
  EXPECT_EQ(refusal_of_profile("PERIODICITY 1\n0 1\nLOOPAFTER 1\n"),
            "profile lines.txt has the line \"PERIODICITY 1\" and the line \"LOOPAFTER 1\"; "
            "expected one of them");
}

TEST(PlatformText, LinesOfProfilesAreOfNumbers) {
  for (const char* line :
       {"0.1", "0.1 5e8 more", "hello world", "0.1 -5", "-0.1 5", "0.1 nan", "inf 5", "0.1 inf",
        "1e999 5", "0.1 5e8x", "LOOPAFTER", "LOOPAFTER0", "LOOPAFTER -1", "PERIODICITY x",
        "STOCHASTIC", "STOCHASTIC LOOP", "DET 0.1 NORM 5 1"}) {
    EXPECT_NE(refusal_of_profile(std::string(line) + "\n")
                  .find("profile lines.txt has the line \"" + std::string(line) + "\"; expected"),
              std::string::npos)
        << line;
  }
}

TEST(PlatformText, TracesAreProfiles) {
  const auto refusal = [](const std::string& periodicity, const std::string& content) {
    return refusal_of("<trace id='t' periodicity='" + periodicity + "'>" + content + "</trace>");
  };
  EXPECT_EQ(refusal("1.0", "\n0.0 1.0\n0.5 0.8\n"), "none");
  EXPECT_EQ(refusal("-1", "\n0.0 1.0\n<!-- LOOPAFTER 0 -->\n"), "none");
  EXPECT_EQ(refusal("1e-18", "\n0.0 1.0\n").rfind("trace t has the periodicity \"1e-18\", so", 0),
            0U);
  const std::string again = "trace t has the line \"LOOPAFTER 0\", so";
  for (const char* content :
       {"\n0.0 1.0\nLOOPAFTER 0\n", "\n0.0 1.0\n&#76;OOPAFTER 0\n",
        "\n0.0 1.0\n<!-- so -->LOOPAFTER 0\n", "<![CDATA[\n0.0 1.0\nLOOPAFTER 0\n]]>"}) {
    EXPECT_EQ(refusal("-1", content).rfind(again, 0), 0U) << content;
  }
  EXPECT_EQ(refusal("often", "0 1").rfind("trace t has the periodicity \"often\"; expected", 0),
            0U);
}

TEST(PlatformText, FilesOfProfilesAreFoundByTheNamesThatSimGridReads) {
  written("a&b.txt", "0 5e8\nLOOPAFTER 0\n");
  EXPECT_NE(refusal_of(in_zone("<link id='l' bandwidth_file='a&amp;b.txt'/>")).find("a&b.txt has"),
            std::string::npos);
}

// SimGrid would take the one of the working directory, in silence.
TEST(PlatformText, ProfilesOfTwoPlacesThatDiffer) {
  const std::string link = in_zone("<link id='l' bandwidth_file='two.txt'/>");
  written("two.txt", "0 5e8\n");
  std::ofstream("two.txt") << "0 5e8\n";
  EXPECT_EQ(refusal_of(link), "none") << "alike";
  std::ofstream("two.txt") << "0 6e8\n";
  EXPECT_NE(refusal_of(link).find("profile two.txt: there is one in the working directory"),
            std::string::npos);
  std::filesystem::remove("two.txt");
  EXPECT_EQ(refusal_of(link), "none");
}

TEST(PlatformText, ParametersOfTopologies) {
  const auto refusal = [](const std::string& topology, const std::string& parameters) {
    return refusal_of_cluster("topology='" + topology + "' topo_parameters='" + parameters + "'");
  };
  EXPECT_EQ(refusal("TORUS", "4,2, 2"), "none");
  EXPECT_EQ(refusal("FAT_TREE", "2;4,4;1,2;1,2"), "none");
  EXPECT_EQ(refusal("DRAGONFLY", "2,4;2,3;2,1;2"), "none");
  const std::string begin = "cluster c has the topo_parameters \"";
  EXPECT_EQ(refusal("TORUS", "-2,-2"), begin + "-2,-2\"; expected whole numbers between commas");
  EXPECT_EQ(refusal("TORUS", "2;2"), begin + "2;2\"; expected whole numbers between commas");
  EXPECT_EQ(refusal("DRAGONFLY", "8,1;1,1;2,1;1"),
            begin + "8,1;1,1;2,1;1\"; expected as many routers in a chassis as groups, or more");
}

TEST(PlatformText, FatPipesOfClusters) {
  const std::string fat = " sharing_policy='FATPIPE'";
  EXPECT_EQ(text_of("<cluster id='c'" + fat + "/>").fat_clusters, std::vector<std::string>{"c"});
  EXPECT_EQ(text_of("<cluster id='c' topology='FLAT'" + fat + "/>").fat_clusters,
            std::vector<std::string>{"c"});
  EXPECT_TRUE(text_of("<cluster id='c' bb_sharing_policy='FATPIPE'/>").fat_clusters.empty());
  EXPECT_NE(refusal_of_cluster("topology='TORUS' topo_parameters='4,4'" + fat)
                .find("cluster c has the sharing_policy \"FATPIPE\"; expected SHARED"),
            std::string::npos);
}

TEST(PlatformText, LatenciesOfPeersAreRefused) {
  EXPECT_NE(refusal_of(in_zone("<peer id='p' lat='1s'/>")).find("peer p has the lat 1s"),
            std::string::npos);
  EXPECT_EQ(refusal_of(in_zone("<peer id='p' lat='0'/>")), "none");
}

TEST(PlatformText, DeploymentsAndPartsOfFilesAreNoPlatforms) {
  EXPECT_EQ(refusal_of("<actor host='a' function='master'/>"),
            "has the <actor> master, as deployments have; expected hosts, links and routes only");
  EXPECT_EQ(refusal_of("<process host='a' function='f'/>").rfind("has the <process> f", 0), 0U);
  EXPECT_NE(refusal_of("<include file='x.xml'/>").find("<include>"), std::string::npos);
}

}  // namespace
}  // namespace verbena::simnic
