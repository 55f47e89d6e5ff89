// Roles, connections and options.
#include "txn/si2pc/system.h"

#include <algorithm>
#include <utility>

#include "rdma/base/errors.h"
#include "rdma/base/random.h"
#include "rdma/device/cluster_links.h"
#include "rdma/endpoint.h"
#include "txn/plan/plan_file.h"
#include "txn/si2pc/measures.h"
#include "txn/si2pc/service.h"

namespace verbena::txn::si2pc {
namespace {

enum Group : std::uint16_t { kPartitions, kCounting };

}  // namespace

System::System(Options options)
    : options_(std::move(options)),
      info_(system_info(options_.name, options_.description, options_.source)) {}

std::vector<ParameterSection> System::parameters() {
  return {{.name = "si2pc",
           .parameters = {{.name = "counter_workers",
                           .help = "threads of the counter server; 0: as many as --threads",
                           .target = &options_.counter_workers,
                           .maximum = 1024},
                          {.name = "versions",
                           .help = "old versions that are kept of each record",
                           .target = &options_.node.versions,
                           .minimum = 1,
                           .maximum = 64},
                          {.name = "longest_transaction",
                           .help = "age at which a transaction's snapshot is no longer of use, so "
                                   "that entries nobody can read any more are taken out of indexes",
                           .target = &options_.node.longest_transaction,
                           .minimum = 10'000,
                           .maximum = 3.6e12},
                          {.name = "bucket_slots_percent",
                           .help = "slots of hash buckets for each 100 records that may be "
                                   "inserted; with fewer, more buckets overflow into others",
                           .target = &options_.node.bucket_slots_percent,
                           .minimum = 1,
                           .maximum = 1000}}}};
}

View System::place(const ClusterShape& shape) const {
  if (shape.replicas != 1) {
    throw ConfigurationError("replicas " + std::to_string(shape.replicas) + "; system '" +
                             options_.name + "' keeps 1 copy of each record");
  }
  if (shape.nodes < 2) {
    throw ConfigurationError("nodes " + std::to_string(shape.nodes) + "; system '" + options_.name +
                             "' needs 2: for a partition, and for timestamps");
  }
  std::vector<Role> roles(shape.nodes, Role::kBoth);
  roles.back() = Role::kOracle;
  std::vector<std::vector<NodeId>> holders;
  for (std::uint32_t p = 0; p + 1 < shape.nodes; ++p) holders.push_back({static_cast<NodeId>(p)});
  return {std::move(roles), std::move(holders)};
}

// A node's own partition needs no queue pairs.
rdma::EndpointOptions System::endpoint(const rdma::EndpointOptions& asked,
                                       const Deployment& deployment, NodeId node) const {
  if (options_.counter_workers > asked.workers) {
    throw ConfigurationError("si2pc.counter_workers " + std::to_string(options_.counter_workers) +
                             "; allowed are at most as many as --threads " +
                             std::to_string(asked.workers));
  }
  const std::uint32_t counting =
      options_.counter_workers == 0 ? asked.workers : options_.counter_workers;
  std::vector<std::uint16_t> groups(deployment.view.nodes(), kPartitions);
  groups.back() = kCounting;
  rdma::EndpointOptions endpoint = asked;
  endpoint.links = std::make_shared<const rdma::ClusterLinks>(
      std::vector<rdma::NodeGroup>{
          {.name = "partition", .workers = asked.workers, .nics = asked.nics, .own_node = false},
          {.name = "counter server",
           .workers = counting,
           .nics = std::min(asked.nics, counting),
           .own_node = false}},
      groups, [](std::size_t a, std::size_t b) { return a == kPartitions || b == kPartitions; });
  endpoint.workers = endpoint.links->workers(node);
  endpoint.nics = endpoint.links->nics(node);
  endpoint.agreement = static_cast<std::uint32_t>(
      mix64(static_cast<std::uint64_t>(options_.node.longest_transaction.count())));
  endpoint.fibers_per_worker = deployment.fibers;
  endpoint.scratch_bytes = 0;
  endpoint.rpc.max_message_bytes = std::min(
      endpoint.rpc.max_message_bytes,
      static_cast<std::uint32_t>(Service::message_bytes(deployment.schema, deployment.limits)));
  return endpoint;
}

std::unique_ptr<Participant> System::join(rdma::Endpoint& endpoint,
                                          const Deployment& deployment) const {
  if (deployment.record_history) {
    throw ConfigurationError("system '" + options_.name + "' writes no histories");
  }
  return std::make_unique<Node>(endpoint, deployment, info(), options_.node);
}

std::unique_ptr<txn::System> parse_system(const std::string& name, const std::string& file,
                                          std::string_view text) {
  const SystemWords words = system_words(name, file, text);
  return std::make_unique<System>(
      Options{.name = words.name, .description = words.description, .source = words.source});
}

}  // namespace verbena::txn::si2pc
