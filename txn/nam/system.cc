// Roles, connections and options.
#include "txn/nam/system.h"

#include <algorithm>
#include <utility>

#include "rdma/base/errors.h"
#include "rdma/base/random.h"
#include "rdma/device/cluster_links.h"
#include "rdma/endpoint.h"
#include "txn/nam/measures.h"
#include "txn/nam/node.h"
#include "txn/nam/service.h"
#include "txn/nam/transaction.h"
#include "txn/plan/plan_file.h"

namespace verbena::txn::nam {
namespace {

enum Group : std::uint16_t { kComputing, kKeeping, kCounting, kDoingBoth };

Group group_of(Role role) {
  switch (role) {
    case Role::kBoth:
      return kDoingBoth;
    case Role::kCompute:
      return kComputing;
    case Role::kMemory:
      return kKeeping;
    case Role::kOracle:
      return kCounting;
  }
  return kCounting;
}

// Collectors lock records of their own and read the vector.
bool connected(std::size_t a, std::size_t b, bool collects, bool oracle_on_memory) {
  if (a == kDoingBoth || b == kDoingBoth) return true;
  const bool counts = b == kCounting || (oracle_on_memory && b == kKeeping);
  return (a == kComputing) != (b == kComputing) || (collects && a == kKeeping && counts);
}

// Of the fibers that read vectors: a node's own, and its collector, where it has both.
std::size_t background_scratch_bytes(const Layout& layout, const NodeOptions& options) {
  const bool both = options.locality && layout.collects();
  return SnapshotReader::scratch_bytes(layout) + (both ? layout.vector_bytes() : 0);
}

}  // namespace

System::System(Options options) : options_(std::move(options)) {
  for (const bool forks : {false, true}) {
    for (const bool own : {false, true}) {
      SystemInfo& info = infos_[forks ? 1 : 0][own ? 1 : 0];
      info = system_info(options_.name, options_.description, options_.source,
                         forks ? Isolation::kUpdateAtomicity : Isolation::kSnapshotIsolation);
      info.own_commits = own;
    }
  }
}

// A counter is read whole.
bool System::forks() const {
  const NodeOptions& node = options_.node;
  if (options_.oracle == Oracle::kCounter) return false;
  return !node.stable_snapshots ||
         (node.background_snapshots && node.session == Session::kOverride);
}

const SystemInfo& System::info() const {
  return infos_[forks() ? 1 : 0][options_.node.session == Session::kNone ? 0 : 1];
}

std::vector<ParameterSection> System::parameters() {
  return {{.name = "nam",
           .parameters = {
               {.name = "memory_nodes",
                .help = "memory servers; 0: half of the nodes besides the oracle, or with locality "
                        "all of them",
                .target = &options_.memory_nodes,
                .maximum = 1000},
               {.name = "memory_workers",
                .help = "threads of a node that does not compute, at most --threads",
                .target = &options_.memory_workers,
                .minimum = 1,
                .maximum = 1024},
               {.name = "oracle",
                .help = "what tells snapshots: a vector with a slot of each coroutine, or of each "
                        "compute server (compressed), or one counter of all",
                .target = Parameter::Choice{
                    [this] { return static_cast<std::size_t>(options_.oracle); },
                    [this](std::size_t i) { options_.oracle = static_cast<Oracle>(i); }},
                .choices = {"vector", "compressed", "counter"}},
               {.name = "oracles",
                .help = "servers that keep parts of the vector of commits",
                .target = &options_.oracles,
                .minimum = 1,
                .maximum = 1000},
               {.name = "oracle_on_memory",
                .help = "whether the first memory servers keep the vector of commits, instead of "
                        "nodes of their own",
                .target = &options_.oracle_on_memory},
               {.name = "locality",
                .help = "whether all nodes besides the oracle are compute and memory servers both, "
                        "whose CPUs access the records of their own machine; locks are taken by "
                        "NICs there, too",
                .target = &options_.node.locality},
               {.name = "stable_snapshots",
                .help = "whether a vector of more than a cache line is read until it is the same "
                        "twice; else snapshots may be torn, and two of them may each hold what the "
                        "other does not",
                .target = &options_.node.stable_snapshots},
               {.name = "background_snapshots",
                .help = "whether a coroutine of each compute server READs the vector of commits "
                        "again and again, and transactions take what it has read last; else each "
                        "READs it",
                .target = &options_.node.background_snapshots},
               {.name = "session",
                .help = "of who would take a vector without its own last commit: it waits for "
                        "another, or sees its commits all the same (override), or may miss them",
                .target = Parameter::Choice{
                    [this] { return static_cast<std::size_t>(options_.node.session); },
                    [this](std::size_t i) { options_.node.session = static_cast<Session>(i); }},
                .choices = {"wait", "override", "none"}},
               {.name = "await_publication",
                .help = "whether a commit is reported when the vector of commits has it; else when "
                        "it is on its way there",
                .target = &options_.node.await_publication},
               {.name = "stamp_empty",
                .help = "whether transactions that might have written, but have not, commit as if "
                        "they had: to measure the oracle alone",
                .target = &options_.node.stamp_empty},
               {.name = "versions",
                .help = "old versions that are kept of each record",
                .target = &options_.versions,
                .minimum = 1,
                .maximum = 64},
               {.name = "longest_transaction",
                .help = "after this time a transaction's snapshot is of no use any more, so that "
                        "what nobody can come to read is taken out of indexes",
                .target = &options_.node.longest_transaction,
                .minimum = 10'000,
                .maximum = 3.6e12},
               {.name = "bucket_slots_percent",
                .help = "slots of hash buckets for each 100 records that may be inserted; with "
                        "fewer, more buckets overflow into others",
                .target = &options_.bucket_slots_percent,
                .minimum = 1,
                .maximum = 1000}}}};
}

void System::check(const ClusterShape& shape) const {
  if (shape.replicas != 1) {
    throw ConfigurationError("replicas " + std::to_string(shape.replicas) + "; system '" +
                             options_.name + "' keeps 1 copy of each record");
  }
  check_choices();
  const std::uint32_t oracles = options_.oracle_on_memory ? 0 : options_.oracles;
  const std::uint32_t least = (options_.node.locality ? 1 : 2) + oracles;
  if (shape.nodes < least) {
    throw ConfigurationError(
        "nodes " + std::to_string(shape.nodes) + "; system '" + options_.name + "' needs " +
        std::to_string(least) + ": to compute" +
        (options_.node.locality ? " and to keep records" : ", to keep records") +
        (oracles > 0 ? ", and as oracles" : ""));
  }
  if (options_.node.locality && options_.memory_nodes != 0) {
    throw ConfigurationError("nam.memory_nodes " + std::to_string(options_.memory_nodes) +
                             "; with nam.locality=true all nodes are, allowed is 0");
  }
}

View System::place(const ClusterShape& shape) const {
  check(shape);
  const std::uint32_t others = shape.nodes - (options_.oracle_on_memory ? 0 : options_.oracles);
  std::vector<Role> roles(shape.nodes, Role::kOracle);
  std::vector<std::vector<NodeId>> holders;
  if (options_.node.locality) {
    check_oracles(others);
    std::fill_n(roles.begin(), others, Role::kBoth);
    for (std::uint32_t n = 0; n < others; ++n) holders.push_back({static_cast<NodeId>(n)});
    return {1, std::move(roles), std::move(holders)};
  }
  const std::uint32_t memory = options_.memory_nodes == 0 ? others / 2 : options_.memory_nodes;
  if (memory >= others) {
    throw ConfigurationError("nam.memory_nodes " + std::to_string(memory) +
                             "; allowed are at most " + std::to_string(others - 1) + " of " +
                             std::to_string(shape.nodes) + " nodes");
  }
  check_oracles(memory);
  std::fill_n(roles.begin(), others, Role::kMemory);
  std::fill_n(roles.begin(), others - memory, Role::kCompute);
  for (std::uint32_t p = 0; p < memory; ++p) {
    holders.push_back({static_cast<NodeId>(others - memory + p)});
  }
  return {1, std::move(roles), std::move(holders)};
}

// How many of them there are follows from the cluster.
void System::check_oracles(std::uint32_t memory_servers) const {
  if (!options_.oracle_on_memory || options_.oracles <= memory_servers) return;
  throw ConfigurationError("nam.oracles " + std::to_string(options_.oracles) +
                           "; allowed are at most as many as memory servers, " +
                           std::to_string(memory_servers) + ", with nam.oracle_on_memory=true");
}

// What works together, whatever the cluster.
void System::check_choices() const {
  const bool vector = options_.oracle == Oracle::kVector;
  // Others' commits are in the same slot, and may be half there.
  if (options_.node.session == Session::kOverride &&
      !(vector && options_.node.background_snapshots)) {
    throw ConfigurationError(
        "nam.session override; allowed are wait and none, or nam.oracle=vector with "
        "nam.background_snapshots=true");
  }
  if (options_.oracles > 1 && options_.oracle == Oracle::kCounter) {
    throw ConfigurationError("nam.oracles " + std::to_string(options_.oracles) +
                             "; allowed is 1, with nam.oracle=counter");
  }
}

Shape System::shape(std::uint32_t clients) const {
  return {.clients = clients,
          .versions = options_.versions,
          .oracle = options_.oracle,
          .oracles = options_.oracles,
          .oracle_on_memory = options_.oracle_on_memory,
          .bucket_slots_percent = options_.bucket_slots_percent};
}

// The atomics of a memory server's NICs do not exclude each other, so it has one.
rdma::EndpointOptions System::endpoint(const rdma::EndpointOptions& asked,
                                       const Deployment& deployment, NodeId node) const {
  if (options_.memory_workers > asked.workers) {
    throw ConfigurationError("nam.memory_workers " + std::to_string(options_.memory_workers) +
                             "; allowed are at most as many as --threads " +
                             std::to_string(asked.workers));
  }
  if (!options_.node.await_publication && asked.qps_per_peer > 1 &&
      options_.oracle == Oracle::kVector) {
    throw ConfigurationError(
        "nam.await_publication false; allowed with --connections 1 only, since the vector would go "
        "back where WRITEs of a slot overtake each other");
  }
  if (options_.node.locality && asked.nics != 1) {
    throw ConfigurationError(
        "--nics-per-node " + std::to_string(asked.nics) +
        "; allowed is 1 with nam.locality=true: a memory server has one, since "
        "atomics of several do not exclude each other");
  }
  const Layout layout(deployment, shape(asked.workers));
  const bool collects = layout.collects();
  std::vector<std::uint16_t> groups;
  for (std::uint32_t n = 0; n < deployment.view.nodes(); ++n) {
    groups.push_back(group_of(deployment.view.role(static_cast<NodeId>(n))));
  }
  rdma::EndpointOptions endpoint = asked;
  endpoint.links = std::make_shared<const rdma::ClusterLinks>(
      std::vector<rdma::NodeGroup>{
          {.name = "compute", .workers = asked.workers, .nics = asked.nics, .own_node = false},
          {.name = "memory", .workers = options_.memory_workers, .own_node = collects},
          {.name = "oracle", .workers = options_.memory_workers, .own_node = false},
          {.name = "compute and memory", .workers = asked.workers, .own_node = true}},
      groups,
      [collects, oracle_on_memory = options_.oracle_on_memory](std::size_t a, std::size_t b) {
        return connected(a, b, collects, oracle_on_memory);
      });
  endpoint.workers = endpoint.links->workers(node);
  endpoint.nics = endpoint.links->nics(node);
  endpoint.agreement = static_cast<std::uint32_t>(
      mix64(static_cast<std::uint64_t>(options_.node.longest_transaction.count())));
  endpoint.background =
      collects || options_.node.background_snapshots || options_.oracle == Oracle::kCompressed;
  endpoint.fibers_per_worker = deployment.fibers;
  endpoint.scratch_bytes =
      deployment.fibers * NamTransaction::scratch_bytes(layout, deployment.limits, options_.node) +
      background_scratch_bytes(layout, options_.node);
  endpoint.rpc.max_message_bytes =
      std::min(endpoint.rpc.max_message_bytes,
               static_cast<std::uint32_t>(Service::message_bytes(deployment.limits)));
  return endpoint;
}

std::unique_ptr<Participant> System::join(rdma::Endpoint& endpoint,
                                          const Deployment& deployment) const {
  if (deployment.record_history) {
    throw ConfigurationError("system '" + options_.name + "' writes no histories");
  }
  const rdma::ClusterLinks& links = endpoint.links();
  std::uint32_t clients = 0;
  for (std::uint32_t n = 0; n < links.nodes(); ++n) {
    const auto node = static_cast<NodeId>(n);
    if (deployment.view.computes(node)) clients = links.workers(node);
  }
  return std::make_unique<Node>(endpoint, deployment, info(), shape(clients), options_.node);
}

std::unique_ptr<txn::System> parse_system(const std::string& name, const std::string& file,
                                          std::string_view text) {
  const SystemWords words = system_words(name, file, text);
  return std::make_unique<System>(
      Options{.name = words.name, .description = words.description, .source = words.source});
}

std::unique_ptr<txn::System> parse_naive_system(const std::string& name, const std::string& file,
                                                std::string_view text) {
  const SystemWords words = system_words(name, file, text);
  return std::make_unique<System>(Options{.name = words.name,
                                          .description = words.description,
                                          .source = words.source,
                                          .oracle = Oracle::kCounter});
}

}  // namespace verbena::txn::nam
