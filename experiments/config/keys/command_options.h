// Options of each command, resolved and checked.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "experiments/bench/bench_options.h"
#include "experiments/config/keys/shard.h"
#include "rdma/base/time.h"
#include "rdma/device/endpoint_options.h"
#include "rdma/one_sided/request_batch.h"
#include "rdma/seam/page_arena.h"
#include "simnic/profile.h"
#include "txn/system.h"
#include "workloads/measure/run_progress.h"
#include "workloads/run/cluster_run.h"
#include "workloads/workload_factory.h"

namespace verbena::experiments {

enum class Command { kRun, kBench, kHunt, kReproduce, kCompare, kExplain, kList, kDoctor };

/// True of commands whose settings (--set) are for the runs that they make.
constexpr bool sets_others(Command command) {
  return command == Command::kHunt || command == Command::kReproduce ||
         command == Command::kCompare;
}

/// "run", "bench", "hunt", "reproduce", "compare", "explain", "list" or "doctor".
const char* command_name(Command command);

/// One thing that was said.
struct Assignment {
  std::string key;  ///< "nodes", "rdma.signal_interval"
  std::string value;
  std::string place;  ///< where, for messages: "--nodes", "cluster.toml:3:9: nodes"

  /// "KEY=VALUE".
  std::string text() const { return key + "=" + value; }
};

/// How a command was configured, for reports and to repeat it.
struct ConfigurationRecord {
  using Value = std::variant<bool, std::uint64_t, std::string>;

  Command command = Command::kRun;
  std::string operation;  ///< of bench and explain
  bool simulated = true;
  /// Flags that configure the same again, in the order of help texts: flags without
  /// dashes and their values, of switches none.
  std::vector<std::pair<std::string, std::string>> flags;
  std::map<std::string, std::string> overrides;  ///< what was set as SECTION.KEY, as given
  std::map<std::string, std::string> lists;      ///< of a series: those of several values, by key
  /// Values that tell one measurement of a series from the others, by flag or override.
  std::vector<std::pair<std::string, std::string>> place;
  std::map<std::string, Value> values;  ///< by flag, without those that follow from a list

  /// On hardware: all that has to be the same in the processes of a cluster, by key.
  std::vector<std::pair<std::string, std::string>> shared = {};

  /// That configure the same again, without the program's name.
  std::vector<std::string> arguments() const;

  /// The same as one line for a shell, beginning with "verbena".
  std::string command_line() const;
};

/// How many machines, and how each is used.
struct ClusterOptions {
  std::uint32_t nodes = 16;
  std::uint32_t coroutines = 8;    ///< of a worker: fibers, in the words of the layers below
  rdma::EndpointOptions endpoint;  ///< of a node: workers, NICs, queue pairs, ...
  std::uint64_t seed = 1;
  std::optional<Nanoseconds> warmup;    ///< nothing: found out, see workloads::RunWindow
  std::optional<Nanoseconds> duration;  ///< likewise
};

/// The fabric that carries the requests.
struct FabricOptions {
  bool simulated = true;

  std::string nic = "connectx-4";
  std::string cpu = "e5-2650v4";
  std::string other_nodes;  ///< "3", "12-15": are other machines than the rest; empty: none is
  std::string other_nic;    ///< of these; empty: `nic`
  std::string other_cpu;    ///< likewise
  std::string switches;  ///< profile of the network's links and switches; empty: the NIC names it
  std::string topology = "star";
  std::string platform;  ///< file; empty: `topology`
  bool chaos = false;
  simnic::Options constants;  ///< that differ from those of the profiles

  std::uint32_t node = 0;
  std::string peers;   ///< "host:port,..."; empty: this process hosts all nodes
  std::string device;  ///< empty: the first active one
  std::optional<std::uint32_t> port;
  std::optional<std::uint32_t> gid_index;

  /// "sim" or "verbs".
  const char* name() const { return simulated ? "sim" : "verbs"; }

  /// `peers`, split at commas.
  std::vector<std::string> peer_list() const;

  /// The device that was asked for, once for each of `nics`; empty where that is left open.
  std::vector<rdma::DeviceChoice> device_choices(std::uint32_t nics) const;
};

/// Files to write.
struct OutputOptions {
  std::string json;       ///< empty: none
  std::string history;    ///< what transactions read and wrote; empty: none
  std::string reached;    ///< points of the code that the run came to; empty: none
  std::string trace;      ///< a timeline; empty: none
  bool progress = false;  ///< told by lines even where nobody watches a terminal
  std::uint64_t trace_limit = 100'000;
  Nanoseconds trace_from = 0;
};

/// Options that run, bench and explain have in common.
struct FabricCommand {
  ClusterOptions cluster;
  FabricOptions fabric;
  OutputOptions output;
  ConfigurationRecord record;
  /// For the memory of simulated nodes, see simnic::SimOptions.
  rdma::PageArena* page_arena = nullptr;
  /// Where it is told how far it is; null: shown, as `output` asks for.
  workloads::RunProgress* progress = nullptr;
};

/// How several measurements are made and shown. Without lists, repetitions and a directory there is
/// one.
struct SeriesOptions {
  std::uint32_t repeat = 1;           ///< runs of each point, with different seeds
  bool vary_seed = false;             ///< each point has seeds of its own
  std::optional<std::uint32_t> jobs;  ///< at once; otherwise as many as fit the machine
  std::string out;                    ///< directory; empty: nothing is kept
  bool fresh = false;                 ///< measured again, whatever is there
  ShardOptions shards = {};           ///< what part of it, and what of others
  std::string x;                      ///< the list on the x axis; empty: a sensible one
  std::string curves;                 ///< the list that a curve each is for; empty: a sensible one
  std::string y = "throughput";       ///< what is shown
};

/// Where a node is to die, see rdma::CrashPoint.
struct CrashOptions {
  std::uint32_t node = 0;
  std::string point;  ///< empty: none dies
  std::uint64_t count = 1;
  Nanoseconds late = 0;
};

struct RunCommand : FabricCommand {
  SeriesOptions series;
  /// Options of each measurement of a series; all else then is as in the first.
  std::vector<RunCommand> measurements;

  std::string system = "drtmh";                ///< name, or path of a file
  std::shared_ptr<txn::System> loaded_system;  ///< `system`, with its parameters
  std::string plan_changes;                    ///< see txn::System::change
  std::string workload = "smallbank";
  std::shared_ptr<workloads::WorkloadFactory> factory;  ///< of `workload`, with its parameters
  double precision_percent = 1;                         ///< see workloads::PrecisionGoal
  bool explain = false;                                 ///< find out where latencies go
  CrashOptions crash;
  workloads::RunOptions run;  ///< complete, but for whom to tell its progress
  CrashOptions second_crash;  ///< as late as the first
  bool restores = false;      ///< it begins again with what it has saved
};

/// Size of the cluster as the workload sees it: the partitions are the system's. Throws
/// ConfigurationError when the cluster does not suit the system.
workloads::ClusterSize workload_size(const RunCommand& command);

/// True if the system can save what it holds, and begin from that (parameters `checkpoints` and
/// `restore`).
bool can_restore(const RunCommand& command);

/// Has a system that can_restore save into `checkpoints` and begin from `restore`, directories; ""
/// for none.
void save_and_restore(const RunCommand& command, const std::string& checkpoints,
                      const std::string& restore);

struct BenchCommand : FabricCommand {
  BenchOptions bench;
  bool raw_loop = false;
  SeriesOptions series;
  std::vector<BenchCommand> measurements;  ///< as those of RunCommand

  /// Nodes that requests reach. A lone client does not send to itself.
  std::uint32_t receivers() const;
};

struct ExplainCommand : FabricCommand {
  std::uint32_t payload = 64;
  rdma::Doorbell doorbell = rdma::Doorbell::kEach;
  bool inlined = false;
  std::string state = "warm";  ///< "warm", "qp-miss" or "cold"

  /// True of what a core of the callee does: a chain of one operation of PRISM.
  bool is_chain() const;

  /// A request and its reply: rpc by datagrams, write-rpc by WRITEs into rings, and chains.
  bool is_call() const;
};

struct ReproduceCommand {
  std::vector<std::string> figures;     ///< names, files, groups
  std::vector<Assignment> sets;         ///< for every point
  std::optional<std::uint32_t> jobs;    ///< at once; otherwise as many as fit the machine
  std::string out = "verbena-figures";  ///< directory
  bool fresh = false;
  ShardOptions shards = {};
  bool strict = false;
  bool quick = false;
  std::string as;  ///< see load_figure; empty: only as the figures say
  /// How many times as long as figures say points may be measured until claims are decided; empty:
  /// see decide().
  std::optional<std::uint32_t> decide_within;
  bool progress = false;
  bool list = false;
  ConfigurationRecord record;
};

struct HuntCommand {
  std::vector<Assignment> sets;  ///< for every run
  std::uint64_t first_seed = 1;
  std::string seeds_text = "1000";  ///< how many, or from which to which: 17..40
  std::uint64_t seeds = 1000;
  std::optional<Nanoseconds> time;  ///< of the wall; nothing: until all seeds are done
  std::string system = "all";
  std::string workload = "all";
  std::optional<std::uint32_t> jobs;
  double twice_percent = 5;
  bool go_on = false;
  bool no_shrink = false;
  bool merge = false;
  std::vector<std::string> files;  ///< to be merged
  std::string json;                ///< empty: none
  std::string junit;               ///< empty: none
  bool progress = false;
  ConfigurationRecord record;
};

struct CompareCommand {
  std::vector<std::string> sides;  ///< two: results, settings, or commands
  std::vector<Assignment> sets;    ///< for every measurement
  std::uint32_t repeat = 1;
  std::optional<std::uint32_t> jobs;
  double tolerance_percent = 0;
  OutputOptions output;
  ConfigurationRecord record;
};

struct ListCommand {
  std::string topic;  ///< empty: all
};

struct DoctorCommand {
  FabricOptions fabric;
};

using AnyCommand = std::variant<RunCommand, BenchCommand, HuntCommand, ReproduceCommand,
                                CompareCommand, ExplainCommand, ListCommand, DoctorCommand>;

}  // namespace verbena::experiments
