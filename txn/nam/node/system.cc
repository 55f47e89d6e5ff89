// Roles, connections and options.
#include "txn/nam/node/system.h"

#include <algorithm>
#include <utility>

#include "rdma/base/errors.h"
#include "rdma/base/random.h"
#include "rdma/device/cluster_links.h"
#include "rdma/endpoint.h"
#include "txn/nam/durability/checkpoint.h"
#include "txn/nam/durability/recovery.h"
#include "txn/nam/measures.h"
#include "txn/nam/message_sizes.h"
#include "txn/nam/node/node.h"
#include "txn/nam/node/placement.h"
#include "txn/nam/transaction/transaction.h"
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

// Collectors lock records of their own and read the vector; compute servers may watch each other;
// memory servers may tell each other of their tables.
bool connected(std::size_t a, std::size_t b, bool reads_vector, bool oracle_on_memory, bool watches,
               bool grows) {
  if (a == kDoingBoth || b == kDoingBoth) return true;
  if (grows && a == kKeeping && b == kKeeping) return true;
  if (watches && a == kComputing && b == kComputing) return true;
  const bool counts = b == kCounting || (oracle_on_memory && b == kKeeping);
  return (a == kComputing) != (b == kComputing) || (reads_vector && a == kKeeping && counts);
}

// Digest of the options that nodes cannot see of each other, and have to have alike.
std::uint32_t agreement(const Options& options) {
  const NodeOptions& node = options.node;
  std::uint64_t digest = 0;
  for (const std::uint64_t one :
       {static_cast<std::uint64_t>(node.longest_transaction.count()),
        static_cast<std::uint64_t>(options.oracle), std::uint64_t{options.oracles},
        std::uint64_t{options.oracle_on_memory}, std::uint64_t{node.locality},
        std::uint64_t{node.journals}, std::uint64_t{node.heartbeat > 0},
        std::uint64_t{!node.checkpoints.empty()}, std::uint64_t{!node.restore.empty()},
        std::uint64_t{options.bucket_slots_percent}, std::uint64_t{options.first_buckets}}) {
    digest = mix64(digest ^ one);
  }
  return static_cast<std::uint32_t>(digest);
}

// Scratch of the fibers that read vectors: a node's own, and its collector, where it has both; and
// of those that write checkpoints or finish what others leave.
std::size_t background_scratch_bytes(const Layout& layout, const NodeOptions& options,
                                     const TransactionLimits& limits) {
  const bool both = options.locality && layout.collects();
  return SnapshotReader::scratch_bytes(layout) + (both ? layout.vector().bytes() : 0) +
         (options.checkpoints.empty() ? 0 : Checkpoints::scratch_bytes(layout)) +
         (options.heartbeat > 0 ? Recovery::scratch_bytes(layout, limits, options.journals) : 0);
}

}  // namespace

System::System(Options options) : options_(std::move(options)) {
  for (const bool forks : {false, true}) {
    for (const bool own : {false, true}) {
      for (const auto fresh : {Freshness::kNone, Freshness::kAsFetched, Freshness::kCurrent}) {
        SystemInfo& info = infos_[forks ? 1 : 0][own ? 1 : 0][static_cast<std::size_t>(fresh)];
        info = system_info(options_.name, options_.description, options_.source,
                           forks ? Isolation::kUpdateAtomicity : Isolation::kSnapshotIsolation);
        info.own_commits = own;
        info.freshness = fresh;
      }
    }
  }
}

// Clients are told of commits when the vector has them; a counter goes on later.
Freshness System::freshness() const {
  const NodeOptions& node = options_.node;
  if (options_.oracle == Oracle::kCounter || !node.await_publication) return Freshness::kNone;
  return node.background_snapshots ? Freshness::kAsFetched : Freshness::kCurrent;
}

// A counter is read whole.
bool System::forks() const {
  const NodeOptions& node = options_.node;
  if (options_.oracle == Oracle::kCounter) return false;
  return !node.stable_snapshots ||
         (node.background_snapshots && node.session == Session::kOverride);
}

const SystemInfo& System::info() const {
  const std::size_t own = options_.node.session == Session::kNone ? 0 : 1;
  return infos_[forks() ? 1 : 0][own][static_cast<std::size_t>(freshness())];
}

Shape System::shape(std::uint32_t clients) const {
  return {.clients = clients,
          .versions = options_.versions,
          .oracle = options_.oracle,
          .oracles = options_.oracles,
          .oracle_on_memory = options_.oracle_on_memory,
          .bucket_slots_percent = options_.bucket_slots_percent,
          .first_buckets = options_.first_buckets,
          .overflow_kib = options_.overflow_kib};
}

// The atomics of a memory server's NICs do not exclude each other, so it has one.
rdma::EndpointOptions System::endpoint(const rdma::EndpointOptions& asked,
                                       const Deployment& deployment, NodeId node) const {
  check_endpoint(options_, asked);
  const Layout layout(deployment, shape(asked.workers));
  const bool collects = layout.collects();
  const bool saves = !options_.node.checkpoints.empty();
  const bool watches = options_.node.heartbeat > 0;
  std::vector<std::uint16_t> groups;
  for (std::uint32_t n = 0; n < deployment.view.nodes(); ++n) {
    groups.push_back(group_of(deployment.view.role(static_cast<NodeId>(n))));
  }
  rdma::EndpointOptions endpoint = asked;
  endpoint.links = std::make_shared<const rdma::ClusterLinks>(
      std::vector<rdma::NodeGroup>{
          {.name = "compute", .workers = asked.workers, .nics = asked.nics, .own_node = false},
          {.name = "memory", .workers = options_.memory_workers, .own_node = collects || saves},
          {.name = "oracle", .workers = options_.memory_workers, .own_node = false},
          {.name = "compute and memory", .workers = asked.workers, .own_node = true}},
      groups,
      [reads_vector = collects || saves, watches, oracle_on_memory = options_.oracle_on_memory,
       grows = layout.grows()](std::size_t a, std::size_t b) {
        return connected(a, b, reads_vector, oracle_on_memory, watches, grows);
      });
  endpoint.workers = endpoint.links->workers(node);
  endpoint.nics = endpoint.links->nics(node);
  endpoint.agreement = agreement(options_);
  endpoint.background = collects || saves || watches || layout.overflows() || layout.grows() ||
                        options_.node.background_snapshots ||
                        options_.oracle == Oracle::kCompressed;
  endpoint.fibers_per_worker = deployment.fibers;
  endpoint.scratch_bytes =
      deployment.fibers * NamTransaction::scratch_bytes(layout, deployment.limits, options_.node) +
      background_scratch_bytes(layout, options_.node, deployment.limits);
  endpoint.rpc.max_message_bytes = std::min(
      endpoint.rpc.max_message_bytes, static_cast<std::uint32_t>(message_bytes(deployment.limits)));
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
                                          .oracle = Oracle::kCounter,
                                          .naive = true});
}

}  // namespace verbena::txn::nam
