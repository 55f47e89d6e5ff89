// What command lines and configuration files mean, and what is said of those that mean nothing.
#include "experiments/cli/command_line.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "experiments/config/resolve.h"
#include "experiments/config/setting.h"
#include "experiments/config/tuning.h"
#include "experiments/config/workload_keys.h"
#include "rdma/base/errors.h"
#include "txn/occ/system.h"
#include "txn/plan/plan_file.h"

namespace verbena::experiments {
namespace {

std::vector<std::string> words(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> result;
  for (std::string word; stream >> word;) result.push_back(word);
  return result;
}

Options options_of(const std::string& line) { return resolve(parse_arguments(words(line)).line); }

std::string complaint_of(const std::vector<std::string>& arguments) {
  try {
    resolve(parse_arguments(arguments).line);
  } catch (const ConfigurationError& error) {
    return error.what();
  }
  return "(accepted)";
}

std::string complaint_of(const std::string& line) { return complaint_of(words(line)); }

std::string config_file(const std::string& content) {
  static int number = 0;
  std::string name =
      std::string(std::getenv("TEST_TMPDIR")) + "/" + std::to_string(number++) + ".toml";
  std::ofstream(name, std::ios::binary) << content;
  return name;
}

std::string config_complaint(const std::string& content) {
  const std::string name = config_file(content);
  const std::string complaint = complaint_of({"run", "--config", name});
  const std::size_t at = complaint.find(name);
  return at == std::string::npos ? complaint : complaint.substr(at + name.size());
}

std::vector<std::string> payloads_and_windows(const Options& options) {
  std::vector<std::string> values;
  values.reserve(options.measurements.size());
  for (const Options& each : options.measurements) {
    values.push_back(std::to_string(each.payload) + "/" + std::to_string(each.window));
  }
  return values;
}

TEST(Lists, CombineToOneMeasurementForEachOfTheirValues) {
  const Options options = options_of("bench read --window 1,2 --payload 8,64");
  EXPECT_EQ(payloads_and_windows(options),
            (std::vector<std::string>{"8/1", "8/2", "64/1", "64/2"}));
  EXPECT_EQ(options.lists.at("payload"), "8,64");
  EXPECT_NE(replay_command(options).find("--payload 8,64 --window 1,2"), std::string::npos);
  EXPECT_TRUE(options_of("bench read --payload 8").measurements.empty());
}

TEST(Lists, GiveWayToALaterValueAndReplaceAnEarlierOne) {
  EXPECT_TRUE(options_of("bench read --payload 8,64 --set payload=16").measurements.empty());
  EXPECT_EQ(
      payloads_and_windows(options_of("bench read --payload 16 --set payload=8,64 --window 3")),
      (std::vector<std::string>{"8/3", "64/3"}));
}

TEST(Lists, OfAFileMayBeNumbers) {
  const Options options = resolve(
      parse_arguments({"bench", "read", "--config", config_file("payload = [8, 64]\nwindow = 2\n")})
          .line);
  EXPECT_EQ(payloads_and_windows(options), (std::vector<std::string>{"8/2", "64/2"}));
}

TEST(Lists, LeaveDefaultsToFollowFromEachValue) {
  const Options options = options_of("bench rpc --nodes 2,5 --payload 8,100");
  ASSERT_EQ(options.measurements.size(), 4U);
  for (const Options& each : options.measurements) {
    EXPECT_EQ(each.clients, each.nodes);
    EXPECT_EQ(each.servers, each.nodes);
    EXPECT_EQ(each.request_payload, each.payload);
  }
}

TEST(Lists, AreNeitherOfOtherCommandsNorOfWhatHasCommas) {
  EXPECT_EQ(complaint_of("run --nodes 4,8"), "--nodes 4,8: expected a whole number from 1 to 1024");
  EXPECT_TRUE(
      options_of("bench read --nodes 4 --topology fat-tree:2;2,2;1,2;1,2").measurements.empty());
}

TEST(Defaults, RunIsThePapersCluster) {
  const Options options = options_of("run");
  EXPECT_EQ(options.fabric, "sim");
  EXPECT_EQ(options.nodes, 16U);
  EXPECT_EQ(options.threads, 24U);
  EXPECT_EQ(options.nics_per_node, 2U);
  EXPECT_EQ(options.nic, "connectx-4");
  EXPECT_EQ(options.system, "drtmh");
  EXPECT_EQ(options.workload, "smallbank");
  EXPECT_EQ(options.replicas, 3U);
}

TEST(Defaults, EveryDefaultIsAllowed) {
  for (const Command command : {Command::kRun, Command::kBench}) {
    for (const bool simulated : {true, false}) {
      const Options options = default_options(command, "read", simulated, 0);
      for (const Setting& setting : settings()) {
        const std::string text = value_text(setting, options);
        const bool left_open = text.empty() || (setting.name == "port" && text == "0");
        if (left_open || (setting.commands & command_bit(command)) == 0) continue;
        Options copy = options;
        EXPECT_NO_THROW(assign(setting, text, setting.name, copy)) << setting.name << " " << text;
      }
    }
  }
}

TEST(Defaults, EverySimulatedBenchNodeIsAClient) {
  EXPECT_EQ(options_of("bench read --nodes 5").clients, 5U);
  EXPECT_EQ(options_of("bench read --nodes 5 --clients 2").clients, 2U);
}

TEST(Defaults, NoMoreNicsThanThreads) {
  EXPECT_EQ(options_of("run --threads 1").nics_per_node, 1U);
  EXPECT_EQ(options_of("run --threads 8").nics_per_node, 2U);
}

TEST(Defaults, PeersSayHowManyNodesThereAre) {
  EXPECT_EQ(options_of("run --fabric verbs --peers a:1,b:2,c:3,d:4 --node 3").nodes, 4U);
}

TEST(Precedence, ConfigurationThenFlagsThenSet) {
  const std::string file = config_file("nodes = 4\nthreads = 4\nseed = 4\n");
  const Options options = options_of("run --set seed=6 --threads 5 --config " + file + " --seed 5");
  EXPECT_EQ(options.nodes, 4U);
  EXPECT_EQ(options.threads, 5U);
  EXPECT_EQ(options.seed, 6U);
}

TEST(Configuration, SectionsHoldOverridesAndNames) {
  const std::string file = config_file(
      "duration = \"1ms\"\nverify = true\n[nic]\nname = \"connectx-4\"\nqp_cache_entries = 2048\n"
      "[fabric]\nname = \"sim\"\nud_loss = 0.01\n[plan]\nname = \"log=two-sided\"\n");
  const Options options = options_of("run --config " + file);
  EXPECT_EQ(options.duration, kMillisecond);
  EXPECT_TRUE(options.verify);
  EXPECT_EQ(options.nic, "connectx-4");
  EXPECT_EQ(options.overrides.at("nic.qp_cache_entries"), "2048");
  EXPECT_EQ(options.overrides.at("fabric.ud_loss"), "0.01");
  EXPECT_EQ(options.plan, "log=two-sided");
}

TEST(Configuration, PeersMayBeAList) {
  const std::string file =
      config_file("fabric = \"verbs\"\npeers = [\"a:1\", \"b:2\", \"c:3\"]\nnode = 1\n");
  EXPECT_EQ(options_of("run --config " + file).peer_list(),
            (std::vector<std::string>{"a:1", "b:2", "c:3"}));
}

TEST(Tuning, OverridesReachTheirLayer) {
  const Tuning tuning = make_tuning(
      options_of("run --set rdma.signal_interval=7 --plan log=two-sided,execute.cache=off "
                 "--set rdma.rpc_timeout=3ms"));
  EXPECT_EQ(tuning.run.endpoint.signal_interval, 7U);
  const txn::Plan& plan = dynamic_cast<const txn::occ::System&>(*tuning.system).options().plan;
  EXPECT_EQ(plan.log.primitive, txn::Primitive::kTwoSided);
  EXPECT_FALSE(plan.location_cache);
  EXPECT_EQ(tuning.run.endpoint.rpc.timeout, 3 * kMillisecond);
}

TEST(ChosenWorkload, HasTheParametersThatWereSet) {
  const auto factory =
      chosen_workload(options_of("run --workload tpcc --warehouses 32 --set workload.items=200"));
  for (const Parameter& parameter : factory->parameters()) {
    if (parameter.name == "items") {
      EXPECT_EQ(*std::get<std::uint32_t*>(parameter.target), 200U);
    } else if (parameter.name == "warehouses") {
      EXPECT_EQ(*std::get<std::optional<std::uint32_t>*>(parameter.target), 32U);
    }
  }
}

TEST(Tuning, InitialValuesOfAllKeysAreAllowed) {
  for (const OverrideKey& key : override_keys()) {
    if (key.simulated_only) continue;
    Options options = options_of("run");
    EXPECT_NO_THROW(check_override(key.key, key.initial, options)) << key.key << key.initial;
  }
}

TEST(Replay, TheCommandLineGivesTheSameOptions) {
  for (const char* line :
       {"run", "run --nodes 4 --verify --chaos --duration 1.5ms --seed 99",
        "run --set fabric.ud_loss=0.01 --plan log=two-sided,commit.passive_ack=off",
        "run --system farm --set plan=execute.cache=on",
        "run --fabric verbs --peers a:1,b:2,c:3 --node 0 --device rxe0 --port 1 --gid-index 1",
        "bench read --nodes 3", "bench send --fabric verbs --payload 128 --clients 2",
        "bench rpc --window 9 --doorbell each", "run --threads 1",
        "run --threads 8 --nics-per-node 1"}) {
    const Options options = options_of(line);
    std::vector<std::string> again = words(replay_command(options));
    ASSERT_EQ(again.front(), "verbena");
    again.erase(again.begin());
    const Options repeated = resolve(parse_arguments(again).line);
    for (const Setting& setting : settings()) {
      EXPECT_EQ(value_text(setting, repeated), value_text(setting, options))
          << setting.name << " of " << line;
    }
    EXPECT_EQ(repeated.overrides, options.overrides) << line;
    EXPECT_EQ(repeated.operation, options.operation) << line;
  }
}

TEST(Help, IsThereForEveryCommand) {
  for (const char* line :
       {"--help", "run --help", "bench --help", "list --help", "doctor --help"}) {
    const ParsedArguments parsed = parse_arguments(words(line));
    ASSERT_TRUE(parsed.text.has_value()) << line;
    EXPECT_NE(parsed.text->find("Usage: verbena"), std::string::npos) << line;
  }
  EXPECT_EQ(parse_arguments({"--version"}).text->rfind("verbena ", 0), 0U);
}

struct Complaint {
  const char* line;
  const char* message;
};

TEST(Complaints, NameTheThingItsValueAndWhatIsAllowed) {
  constexpr Complaint kComplaints[] = {
      {"",
       "a command is missing: run, bench, reproduce, explain, list or doctor (verbena --help "
       "explains)"},
      {"rnu", "unknown command 'rnu'; did you mean run?"},
      {"--nodes 4 run", "--nodes: flags follow the command, as in verbena run --nodes"},
      {"run list", "unexpected argument 'list' of run"},
      {"run --nods 4", "unknown flag --nods; did you mean --nodes?"},
      {"run --nodes", "--nodes: needs a value"},
      {"run --nodes= --seed 1", "--nodes: needs a value"},
      {"run --nodes --threads 4", "--nodes: needs a value"},
      {"run --nodes 4 5", "unexpected argument '5' of run"},
      {"run --nodes 4 --nodes 4", "--nodes: given 2 times"},
      {"run --verify --verify", "--verify: given 2 times"},
      {"run --nodes 3.5", "--nodes 3.5: expected a whole number from 1 to 1024"},
      {"run --nodes -3", "--nodes -3: expected a whole number from 1 to 1024"},
      {"run --threads 0", "--threads 0: expected a whole number from 1 to 256"},
      {"run --seed 18446744073709551616",
       "--seed 18446744073709551616: expected a whole number from 0 to 18446744073709551615"},
      {"run --duration 5",
       "--duration 5: expected a time from 1us to 3600s with its unit (ns, us, ms, s, min)"},
      {"run --nodes 2",
       "--nodes 2 is fewer than --replicas 3: every replica needs a node of its own"},
      {"run --threads 2 --nics-per-node 3", "--nics-per-node 3 is more than --threads 2"},
      {"run --fabric simm", "--fabric simm: unknown fabric; did you mean sim? (known: sim, verbs)"},
      {"run --payload 8", "--payload: does not apply to run"},
      {"run --device mlx5_0", "--device: applies to --fabric verbs only"},
      {"run --fabric verbs --nic connectx-4", "--nic: applies to --fabric sim only"},
      {"run --fabric verbs --set fabric.ud_loss=0.1",
       "--set: fabric.ud_loss: applies to --fabric sim only"},
      {"run --set novalue", "--set novalue: expected KEY=VALUE, e.g. fabric.ud_loss=0.01"},
      {"run --set nodse=4", "--set nodse: unknown key; did you mean nodes?"},
      {"run --set nic.qp_cache_entires=1",
       "--set: unknown key 'nic.qp_cache_entires'; did you mean nic.qp_cache_entries?"},
      {"run --set rdma.signal_interval=0",
       "--set: rdma.signal_interval = 0: expected a whole number from 1 to 8192"},
      {"run --set rdma.rpc_timeout=5",
       "--set: rdma.rpc_timeout = 5: expected a time from 1us to 3600s with its unit"},
      {"run --plan log=rpc",
       "--plan log=rpc: unknown primitive 'rpc'; allowed are one-sided, two-sided, hybrid"},
      {"run --set plan=log.passive=on",
       "--set plan log.passive=on: unknown option 'passive' of phase log; allowed are outstanding, "
       "doorbell, passive_ack, whole"},
      {"bench read --plan execute.cache=off", "--plan: does not apply to bench"},
      {"bench read --set workload.hot_share=0.5",
       "--set: workload.hot_share: does not apply to bench"},
      {"run --warehouses 16",
       "--warehouses 16: workload smallbank has no warehouses, tpcc-no and tpcc have"},
      {"run --remote-percent 10",
       "--remote-percent 10: workload smallbank has no warehouses, tpcc-no and tpcc have"},
      {"run --warehouses 0", "--warehouses 0: expected a whole number from 1 to 65535, or auto"},
      {"run --remote-percent 101",
       "--remote-percent 101: expected a whole number from 0 to 100, or auto"},
      {"run --set workload.items=1000",
       "workload.items: is a parameter of --workload tpcc-no and tpcc, not of smallbank"},
      {"list plan", "unknown topic 'plan' of list; did you mean plans?"},
      {"run --config /", "--config /: is a directory"},
      {"run --config /nonexistent", "--config /nonexistent: No such file or directory"},
      {"run --config /dev/zero", "--config /dev/zero: is larger than 1048576 bytes"},
      {"run --fabric verbs --node 1", "--node 1: needs --peers, the addresses of all nodes"},
      {"run --fabric verbs --peers a:1,b:2,c:3",
       "--peers: needs --node, which of them this process is"},
      {"run --fabric verbs --peers a:1,b:2,c:3 --node 3",
       "--node 3: expected a whole number from 0 to 2"},
      {"run --fabric verbs --peers a:1,b:2,c:3 --node 0 --nodes 4",
       "--peers names 3 nodes, but --nodes is 4"},
      {"run --fabric verbs --peers a:1,b,c:3 --node 0",
       "--peers a:1,b,c:3: 'b' is not host:port with a port from 1 to 65535"},
      {"run --fabric verbs --gid-index x",
       "--gid-index x: expected auto or a whole number from 0 to 255"},
      {"bench",
       "bench: an operation is missing: read, write, send, rpc, write-rpc, cas, faa, "
       "multi-read, multi-write"},
      {"bench raed", "unknown operation 'raed' of bench; did you mean read?"},
      {"bench read write", "unexpected argument 'write' of bench"},
      {"bench cas --payload 16", "--payload 16: an atomic operation takes 8 bytes"},
      {"bench read --nodes 4 --clients 5", "--clients 5 is more than --nodes 4"},
      {"list --nodes 3", "--nodes: does not apply to list"},
  };
  for (const Complaint& complaint : kComplaints) {
    EXPECT_EQ(complaint_of(complaint.line), complaint.message) << complaint.line;
  }
}

TEST(Complaints, OfNamesTellTheNearestAndAll) {
  EXPECT_EQ(complaint_of("run --system drtmhh")
                .rfind("--system drtmhh: unknown system; did you mean drtmh? (known: ", 0),
            0U);
  EXPECT_EQ(complaint_of("run --nic conectx-4")
                .rfind("--nic conectx-4: unknown nic; did you mean connectx-4? (known: ", 0),
            0U);
  EXPECT_NE(complaint_of("run --set fabric.ud_loss=2").find("fabric.ud_loss"), std::string::npos);
}

TEST(Complaints, OfEmptyAndBinaryTextsStayOnOneLine) {
  EXPECT_EQ(complaint_of({"run", "--nodes", ""}),
            "--nodes '': expected a whole number from 1 to 1024");
  EXPECT_EQ(complaint_of({"run", "--nodes", "1\n2\xff"}),
            "--nodes 1?2?: expected a whole number from 1 to 1024");
  EXPECT_EQ(complaint_of({"run", "--set", "a\nb=1"}).find('\n'), std::string::npos);
}

TEST(Complaints, OfFilesTellLineAndColumn) {
  EXPECT_EQ(config_complaint("nodes = 4\nnodes = 3\n").rfind(":2:", 0), 0U);
  EXPECT_EQ(config_complaint("seed = 1\nnodes = \n").rfind(":2:9: ", 0), 0U);
  EXPECT_EQ(config_complaint("x\xff = 1").rfind(":1:", 0), 0U);
  EXPECT_EQ(config_complaint("seed = 1\nnodes = 3.5\n"),
            ":2:9: nodes 3.5: expected a whole number from 1 to 1024");
  EXPECT_EQ(config_complaint("[rdma]\nsignal_intervall = 8\n"),
            ":2:20: unknown key 'rdma.signal_intervall'; did you mean rdma.signal_interval?");
  EXPECT_EQ(config_complaint("seed = 1979-05-27\n"),
            ":1:8: seed: expected a string, a number, true or false");
  EXPECT_EQ(config_complaint("payload = 4\n"), ":1:11: payload: does not apply to run");
  EXPECT_EQ(config_complaint("# nothing\n"), "(accepted)");
}

TEST(Results, AreRefusedForAnotherCommandAndWhenTheyAreNone) {
  const std::string schema = R"({"schema": {"name": "verbena.results", "version": 2}, )";
  const std::string bench =
      config_file(schema + R"("config": {"command": "bench", "operation": "read"}})");
  EXPECT_EQ(complaint_of("run --config " + bench),
            "--config " + bench + ": is of verbena bench read, not of verbena run");
  EXPECT_EQ(complaint_of("bench write --config " + bench),
            "--config " + bench + ": is of verbena bench read, not of verbena bench write");
  EXPECT_EQ(complaint_of("bench read --config " + bench), "(accepted)");
  EXPECT_EQ(config_complaint("{\"config\": "), ": begins like JSON but is none");
  EXPECT_EQ(config_complaint("{}"), ": schema.name is not verbena.results, so it holds no results");
  EXPECT_EQ(config_complaint(R"({"schema": {"name": "verbena.results"}, "config": {}})"),
            ": schema.version is missing; expected 2");
  EXPECT_EQ(config_complaint(schema + "\"seed\": 1}"),
            ": has no member config, so it holds no results");
  EXPECT_EQ(config_complaint(schema + R"("config": {"command": "run", "nodes": 2.5}})"),
            ": nodes 2.5: expected a whole number from 1 to 1024");
}

TEST(Profiles, OfFilesAreRememberedByTheirWholePath) {
  const std::filesystem::path file =
      std::filesystem::path(::testing::TempDir()).lexically_normal() / "mine.toml";
  std::ofstream(file) << txn::built_in_systems().at("farm");
  const std::filesystem::path near = std::filesystem::proximate(file);
  EXPECT_EQ(options_of("run --system " + (near.parent_path() / "." / "mine.toml").string()).system,
            file);
  EXPECT_EQ(options_of("run --nic connectx-4").nic, "connectx-4");
}

}  // namespace
}  // namespace verbena::experiments
