// Meaning of command lines and configuration files, and complaints about those that mean nothing.
#include "experiments/cli/command_line.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "experiments/config/commands/registry.h"
#include "experiments/config/resolve.h"
#include "rdma/base/errors.h"
#include "txn/occ/system.h"
#include "txn/plan/plan_file.h"
#include "txn/registry/load_system.h"
#include "workloads/registry/registry.h"

namespace verbena::experiments {
namespace {

std::vector<std::string> words(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> result;
  for (std::string word; stream >> word;) result.push_back(word);
  return result;
}

AnyCommand command_of(const std::vector<std::string>& arguments) {
  return resolve(parse_arguments(arguments).line);
}

RunCommand run_of(const std::string& line) { return std::get<RunCommand>(command_of(words(line))); }

BenchCommand bench_of(const std::string& line) {
  return std::get<BenchCommand>(command_of(words(line)));
}

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

std::vector<std::string> payloads_and_windows(const BenchCommand& command) {
  std::vector<std::string> values;
  values.reserve(command.measurements.size());
  for (const BenchCommand& each : command.measurements) {
    values.push_back(std::to_string(each.bench.payload_bytes) + "/" +
                     std::to_string(each.bench.window));
  }
  return values;
}

TEST(Lists, CombineToOneMeasurementForEachOfTheirValues) {
  const BenchCommand command = bench_of("bench read --window 1,2 --payload 8,64");
  EXPECT_EQ(payloads_and_windows(command),
            (std::vector<std::string>{"8/1", "8/2", "64/1", "64/2"}));
  EXPECT_EQ(command.record.lists.at("payload"), "8,64");
  EXPECT_NE(command.record.command_line().find("--payload 8,64 --window 1,2"), std::string::npos);
  EXPECT_TRUE(bench_of("bench read --payload 8").measurements.empty());
}

TEST(Lists, GiveWayToALaterValueAndReplaceAnEarlierOne) {
  EXPECT_TRUE(bench_of("bench read --payload 8,64 --set payload=16").measurements.empty());
  EXPECT_EQ(payloads_and_windows(bench_of("bench read --payload 16 --set payload=8,64 --window 3")),
            (std::vector<std::string>{"8/3", "64/3"}));
}

TEST(Lists, OfAFileMayBeNumbers) {
  const BenchCommand command =
      bench_of("bench read --config " + config_file("payload = [8, 64]\nwindow = 2\n"));
  EXPECT_EQ(payloads_and_windows(command), (std::vector<std::string>{"8/2", "64/2"}));
}

TEST(Lists, LeaveDefaultsToFollowFromEachValue) {
  const BenchCommand command = bench_of("bench rpc --nodes 2,5 --payload 8,100");
  ASSERT_EQ(command.measurements.size(), 4U);
  for (const BenchCommand& each : command.measurements) {
    EXPECT_EQ(each.bench.clients, each.cluster.nodes);
    EXPECT_EQ(each.bench.servers, each.cluster.nodes);
    EXPECT_EQ(each.bench.request_bytes, each.bench.payload_bytes);
  }
}

TEST(Lists, AreRepeatedWholeAndWithWhatElseWasSaid) {
  const BenchCommand command =
      bench_of("bench read --payload 64,8 --threads 3 --set nic.qp_cache_entries=64,256");
  EXPECT_EQ(command.record.command_line(),
            "verbena bench read --seed 1 --threads 3 --payload 64,8 --set "
            "nic.qp_cache_entries=64,256");
  EXPECT_EQ(std::get<std::string>(command.record.values.at("payload")), "64,8");
  EXPECT_FALSE(command.record.values.contains("request-payload")) << "follows from the list";
}

TEST(Lists, AreOfRunToo) {
  const RunCommand command = run_of("run --nodes 4..8*2 --system drtmh,farm --repeat 2");
  ASSERT_EQ(command.measurements.size(), 8U);
  EXPECT_EQ(command.record.command_line(),
            "verbena run --nodes 4,8 --seed 1 --system drtmh,farm --repeat 2");
  const RunCommand& last = command.measurements.back();
  EXPECT_EQ(last.cluster.nodes, 8U);
  EXPECT_EQ(last.system, "farm");
  EXPECT_NE(last.cluster.seed, 1U);
  EXPECT_EQ(last.series.repeat, 1U) << "or each would be a series again";
  EXPECT_EQ(last.record.place.size(), 3U) << "nodes, system, seed";
}

TEST(Lists, MayBePlansOfAFile) {
  const RunCommand command =
      run_of("run --config " +
             config_file("plan = [\"log=two-sided\", \"log=two-sided,lock=two-sided\"]"));
  ASSERT_EQ(command.measurements.size(), 2U);
  EXPECT_EQ(command.measurements[1].plan_changes, "log=two-sided,lock=two-sided");
}

TEST(Lists, AreNeitherOfOtherCommandsNorOfWhatHasCommas) {
  EXPECT_EQ(complaint_of("explain read --nodes 4,8"),
            "--nodes 4,8: expected a whole number from 1 to 1024; it takes no list");
  EXPECT_TRUE(
      bench_of("bench read --nodes 4 --topology fat-tree:2;2,2;1,2;1,2").measurements.empty());
}

TEST(Defaults, RunIsThePapersCluster) {
  const RunCommand command = run_of("run");
  EXPECT_TRUE(command.fabric.simulated);
  EXPECT_EQ(command.cluster.nodes, 16U);
  EXPECT_EQ(command.cluster.endpoint.workers, 24U);
  EXPECT_EQ(command.cluster.endpoint.nics, 2U);
  EXPECT_EQ(command.fabric.nic, "connectx-4");
  EXPECT_EQ(command.system, "drtmh");
  EXPECT_EQ(command.workload, "smallbank");
  EXPECT_EQ(command.run.replicas, 3U);
}

TEST(Defaults, EveryDefaultIsAllowed) {
  for (const Key& key : known_keys()) {
    const std::string text = value_text(key.parameter);
    if (text.empty()) continue;
    EXPECT_NO_THROW(check_value(key.parameter)) << key.name() << " " << text;
  }
}

TEST(Defaults, EverySimulatedBenchNodeIsAClient) {
  EXPECT_EQ(bench_of("bench read --nodes 5").bench.clients, 5U);
  EXPECT_EQ(bench_of("bench read --nodes 5 --clients 2").bench.clients, 2U);
}

TEST(Defaults, NoMoreNicsThanThreads) {
  EXPECT_EQ(run_of("run --threads 1").cluster.endpoint.nics, 1U);
  EXPECT_EQ(run_of("run --threads 8").cluster.endpoint.nics, 2U);
}

TEST(Defaults, PeersSayHowManyNodesThereAre) {
  EXPECT_EQ(run_of("run --fabric verbs --peers a:1,b:2,c:3,d:4 --node 3").cluster.nodes, 4U);
}

TEST(Precedence, ConfigurationThenFlagsThenSet) {
  const std::string file = config_file("nodes = 4\nthreads = 4\nseed = 4\n");
  const RunCommand command = run_of("run --set seed=6 --threads 5 --config " + file + " --seed 5");
  EXPECT_EQ(command.cluster.nodes, 4U);
  EXPECT_EQ(command.cluster.endpoint.workers, 5U);
  EXPECT_EQ(command.cluster.seed, 6U);
}

TEST(Configuration, SectionsHoldOverridesAndNames) {
  const std::string file = config_file(
      "duration = \"1ms\"\nverify = true\n[nic]\nname = \"connectx-4\"\nqp_cache_entries = 2048\n"
      "[fabric]\nname = \"sim\"\nud_loss = 0.01\n[plan]\nname = \"log=two-sided\"\n");
  const RunCommand command = run_of("run --config " + file);
  EXPECT_EQ(command.cluster.duration, kMillisecond);
  EXPECT_TRUE(command.run.verify);
  EXPECT_EQ(command.fabric.nic, "connectx-4");
  EXPECT_EQ(command.fabric.constants.value("nic.qp_cache_entries"), 2048);
  EXPECT_EQ(command.record.overrides.at("fabric.ud_loss"), "0.01");
  EXPECT_EQ(command.plan_changes, "log=two-sided");
}

TEST(Configuration, PeersMayBeAList) {
  const std::string file =
      config_file("fabric = \"verbs\"\npeers = [\"a:1\", \"b:2\", \"c:3\"]\nnode = 1\n");
  EXPECT_EQ(run_of("run --config " + file).fabric.peer_list(),
            (std::vector<std::string>{"a:1", "b:2", "c:3"}));
}

TEST(Registry, ExplainsEveryKey) {
  for (const Key& key : known_keys()) {
    EXPECT_FALSE(key.parameter.help.empty()) << key.name();
    EXPECT_FALSE(allowed_values(key.parameter).empty()) << key.name();
    EXPECT_FALSE(key.owner.empty()) << key.name();
  }
}

TEST(Registry, ValuesReachTheirOwners) {
  const RunCommand command = run_of(
      "run --set rdma.signal_interval=7 --plan log=two-sided,execute.cache=off "
      "--set rdma.rpc_timeout=3ms --seed 5 --coroutines 3 --connections 2");
  EXPECT_EQ(command.run.endpoint.signal_interval, 7U);
  EXPECT_EQ(command.run.endpoint.rpc.timeout, 3 * kMillisecond);
  EXPECT_EQ(command.run.endpoint.seed, 5U);
  EXPECT_EQ(command.run.endpoint.qps_per_peer, 2U);
  const txn::Plan& plan =
      dynamic_cast<const txn::occ::System&>(*command.loaded_system).options().plan;
  EXPECT_EQ(plan.log.primitive, txn::Primitive::kTwoSided);
  EXPECT_FALSE(plan.location_cache);
  EXPECT_EQ(command.run.fibers, 3U);
  EXPECT_EQ(command.run.seed, 5U);
}

TEST(Registry, WorkloadsHaveTheParametersThatWereSet) {
  const RunCommand command = run_of("run --workload tpcc --warehouses 32 --set workload.items=200");
  for (const Parameter& parameter : command.factory->parameters()) {
    if (parameter.name == "items") {
      EXPECT_EQ(value_text(parameter), "200");
    } else if (parameter.name == "warehouses") {
      EXPECT_EQ(value_text(parameter), "32");
    }
  }
}

TEST(Replay, TheCommandLineGivesTheSameOptions) {
  for (const char* line :
       {"run", "run --nodes 4 --verify --chaos --duration 1.5ms --seed 99",
        "run --set fabric.ud_loss=0.01 --plan log=two-sided,commit.passive_ack=off",
        "run --system farm --set plan=execute.cache=on",
        "run --workload tpcc --warehouses 32 --set workload.items=200",
        "run --fabric verbs --peers a:1,b:2,c:3 --node 0 --device rxe0 --port 1 --gid-index 1",
        "bench read --nodes 3", "bench send --fabric verbs --payload 128 --clients 2",
        "bench rpc --window 9 --doorbell each", "bench read --servers 4 --clients 12",
        "bench read --servers 4 --clients 3", "bench read --loop raw --coroutines 1 --rounds",
        "run --threads 1", "run --threads 8 --nics-per-node 1",
        "explain write --inline --set nic.qp_cache_entries=64"}) {
    const auto record_of = [](const std::vector<std::string>& arguments) {
      AnyCommand command = command_of(arguments);
      return options_of(command).record;
    };
    const ConfigurationRecord record = record_of(words(line));
    std::vector<std::string> again = words(record.command_line());
    ASSERT_EQ(again.front(), "verbena");
    again.erase(again.begin());
    const ConfigurationRecord repeated = record_of(again);
    EXPECT_EQ(repeated.values, record.values) << line;
    EXPECT_EQ(repeated.overrides, record.overrides) << line;
    EXPECT_EQ(repeated.command_line(), record.command_line()) << line;
  }
}

TEST(Replay, LeavesOutWhatFollows) {
  const auto again = [](const std::string& line) { return bench_of(line).record.command_line(); };
  EXPECT_EQ(run_of("run --nodes 16 --replicas 3 --seed 1").record.command_line(),
            "verbena run --seed 1");
  EXPECT_EQ(again("bench read --nodes 5 --clients 5 --servers 5"),
            "verbena bench read --nodes 5 --seed 1");
  EXPECT_EQ(again("bench read --clients 12 --servers 4"),
            "verbena bench read --seed 1 --servers 4");
}

TEST(Help, IsThereForEveryCommandAndExplainsEveryFlag) {
  for (const Command command : {Command::kRun, Command::kBench, Command::kReproduce,
                                Command::kExplain, Command::kList, Command::kDoctor}) {
    const ParsedArguments parsed = parse_arguments({command_name(command), "--help"});
    ASSERT_TRUE(parsed.text.has_value()) << command_name(command);
    EXPECT_NE(parsed.text->find("Usage: verbena"), std::string::npos) << command_name(command);
    for (const Key& key : known_keys(command)) {
      if (!key.is_flag()) continue;
      EXPECT_NE(parsed.text->find("--" + key.name()), std::string::npos) << key.name();
      const std::string first_word = key.parameter.help.substr(0, key.parameter.help.find(' '));
      EXPECT_NE(parsed.text->find(first_word), std::string::npos) << key.name();
    }
  }
  EXPECT_TRUE(parse_arguments({"--help"}).text.has_value());
  EXPECT_EQ(parse_arguments({"--version"}).text->rfind("verbena ", 0), 0U);
}

TEST(Keys, OfRunAreThoseOfEverySystemAndEveryWorkload) {
  const auto expect_known = [](const std::string& flag, const std::string& name,
                               std::vector<std::string> Key::*owners) {
    RunCommand run = run_of("run --" + flag + " " + name);
    for (const Key& key : run.keys()) {
      const Key* known = find_key(known_keys(Command::kRun), key.name());
      ASSERT_NE(known, nullptr) << key.name();
      for (const std::string& owner : key.*owners) {
        EXPECT_EQ(owner, name) << key.name();
        EXPECT_EQ(std::ranges::count(known->*owners, owner), 1) << key.name();
      }
    }
  };
  for (const std::string& name : txn::system_names()) {
    expect_known("system", name, &Key::systems);
  }
  for (const std::string& name : workloads::workload_names()) {
    expect_known("workload", name, &Key::workloads);
  }
}

struct Complaint {
  const char* line;
  const char* message;
};

TEST(Complaints, NameTheThingItsValueAndWhatIsAllowed) {
  constexpr Complaint kComplaints[] = {
      {"",
       "a command is missing: one of run, bench, hunt, reproduce, compare, explain, list, doctor, "
       "completion, man, help (verbena --help explains)"},
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
      {"run --set faults.kill_node=1", "--set: faults.kill_node = 1: needs faults.kill_at"},
      {"run --nodes 3 --set faults.kill_at=x --set faults.kill_node=3",
       "--set: faults.kill_node = 3: expected a whole number from 0 to 2"},
      {"run --duration 5",
       "--duration 5: expected a time from 1us to 3600s with its unit (ns, us, ms, s, min), or "
       "auto"},
      {"run --nodes 2",
       "--nodes 2 is fewer than --replicas 3: every replica needs a node of its own"},
      {"run --threads 2 --nics-per-node 3", "--nics-per-node 3 is more than --threads 2"},
      {"run --fabric simm", "--fabric simm: unknown fabric; did you mean sim? (known: sim, verbs)"},
      {"run --payload 8", "--payload: does not apply to run"},
      {"run --device mlx5_0", "--device: needs --fabric verbs"},
      {"run --node 0 --peers a:1,b:2,c:3", "--peers: needs --fabric verbs"},
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
       "--set: rdma.rpc_timeout = 5: expected a time from 1us to 3600s with its unit (ns, us, ms, "
       "s, min)"},
      {"run --plan log=rpc",
       "--plan log=rpc: unknown primitive 'rpc'; allowed are one-sided, two-sided, hybrid"},
      {"run --set plan=log.passive=on",
       "--set plan log.passive=on: unknown option 'passive' of phase log; allowed are outstanding, "
       "doorbell, passive_ack, whole"},
      {"bench read --plan execute.cache=off", "--plan: does not apply to bench"},
      {"bench read --set workload.hot_share=0.5",
       "--set: workload.hot_share: does not apply to bench"},
      {"run --warehouses 16",
       "--warehouses 16: is a parameter of --workload tpcc-no and tpcc, not of smallbank"},
      {"run --remote-percent 10",
       "--remote-percent 10: is a parameter of --workload tpcc-no and tpcc, not of smallbank"},
      {"run --workload tpcc --warehouses 0",
       "--warehouses 0: expected a whole number from 1 to 65535, or auto"},
      {"run --workload tpcc --remote-percent 101",
       "--remote-percent 101: expected a whole number from 0 to 100, or auto"},
      {"run --set workload.items=1000",
       "workload.items: is a parameter of --workload tpcc-no and tpcc, not of smallbank"},
      {"list plan",
       "unknown topic 'plan' of list; did you mean plans?; known: nics, cpus, fabrics, systems, "
       "plans, workloads, keys"},
      {"list nics connectx", "unexpected argument 'connectx' of list nics; only keys takes words"},
      {"run --config /", "--config /: is a directory"},
      {"run --config /nonexistent", "--config /nonexistent: No such file or directory"},
      {"run --config /dev/zero", "--config /dev/zero: is a device; expected a regular file"},
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
       "--gid-index x: expected a whole number from 0 to 255, or auto"},
      {"bench",
       "bench: an operation is missing: read, write, send, rpc, write-rpc, cas, faa, "
       "multi-read, multi-write, indirect-read, prism-write, allocate, prism-cas"},
      {"bench raed",
       "unknown operation 'raed' of bench; did you mean read?; known: read, write, send, rpc, "
       "write-rpc, cas, faa, multi-read, multi-write, indirect-read, prism-write, allocate, "
       "prism-cas"},
      {"bench read write", "unexpected argument 'write' of bench"},
      {"bench cas --payload 16", "--payload 16: an atomic operation takes 8 bytes"},
      {"bench read --nodes 4 --clients 5", "--clients 5 is more than --nodes 4"},
      {"list --nodes 3", "--nodes: does not apply to list"},
      {"run --other-nic connectx-3", "--other-nic connectx-3: needs --other-nodes, which have it"},
      {"run --other-nodes 3", "--other-nodes 3: needs --other-nic or --other-cpu, or both"},
      {"run --other-nic connectx-3 --other-nodes 15-16",
       "--other-nodes 15-16: expected a node or FIRST-LAST, from 0 to 15"},
      {"run --other-nic connectx-3 --other-nodes 3-2",
       "--other-nodes 3-2: expected a node, or FIRST-LAST, such as 12-15"},
      {"run --other-nic connectx-3 --other-nodes all",
       "--other-nodes all: expected a node, or FIRST-LAST, such as 12-15"},
      {"run --fabric verbs --other-nodes 1", "--other-nodes: applies to --fabric sim only"},
      {"explain read --other-nodes 1", "--other-nodes: does not apply to explain"},
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
            "--nodes '1?2?': expected a whole number from 1 to 1024");
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
            ":1:8: seed: expected a string, a number, true or false, or a list of these");
  EXPECT_EQ(config_complaint("payload = 4\n"), ":1:11: payload: does not apply to run");
  EXPECT_EQ(config_complaint("# nothing\n"), "(accepted)");
}

TEST(Results, AreRefusedForAnotherCommandAndWhenTheyAreNone) {
  const std::string schema = R"({"schema": {"name": "verbena.results", "version": 2}, )";
  const std::string bench =
      config_file(schema + R"("config": {"command": "bench", "operation": "read"}})");
  EXPECT_EQ(complaint_of("run --config " + bench),
            "--config " + bench + ": has results of verbena bench read, not of verbena run");
  EXPECT_EQ(
      complaint_of("bench write --config " + bench),
      "--config " + bench + ": has results of verbena bench read, not of verbena bench write");
  EXPECT_EQ(complaint_of("bench read --config " + bench), "(accepted)");
  EXPECT_EQ(config_complaint("{\"config\": "), ":1:12: ends before its JSON does");
  EXPECT_EQ(config_complaint("{}"), ": schema.name is not verbena.results, so it holds no results");
  EXPECT_EQ(config_complaint(R"({"schema": {"name": "verbena.results"}, "config": {}})"),
            ": schema.version is missing; expected 2");
  EXPECT_EQ(config_complaint(schema + "\"seed\": 1}"),
            ": has no member config, so it holds no results");
  EXPECT_EQ(config_complaint(schema + R"("config": {"command": "run", "nodes": 2.5}})"),
            ": nodes 2.5: expected a whole number from 1 to 1024");
  EXPECT_EQ(config_complaint(schema + R"("config": {"command": "run", "node": 0, "foo": 1}})"),
            ": config.foo: unknown");
  EXPECT_EQ(config_complaint(schema + R"("config": {"command": "run", "overrides": [1]}})"),
            ": config.overrides: expected an object");
}

TEST(Profiles, OfFilesAreRememberedByTheirWholePath) {
  const std::filesystem::path file =
      std::filesystem::path(::testing::TempDir()).lexically_normal() / "mine.toml";
  std::ofstream(file) << txn::built_in_systems().at("farm");
  const std::filesystem::path near = std::filesystem::proximate(file);
  EXPECT_EQ(run_of("run --system " + (near.parent_path() / "." / "mine.toml").string()).system,
            file);
  EXPECT_EQ(run_of("run --nic connectx-4").fabric.nic, "connectx-4");
}

}  // namespace
}  // namespace verbena::experiments
