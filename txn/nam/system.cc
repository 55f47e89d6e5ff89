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
#include "txn/nam/recovery.h"
#include "txn/nam/service.h"
#include "txn/nam/transaction.h"
#include "txn/plan/plan_file.h"

namespace verbena::txn::nam {
namespace {

enum Group : std::uint16_t { kComputing, kKeeping, kCounting };

Group group_of(Role role) {
  if (role == Role::kCompute) return kComputing;
  return role == Role::kMemory ? kKeeping : kCounting;
}

}  // namespace

System::System(Options options)
    : options_(std::move(options)),
      stable_(system_info(options_.name, options_.description, options_.source,
                          Isolation::kSnapshotIsolation)),
      torn_(system_info(options_.name, options_.description, options_.source,
                        Isolation::kUpdateAtomicity)) {}

const SystemInfo& System::info() const {
  const NodeOptions& node = options_.node;
  const bool forks = node.background_snapshots && node.session == Session::kOverride;
  return node.stable_snapshots && !forks ? stable_ : torn_;
}

std::vector<ParameterSection> System::parameters() {
  return {
      {.name = "nam",
       .parameters = {
           {.name = "memory_nodes",
            .help = "memory servers; 0: half of the nodes besides the oracle",
            .target = &options_.memory_nodes,
            .maximum = 1000},
           {.name = "memory_workers",
            .help = "threads of a memory server, at most --threads",
            .target = &options_.memory_workers,
            .minimum = 1,
            .maximum = 1024},
           {.name = "oracle_on_memory",
            .help = "whether the first memory server keeps the vector of commits, instead of a "
                    "node of its own",
            .target = &options_.oracle_on_memory},
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
                    "another, or sees its commits all the same",
            .target = Parameter::Choice{
                [this] { return static_cast<std::size_t>(options_.node.session); },
                [this](std::size_t i) { options_.node.session = static_cast<Session>(i); }},
            .choices = {"wait", "override"}},
           {.name = "journals",
            .help = "memory servers to which a coroutine writes what it will install, before it "
                    "does, so that others can finish it; 0: none, else at least 2",
            .target = &options_.node.journals,
            .maximum = 1000},
           {.name = "journal_bytes",
            .help = "of each coroutine's ring of such entries at a server; 0: room for four of "
                    "the longest",
            .target = &options_.node.journal_bytes,
            .maximum = 1e9},
           {.name = "heartbeat",
            .help = "how often a compute server tells the next one that it is alive; then those "
                    "that die are found out and their transactions are finished, which needs "
                    "journals; 0: no",
            .target = &options_.node.heartbeat,
            .maximum = 1e9},
           {.name = "suspect_after",
            .help = "a compute server counts as dead when it has been silent for so long",
            .target = &options_.node.suspect_after,
            .minimum = 1000,
            .maximum = 2e8},
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

void System::check_recovery() const {
  const NodeOptions& node = options_.node;
  if (node.journals == 1) {
    throw ConfigurationError(
        "nam.journals 1; allowed are 0, and from 2 on: one copy is lost with its server");
  }
  if (node.heartbeat == 0) return;
  if (node.journals == 0) {
    throw ConfigurationError("nam.heartbeat " + std::to_string(node.heartbeat.count()) +
                             " ns; allowed is 0, or nam.journals: without them nobody can finish "
                             "what a server has begun to install");
  }
  if (node.suspect_after < 2 * node.heartbeat) {
    throw ConfigurationError("nam.suspect_after " + std::to_string(node.suspect_after.count()) +
                             " ns; allowed is at least twice nam.heartbeat, " +
                             std::to_string(2 * node.heartbeat.count()) + " ns");
  }
}

View System::place(const ClusterShape& shape) const {
  if (shape.replicas != 1) {
    throw ConfigurationError("replicas " + std::to_string(shape.replicas) + "; system '" +
                             options_.name + "' keeps 1 copy of each record");
  }
  if (options_.node.session == Session::kOverride && !options_.node.background_snapshots) {
    throw ConfigurationError(
        "nam.session override; allowed are wait, or nam.background_snapshots=true");
  }
  check_recovery();
  const std::uint32_t oracles = options_.oracle_on_memory ? 0 : 1;
  if (shape.nodes < 2 + oracles) {
    throw ConfigurationError("nodes " + std::to_string(shape.nodes) + "; system '" + options_.name +
                             "' needs " + std::to_string(2 + oracles) +
                             ": to compute, to keep records" +
                             (oracles == 1 ? ", and for the vector of commits" : ""));
  }
  const std::uint32_t others = shape.nodes - oracles;
  const std::uint32_t memory = options_.memory_nodes == 0 ? others / 2 : options_.memory_nodes;
  if (memory >= others) {
    throw ConfigurationError("nam.memory_nodes " + std::to_string(memory) +
                             "; allowed are at most " + std::to_string(others - 1) + " of " +
                             std::to_string(shape.nodes) + " nodes");
  }
  if (options_.node.journals > memory) {
    throw ConfigurationError("nam.journals " + std::to_string(options_.node.journals) +
                             "; allowed are at most as many as memory servers, " +
                             std::to_string(memory));
  }
  std::vector<Role> roles(shape.nodes, Role::kOracle);
  std::fill_n(roles.begin(), others, Role::kMemory);
  std::fill_n(roles.begin(), others - memory, Role::kCompute);
  std::vector<std::vector<NodeId>> holders;
  for (std::uint32_t p = 0; p < memory; ++p) {
    holders.push_back({static_cast<NodeId>(others - memory + p)});
  }
  return {1, std::move(roles), std::move(holders)};
}

Shape System::shape(std::uint32_t clients) const {
  return {.clients = clients,
          .versions = options_.versions,
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
  const Layout layout(deployment, shape(asked.workers));
  const bool watches = options_.node.heartbeat > 0;
  // Collectors read the vector and lock records of their own.
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
          {.name = "oracle", .workers = options_.memory_workers, .own_node = false}},
      groups,
      [collects, watches, oracle_on_memory = options_.oracle_on_memory](std::size_t a,
                                                                        std::size_t b) {
        const bool counts = b == kCounting || (oracle_on_memory && b == kKeeping);
        if (watches && a == kComputing && b == kComputing) return true;
        return (a == kComputing) != (b == kComputing) || (collects && a == kKeeping && counts);
      });
  endpoint.workers = endpoint.links->workers(node);
  endpoint.nics = endpoint.links->nics(node);
  endpoint.agreement = static_cast<std::uint32_t>(
      mix64(static_cast<std::uint64_t>(options_.node.longest_transaction.count()) ^
            std::uint64_t{options_.node.journals} << 48 ^ (watches ? std::uint64_t{1} << 63 : 0)));
  endpoint.background = collects || watches || options_.node.background_snapshots;
  endpoint.fibers_per_worker = deployment.fibers;
  endpoint.scratch_bytes =
      deployment.fibers * NamTransaction::scratch_bytes(layout, deployment.limits, options_.node) +
      SnapshotReader::scratch_bytes(layout) +
      (watches ? Recovery::scratch_bytes(layout, deployment.limits) : 0);
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

}  // namespace verbena::txn::nam
