// One operation in closed loops: keys, defaults, conditions.
#include "experiments/config/commands/bench.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "experiments/config/keys/conflict_error.h"
#include "experiments/config/keys/fabric_checks.h"
#include "experiments/config/keys/fabric_keys.h"

namespace verbena::experiments {
namespace {

bool sends_datagrams(const BenchCommand& command) {
  const BenchOptions& bench = command.bench;
  const bool by_nic = command.cluster.endpoint.prism == rdma::PrismMode::kNic;
  // Buffers are given back by messages, whoever took them.
  const bool prism =
      is_prism(bench.operation) && (!by_nic || bench.operation == Operation::kAllocate);
  const bool messages = is_call(bench.operation) || prism || bench.two_sided ||
                        bench.operation == Operation::kSend ||
                        command.cluster.endpoint.requests_by_cores();
  return messages && !command.cluster.endpoint.writes_messages();
}

void check_times(BenchCommand& command) {
  const std::string why = "bench takes a time, such as 2ms";
  if (!command.cluster.duration) command.refuse("duration", why);
  if (!command.cluster.warmup) command.refuse("warmup", why);
}

void check_roles(BenchCommand& command) {
  const std::uint32_t nodes = command.cluster.nodes;
  const std::uint32_t clients = command.bench.clients;
  const std::uint32_t servers = command.bench.servers;
  for (const auto& [name, count] : {std::pair("clients", clients), std::pair("servers", servers)}) {
    if (count <= nodes) continue;
    throw ConflictError({name, "nodes"},
                        fmt::format("--{} {} is more than --nodes {}", name, count, nodes));
  }
  if (servers == 1 && clients == nodes && nodes > 1) {
    command.refuse(
        "servers",
        fmt::format("the only server, node {}, is a client too; --clients {} leaves it out",
                    nodes - 1, nodes - 1));
  }
}

bool is_one_sided(Operation operation) {
  return operation == Operation::kRead || operation == Operation::kWrite || is_atomic(operation);
}

// Refuses values that another kind of loop or operation has.
void check_loop(BenchCommand& command) {
  const BenchOptions& bench = command.bench;
  const std::string& name = command.record.operation;
  const bool raw = command.raw_loop;
  if (raw && !is_one_sided(bench.operation)) {
    command.refuse("loop", fmt::format("{} is not one-sided", name));
  }
  if (raw && command.cluster.coroutines != 1) {
    command.refuse("coroutines", "--loop raw has no coroutines");
  }
  if (raw && command.cluster.endpoint.requests_by_cores()) {
    command.refuse("prism", "--loop raw posts to the NIC's queue pairs, not to cores");
  }
  if (!raw && bench.rounds) {
    command.refuse("rounds", "--loop fibers always waits for whole windows");
  }
  if (!raw && bench.threads_per_queue_pair > 1) {
    command.refuse("threads-per-queue-pair", "only threads of --loop raw can share queue pairs");
  }
  if (bench.transport == rdma::Transport::kUnreliable &&
      !(raw && bench.operation == Operation::kWrite)) {
    command.refuse("transport", "only write with --loop raw can use it");
  }
  const bool calls = is_call(bench.operation) || is_prism(bench.operation) || bench.two_sided;
  if (calls && command.cluster.nodes == 1) {
    command.refuse("nodes", fmt::format("{} calls another node", name));
  }
  if (!is_call(bench.operation) && bench.request_bytes != bench.payload_bytes) {
    command.refuse("request-payload", fmt::format("{} has one payload only", name));
  }
  if (bench.operation == Operation::kWriteRpc && !command.cluster.endpoint.writes_messages()) {
    command.refuse("rdma.rpc_transport", "write-rpc is rpc over write-ring");
  }
}

// Refuses values that only operations on several objects have, or that do not fit these.
void check_objects(BenchCommand& command) {
  const BenchOptions& bench = command.bench;
  const std::string& name = command.record.operation;
  if (bench.operation != Operation::kMultiRead && bench.operation != Operation::kMultiWrite) {
    const std::string why =
        fmt::format("{} is of one object; multi-read and multi-write are of several", name);
    if (bench.objects != 1) command.refuse("objects", why);
    if (bench.two_sided) command.refuse("primitive", why);
    if (bench.outstanding) command.refuse("outstanding", why);
    if (bench.passive) command.refuse("passive", why);
    return;
  }
  if (bench.window != 1) {
    command.refuse("window", fmt::format("{} has --objects and --outstanding instead", name));
  }
  if (bench.passive && bench.operation == Operation::kMultiRead) {
    command.refuse("passive", "a read's data is waited for");
  }
  if (bench.outstanding) return;
  if (bench.passive) command.refuse("passive", "needs --outstanding");
  if (bench.doorbell == rdma::Doorbell::kBatched) {
    command.refuse("doorbell", "needs --outstanding, several requests in flight at once");
  }
}

}  // namespace

Keys BenchCommand::first_keys() {
  Keys all;
  add_measuring(all, *this);
  return all;
}

void BenchCommand::load() {
  if (!record.operation.empty()) bench.operation = operation_of(record.operation);
}

Keys BenchCommand::keys() {
  Keys all = first_keys();
  add(all, "bench", parameters(bench));
  add(all, "bench",
      {{.name = "loop",
        .help = "coroutines on an event loop, or threads that post and poll one-sided requests by "
                "themselves, a sliding window each",
        .target = choice_of(raw_loop),
        .choices = {"fibers", "raw"}}});
  add_series(all, series);
  add_output(all, output);
  add_constants(all, fabric);
  add(all, "workers", in_section("rdma", parameters(cluster.endpoint)));
  return all;
}

void BenchCommand::set_defaults() {
  constexpr std::uint32_t kHardwareNodes = 2;
  set_cluster_defaults(kHardwareNodes);
  const Operation operation = bench.operation;
  const bool call = is_call(operation);
  const bool several = operation == Operation::kMultiRead || operation == Operation::kMultiWrite;
  const bool batched = operation == Operation::kSend || call || is_prism(operation);
  const bool simulated = fabric.simulated;
  bench.payload_bytes = bench.request_bytes = is_atomic(operation)                ? 8
                                              : operation == Operation::kPrismCas ? 16
                                              : call                              ? 32
                                                                                  : 64;
  bench.doorbell = batched ? rdma::Doorbell::kBatched : rdma::Doorbell::kEach;
  if (operation == Operation::kWriteRpc) {
    cluster.endpoint.rpc.transport = rdma::MessagePath::kWriteRing;
  }
  bench.window = simulated && !several ? 4 : 1;
  bench.objects = several ? 10 : 1;
  bench.clients = simulated ? cluster.nodes : 1;
  bench.servers = cluster.nodes;
  cluster.coroutines = simulated ? 4 : 1;
}

void BenchCommand::derive(const Said& said) {
  FabricCommand::derive(said);
  const std::uint32_t nodes = cluster.nodes;
  if (fabric.simulated && !said.contains("clients")) {
    const bool divided = said.contains("servers") && bench.servers < nodes;
    bench.clients = divided ? nodes - bench.servers : nodes;
  }
  if (!said.contains("servers")) bench.servers = nodes;
  if (!said.contains("request-payload")) bench.request_bytes = bench.payload_bytes;
  if (raw_loop && !said.contains("coroutines")) cluster.coroutines = 1;
}

void BenchCommand::check(const Said& said) {
  check_times(*this);
  check_roles(*this);
  check_loop(*this);
  check_objects(*this);
  if (is_atomic(bench.operation) && bench.payload_bytes != 8) {
    refuse("payload", "an atomic operation takes 8 bytes");
  }
  if (bench.operation == Operation::kPrismCas && bench.payload_bytes != 16) {
    refuse("payload", "prism-cas takes 16 bytes");
  }
  if (is_prism(bench.operation) && bench.payload_bytes == 0) {
    refuse("payload", "an object has at least one byte");
  }
  if (bench.operation == Operation::kSend && cluster.nodes == 1) {
    refuse("nodes", "send goes to another node");
  }
  if (bench.operation == Operation::kSend && bench.payload_bytes < 8) {
    refuse("payload", "a message of send takes at least the 8 bytes of its time stamp");
  }
  check_fabric(*this, said, true, sends_datagrams(*this));
}

void BenchCommand::complete() {
  complete_endpoint();
  bench.fibers = cluster.coroutines;
  bench.warm_up = cluster.warmup.value();
  bench.duration = cluster.duration.value();
  bench.seed = cluster.seed;
  bench.servers_sleep = !fabric.simulated;
}

std::uint32_t BenchCommand::receivers() const {
  const bool itself = bench.clients == 1 && bench.servers == cluster.nodes && cluster.nodes > 1;
  return itself ? bench.servers - 1 : bench.servers;
}

}  // namespace verbena::experiments
