// Names, ranges and helps of keys that several commands have.
#include "experiments/config/keys/fabric_keys.h"

#include <utility>

#include "experiments/config/keys/texts.h"
#include "simnic/wire/topology_spec.h"

namespace verbena::experiments {
namespace {

constexpr double kLongest = 3600e9;

std::string check_topology(const std::string& text) {
  if (text.ends_with(".xml")) return "expected a kind of network; --platform takes a platform";
  return simnic::topology_syntax_error(text);
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
               "one",
       .target = &fabric.switches,
       .choices = simnic::built_in_profiles("fabric"),
       .or_file = true,
       .placeholder = "NAME",
       .otherwise = "what the NICs' profile names"},
      {.name = "topology",
       .help = "network of the nodes: star, fat-tree, dragonfly or torus, with parameters that "
               "suit the nodes or with yours in SimGrid's notation, e.g. 'fat-tree:2;4,4;1,2;1,2'",
       .target = &fabric.topology,
       .check = check_topology,
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

std::vector<Parameter> workers_and_times(ClusterOptions& cluster) {
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
       .help = "RC queue pairs of a worker to each peer; requests posted together take one at "
               "random; more emulate a larger cluster",
       .target = &cluster.endpoint.qps_per_peer,
       .minimum = 1,
       .maximum = 64},
      {.name = "context",
       .help = "verbs contexts: dedicated to each worker, shared by those of a NIC, or shared but "
               "with own-doorbells (a thread domain for each worker)",
       .target = choice_of(cluster.endpoint.context_sharing),
       .choices = {"dedicated", "shared", "own-doorbells"},
       .placeholder = "NAME"},
      {.name = "duration",
       .help = "time measured, e.g. 500us, 2ms, 1.5s; simulated time on the simulation, where auto "
               "goes on until --precision is reached",
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

std::vector<Parameter> processes(FabricCommand& command) {
  return {
      {.name = "peers",
       .help = "one process per node, at these addresses",
       .target = &command.fabric.peers,
       .check = check_peers,
       .placeholder = "HOST:PORT,...",
       .otherwise = "this process hosts all nodes"},
      {.name = "node",
       .help = "number of this process among the peers, from 0",
       .target = &command.fabric.node,
       .maximum = 1023},
      {.name = "bring-up-timeout",
       .help = "how long to wait for the peers to come up",
       .target = &command.cluster.endpoint.bring_up_timeout,
       .minimum = 1e6,
       .maximum = kLongest},
  };
}

std::vector<Parameter> simulating_threads(FabricOptions& fabric) {
  return {
      {.name = "sim-threads",
       .help = "threads of this machine that simulate nodes of a star at once; results do not "
               "depend on them. One simulates other networks, whose nodes share links, and what "
               "is traced or explained",
       .target = &fabric.sim_threads,
       .minimum = 1,
       .maximum = 256,
       .otherwise = "as many as it has cores, with 16 simulated ones for each; 1 in a series"},
      {.name = "speed-up",
       .help = "simulate on one thread, and tell how much faster 2 to 64 of --sim-threads could "
               "be at most",
       .target = &fabric.speed_up}};
}

std::vector<Parameter> timeline(OutputOptions& output) {
  return {
      {.name = "trace",
       .help = "write a timeline to this file, for ui.perfetto.dev",
       .target = &output.trace,
       .check = check_file_name,
       .placeholder = "FILE"},
      {.name = "trace-limit",
       .help = "slices of the timeline to write, at most",
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

}  // namespace

std::vector<Parameter> device_parameters(FabricOptions& fabric) {
  return {
      {.name = "device",
       .help = "RDMA device",
       .target = &fabric.device,
       .check = check_device_name,
       .placeholder = "NAME",
       .otherwise = "the first active one"},
      {.name = "port",
       .help = "port of the device",
       .target = &fabric.port,
       .minimum = 1,
       .maximum = 255,
       .otherwise = "the first active one"},
      {.name = "gid-index",
       .help = "entry of the port's GID table",
       .target = &fabric.gid_index,
       .maximum = 255},
  };
}

Parameter json_parameter(OutputOptions& output) {
  return {.name = "json",
          .help = "write the results to this file as JSON; - is standard output",
          .target = &output.json,
          .check = check_file_name,
          .placeholder = "FILE"};
}

Parameter progress_parameter(bool& target) {
  return {
      .name = "progress",
      .help =
          "tell progress on standard error, a line every 10 % or 30 s where that is no terminal",
      .target = &target};
}

void add_cluster(Keys& keys, FabricCommand& command) {
  add(keys, "cluster",
      {{.name = "nodes",
        .help = "machines of the cluster",
        .target = &command.cluster.nodes,
        .minimum = 1,
        .maximum = kMostNodes}});
  add(keys, "cluster", hardware_models(command.fabric), FabricKind::kSim);
  add(keys, "cluster",
      {{.name = "nics-per-node",
        .help = "NICs of a node, shared by its workers; at most as many as --threads",
        .target = &command.cluster.endpoint.nics,
        .minimum = 1,
        .maximum = 16},
       {.name = "seed",
        .help = "number from which every random choice derives",
        .target = &command.cluster.seed,
        .maximum = 18446744073709551615.0}});
}

void add_measuring(Keys& keys, FabricCommand& command) {
  add(keys, "cluster",
      {{.name = "fabric",
        .help = "what carries the requests: the simulation or libibverbs",
        .target = Parameter::Choice{[&f = command.fabric] { return f.simulated ? 0 : 1; },
                                    [&f = command.fabric](std::size_t i) { f.simulated = i == 0; }},
        .choices = {"sim", "verbs"}}});
  add_cluster(keys, command);
  add(keys, "cluster", other_machines(command.fabric), FabricKind::kSim);
  add(keys, "cluster", workers_and_times(command.cluster));
  add(keys, "cluster",
      {{.name = "chaos",
        .help = "simulate interleavings of single cache lines, which takes longer",
        .target = &command.fabric.chaos}},
      FabricKind::kSim);
  add(keys, "this process", simulating_threads(command.fabric), FabricKind::kSim);
  add(keys, "this process", processes(command), FabricKind::kVerbs);
  add(keys, "this process", device_parameters(command.fabric), FabricKind::kVerbs);
}

void add_output(Keys& keys, OutputOptions& output) {
  add(keys, "output", {json_parameter(output), progress_parameter(output.progress)});
  add(keys, "output", timeline(output), FabricKind::kSim);
}

void add_constants(Keys& keys, FabricOptions& fabric) {
  add(keys, "the simulated hardware", parameters(fabric.constants), FabricKind::kSim);
}

}  // namespace verbena::experiments
