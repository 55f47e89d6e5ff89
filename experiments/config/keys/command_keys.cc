// Keys of each command, from the parameters of their owners.
#include <utility>

#include "experiments/config/keys/hunt_parameters.h"
#include "experiments/config/keys/key.h"
#include "experiments/config/keys/run_parameters.h"
#include "experiments/config/keys/series_parameters.h"
#include "experiments/config/keys/shard.h"
#include "experiments/config/keys/texts.h"
#include "simnic/topology_spec.h"

namespace verbena::experiments {
namespace {

constexpr double kLongest = 3600e9;

void add(Keys& keys, const char* owner, std::vector<Parameter> parameters,
         FabricKind fabric = FabricKind::kAny) {
  for (Parameter& parameter : parameters) {
    keys.push_back({.parameter = std::move(parameter), .owner = owner, .fabric = fabric});
  }
}

// Parameters under the names SECTION.NAME, but those with a flag.
std::vector<Parameter> in_section(const std::string& section, std::vector<Parameter> parameters) {
  for (Parameter& parameter : parameters) {
    parameter.name = parameter.flag.empty() ? section + "." + parameter.name : parameter.flag;
  }
  return parameters;
}

Parameter nodes(FabricCommand& command) {
  return {.name = "nodes",
          .help = "machines of the cluster",
          .target = &command.cluster.nodes,
          .minimum = 1,
          .maximum = 1024};
}

Parameter nics_per_node(FabricCommand& command) {
  return {.name = "nics-per-node",
          .help = "NICs of a node, shared by its workers; at most as many as --threads",
          .target = &command.cluster.endpoint.nics,
          .minimum = 1,
          .maximum = 16};
}

Parameter seed(FabricCommand& command) {
  return {.name = "seed",
          .help = "from which every random choice derives",
          .target = &command.cluster.seed,
          .maximum = 18446744073709551615.0};
}

std::vector<Parameter> hardware_models(FabricOptions& fabric) {
  return {
      {.name = "nic",
       .help = "profile of the NICs, or the path of a TOML file that is one",
       .target = &fabric.nic,
       .choices = simnic::built_in_profiles("nic"),
       .or_file = true,
       .placeholder = "NAME"},
      {.name = "cpu",
       .help = "profile of the hosts: CPUs, sockets, PCIe; or the path of a TOML file that is one",
       .target = &fabric.cpu,
       .choices = simnic::built_in_profiles("cpu"),
       .or_file = true,
       .placeholder = "NAME"},
      {.name = "switch",
       .help = "profile of the network's links and switches, or the path of a TOML file that is "
               "one; otherwise what the NICs' profile names",
       .target = &fabric.switches,
       .choices = simnic::built_in_profiles("fabric"),
       .or_file = true,
       .placeholder = "NAME"},
      {.name = "topology",
       .help = "network of the nodes: star, fat-tree, dragonfly or torus, with parameters that "
               "suit the nodes or with yours in SimGrid's notation, e.g. 'fat-tree:2;4,4;1,2;1,2'",
       .target = &fabric.topology,
       .check = simnic::topology_syntax_error,
       .placeholder = "KIND[:PARAMETERS]"},
      {.name = "platform",
       .help = "network of the nodes: a SimGrid platform; nodes are its first hosts by name",
       .target = &fabric.platform,
       .check = check_file_name,
       .placeholder = "FILE.xml"},
  };
}

std::vector<Parameter> other_machines(FabricOptions& fabric) {
  return {
      {.name = "other-nodes",
       .help = "nodes that are other machines than the rest, one or FIRST-LAST, such as 12-15",
       .target = &fabric.other_nodes,
       .check = check_node_range,
       .placeholder = "FIRST-LAST"},
      {.name = "other-nic",
       .help = "profile of the NICs of --other-nodes, or the path of a TOML file that is one",
       .target = &fabric.other_nic,
       .choices = simnic::built_in_profiles("nic"),
       .or_file = true,
       .placeholder = "NAME"},
      {.name = "other-cpu",
       .help = "profile of the hosts of --other-nodes, or the path of a TOML file that is one",
       .target = &fabric.other_cpu,
       .choices = simnic::built_in_profiles("cpu"),
       .or_file = true,
       .placeholder = "NAME"},
  };
}

std::vector<Parameter> workers(ClusterOptions& cluster) {
  return {
      {.name = "threads",
       .help = "worker threads of a node",
       .target = &cluster.endpoint.workers,
       .minimum = 1,
       .maximum = 256},
      {.name = "coroutines",
       .help = "coroutines of a worker: transactions (run) or loops (bench) at once",
       .target = &cluster.coroutines,
       .minimum = 1,
       .maximum = 256},
      {.name = "connections",
       .help = "RC queue pairs of a worker to each peer, one taken at random by what is posted "
               "together; more emulate a larger cluster",
       .target = &cluster.endpoint.qps_per_peer,
       .minimum = 1,
       .maximum = 64},
      {.name = "context",
       .help = "verbs contexts: dedicated to each worker, shared by those of a NIC, or shared but "
               "with own-doorbells (a thread domain for each worker)",
       .target = choice_of(cluster.endpoint.context_sharing),
       .choices = {"dedicated", "shared", "own-doorbells"},
       .placeholder = "NAME"},
  };
}

std::vector<Parameter> times(ClusterOptions& cluster) {
  return {
      {.name = "duration",
       .help = "of the measurement, e.g. 500us, 2ms, 1.5s; simulated time on the simulation, where "
               "auto goes on until --precision is reached",
       .target = &cluster.duration,
       .minimum = 1e3,
       .maximum = kLongest},
      {.name = "warmup",
       .help = "time before the measurement; auto waits until throughput and mean latency have "
               "come to rest",
       .target = &cluster.warmup,
       .maximum = kLongest},
  };
}

std::vector<Parameter> device(FabricOptions& fabric) {
  return {
      {.name = "device",
       .help = "RDMA device; otherwise the first active one",
       .target = &fabric.device,
       .check = check_device_name,
       .placeholder = "NAME"},
      {.name = "port",
       .help = "port of the device; otherwise the first active one",
       .target = &fabric.port,
       .minimum = 1,
       .maximum = 255},
      {.name = "gid-index",
       .help = "entry of the port's GID table",
       .target = &fabric.gid_index,
       .maximum = 255},
  };
}

std::vector<Parameter> processes(FabricCommand& command) {
  return {
      {.name = "node",
       .help = "which of the peers this process is, from 0",
       .target = &command.fabric.node,
       .maximum = 1023},
      {.name = "peers",
       .help = "one process per node, at these addresses; otherwise this process hosts all nodes",
       .target = &command.fabric.peers,
       .check = check_peers,
       .placeholder = "HOST:PORT,..."},
      {.name = "bring-up-timeout",
       .help = "how long to wait for the peers to come up",
       .target = &command.cluster.endpoint.bring_up_timeout,
       .minimum = 1e6,
       .maximum = kLongest},
  };
}

Parameter json(OutputOptions& output) {
  return {.name = "json",
          .help = "write the results to this file as JSON; - is standard output",
          .target = &output.json,
          .check = check_file_name,
          .placeholder = "FILE"};
}

Parameter history(OutputOptions& output) {
  return {.name = "history",
          .help =
              "write what each transaction read and wrote to this file, for checkers such as "
              "Elle: as EDN (.edn) or JSON lines (.jsonl)",
          .target = &output.history,
          .check = check_history_name,
          .placeholder = "FILE"};
}

Parameter reached(OutputOptions& output) {
  return {.name = "reached",
          .help =
              "write which points of the program's code the run came to, of those that `hunt` "
              "looks for, to this file, one a line",
          .target = &output.reached,
          .check = check_file_name,
          .placeholder = "FILE"};
}

Parameter progress(bool& target) {
  return {.name = "progress",
          .help =
              "tell how far it is on standard error, a line every 10 % or 30 s where that is no "
              "terminal",
          .target = &target};
}

std::vector<Parameter> timeline(OutputOptions& output) {
  return {
      {.name = "trace",
       .help = "write a timeline to this file, for ui.perfetto.dev",
       .target = &output.trace,
       .check = check_file_name,
       .placeholder = "FILE"},
      {.name = "trace-limit",
       .help = "how many slices of the timeline are written",
       .target = &output.trace_limit,
       .minimum = 1,
       .maximum = 1e8,
       .placeholder = "SLICES"},
      {.name = "trace-from",
       .help = "simulated time, from the start of the run, at which the timeline begins",
       .target = &output.trace_from,
       .maximum = kLongest},
  };
}

// Adds the cluster's keys that all three commands have.
void add_cluster(Keys& keys, FabricCommand& command) {
  add(keys, "cluster", {nodes(command)});
  add(keys, "cluster", hardware_models(command.fabric), FabricKind::kSim);
  add(keys, "cluster", {nics_per_node(command), seed(command)});
}

// Adds the keys that both run and bench have.
void add_measuring(Keys& keys, FabricCommand& command) {
  add(keys, "cluster",
      {{.name = "fabric",
        .help = "what carries the requests: the simulation or libibverbs",
        .target = Parameter::Choice{[&f = command.fabric] { return f.simulated ? 0 : 1; },
                                    [&f = command.fabric](std::size_t i) { f.simulated = i == 0; }},
        .choices = {"sim", "verbs"}}});
  add_cluster(keys, command);
  add(keys, "cluster", other_machines(command.fabric), FabricKind::kSim);
  add(keys, "cluster", workers(command.cluster));
  add(keys, "cluster", times(command.cluster));
  add(keys, "cluster",
      {{.name = "chaos",
        .help = "simulate interleavings of single cache lines, which takes longer",
        .target = &command.fabric.chaos}},
      FabricKind::kSim);
  add(keys, "this process", processes(command), FabricKind::kVerbs);
  add(keys, "this process", device(command.fabric), FabricKind::kVerbs);
}

void add_output(Keys& keys, OutputOptions& output) {
  add(keys, "output", {json(output), progress(output.progress)});
  add(keys, "output", timeline(output), FabricKind::kSim);
}

// Only the first are part of what was measured.
void add_series(Keys& keys, SeriesOptions& series) {
  add(keys, "series", repetition_parameters(series));
  add(keys, "output", showing_parameters(series));
}

void add_constants(Keys& keys, FabricOptions& fabric) {
  add(keys, "the simulated hardware", parameters(fabric.constants), FabricKind::kSim);
}

void add_system(Keys& keys, const std::string& name, txn::System& system) {
  for (txn::ParameterSection& section : system.parameters()) {
    for (Parameter& parameter : in_section(section.name, std::move(section.parameters))) {
      keys.push_back({.parameter = std::move(parameter),
                      .owner = "the transaction system",
                      .systems = {name}});
    }
  }
}

void add_workload(Keys& keys, const std::string& name, workloads::WorkloadFactory& factory) {
  for (Parameter& parameter : in_section("workload", factory.parameters())) {
    keys.push_back(
        {.parameter = std::move(parameter), .owner = "the workload", .workloads = {name}});
  }
}

}  // namespace

Keys keys(RunCommand& command) {
  Keys all;
  add_measuring(all, command);
  add(all, "cluster", precision_parameters(command), FabricKind::kSim);
  add(all, "run", run_parameters(command));
  add(all, "run", load_parameters(command.run.offered));
  add(all, "run", {explain_parameter(command)}, FabricKind::kSim);
  add_series(all, command.series);
  add_output(all, command.output);
  add(all, "output", {history(command.output), reached(command.output)});
  add_constants(all, command.fabric);
  add(all, "workers", in_section("rdma", parameters(command.cluster.endpoint)));
  add(all, "run", limit_parameters(command));
  add(all, "run", fault_parameters(command));
  add_system(all, command.system, *command.loaded_system);
  add_workload(all, command.workload, *command.factory);
  return all;
}

Keys keys(BenchCommand& command) {
  Keys all;
  add_measuring(all, command);
  add(all, "bench", parameters(command.bench));
  add(all, "bench",
      {{.name = "loop",
        .help = "coroutines on an event loop, or threads that post and poll one-sided requests by "
                "themselves, a sliding window each",
        .target = choice_of(command.raw_loop),
        .choices = {"fibers", "raw"}}});
  add_series(all, command.series);
  add_output(all, command.output);
  add_constants(all, command.fabric);
  add(all, "workers", in_section("rdma", parameters(command.cluster.endpoint)));
  return all;
}

Keys keys(ExplainCommand& command) {
  Keys all;
  add_cluster(all, command);
  add(all, "explain",
      {{.name = "payload",
        .help = "size of the request's data",
        .target = &command.payload,
        .minimum = 1,
        .maximum = 1 << 20,
        .placeholder = "BYTES"},
       {.name = "doorbell",
        .help = "the request is written to the NIC if it fits, or announced by a doorbell as a "
                "batch of requests is",
        .target = choice_of(command.doorbell),
        .choices = {"each", "batched"}},
       {.name = "inline",
        .help = "the request carries its data, which the NIC then does not fetch",
        .target = &command.inlined},
       {.name = "state",
        .help = "what the NICs' caches hold: all, all but the queue pair, or nothing",
        .target = &command.state,
        .choices = {"warm", "qp-miss", "cold"}}});
  add_output(all, command.output);
  add_constants(all, command.fabric);
  return all;
}

Keys keys(HuntCommand& command) {
  Keys all;
  add(all, "hunt", hunt_parameters(command));
  add(all, "output",
      {{.name = "json",
        .help = "write what was found to this file as JSON; - is standard output",
        .target = &command.json,
        .check = check_file_name,
        .placeholder = "FILE"},
       progress(command.progress)});
  return all;
}

Keys keys(ReproduceCommand& command) {
  Keys all;
  add(all, "reproduce",
      {{.name = "jobs",
        .help = "points that are measured at once, by as many processes; otherwise as many as fit "
                "the cores and the memory",
        .target = &command.jobs,
        .minimum = 1,
        .maximum = 1024},
       {.name = "out",
        .help = "directory of the results; points that are there already are not measured again",
        .target = &command.out,
        .check = check_directory_name,
        .placeholder = "DIR"},
       {.name = "fresh", .help = "measure all points again", .target = &command.fresh},
       {.name = "strict",
        .help = "exit code 1 when a claim does not hold; undecided ones are told",
        .target = &command.strict},
       {.name = "quick",
        .help = "fewer points of each figure that has some to spare; claims that need the others "
                "are not judged",
        .target = &command.quick},
       {.name = "as",
        .help = "figures that have a preset are drawn as this one too: 'ours', which is without "
                "any, or another preset",
        .target = &command.as,
        .placeholder = "PRESET"},
       {.name = "decide-within",
        .help = "how many times as long as figures say, or as often, points may be measured until "
                "claims are decided that their intervals leave open; 1: never again; otherwise "
                "what a figure says, or 4",
        .target = &command.decide_within,
        .minimum = 1,
        .maximum = 10000,
        .placeholder = "TIMES"},
       progress(command.progress),
       {.name = "list",
        .help = "show the figures that there are, and measure nothing",
        .target = &command.list}});
  add(all, "reproduce", shard_parameters(command.shards));
  return all;
}

Keys keys(CompareCommand& command) {
  Keys all;
  add(all, "compare",
      {{.name = "tolerance",
        .help = "how much worse is no harm: percent of throughput and latency, percentage points "
                "of aborts",
        .target = &command.tolerance_percent,
        .maximum = 99,
        .placeholder = "PERCENT"},
       {.name = "repeat",
        .help = "runs of each point of a side that is measured, with different seeds",
        .target = &command.repeat,
        .minimum = 1,
        .maximum = 1000},
       {.name = "jobs",
        .help = "measurements at once, each in a process of its own; otherwise as many as fit the "
                "cores and the memory",
        .target = &command.jobs,
        .minimum = 1,
        .maximum = 1024}});
  add(all, "output", {json(command.output), progress(command.output.progress)});
  return all;
}

Keys keys(DoctorCommand& command) {
  Keys all;
  add(all, "this process", device(command.fabric), FabricKind::kVerbs);
  return all;
}

}  // namespace verbena::experiments
