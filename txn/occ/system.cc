// Setting up optimistic concurrency control on a cluster.
#include "txn/occ/system.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "rdma/base/errors.h"
#include "rdma/device/cluster_links.h"
#include "rdma/endpoint.h"
#include "txn/occ/node/measures.h"
#include "txn/occ/node/node_sizes.h"
#include "txn/occ/transaction_node.h"
#include "txn/plan/plan_file.h"

namespace verbena::txn::occ {

namespace {

// Threads of servers, or of clients.
std::vector<Parameter> apart_parameters(Options& options) {
  std::vector<Parameter> all = worker_parameters(options.workers);
  for (Parameter& one : all) {
    one.condition = "0 without run.servers";
    one.holds = [&options, target = std::get<std::uint32_t*>(one.target)] {
      return options.servers > 0 || *target == 0;
    };
  }
  return all;
}

}  // namespace

std::vector<ParameterSection> parameters(Options& options) {
  constexpr double kMemory = 64.0 * (1 << 30);
  std::vector<ParameterSection> sections = {
      {.name = "run",
       .parameters =
           {{.name = "log_ring_bytes",
             .help = "bytes of the log ring of each worker at each backup, a multiple of 64; 0: as "
                     "many as serve well",
             .target = &options.log_ring_bytes,
             .maximum = kMemory},
            {.name = "shortest_log_rings",
             .help = "make log rings as short as they may be, whatever log_ring_bytes says, so "
                     "that transactions wait for space",
             .target = &options.shortest_log_rings},
            {.name = "location_cache_bytes",
             .help = "bytes of a node's cache of record locations, at most; 0: there is none",
             .target = &options.location_cache_bytes,
             .maximum = kMemory},
            {.name = "warm_location_cache",
             .help = "begin with a cache of record locations as a long run would have filled it",
             .target = &options.warm_location_cache},
            {.name = "bucket_slots_percent",
             .help = "slots of hash buckets for each 100 records that may be inserted; with fewer, "
                     "more buckets overflow into others",
             .target = &options.bucket_slots_percent,
             .minimum = 1,
             .maximum = 1000},
            {.name = "servers",
             .help = "number of nodes, the first ones, that hold a partition each and run no "
                     "transactions, while the others hold none; only without replicas; 0: every "
                     "node does both",
             .target = &options.servers,
             .maximum = UINT16_MAX},
            {.name = "execution_time",
             .help = "time that counts as the execution phase: all of it, or from its first "
                     "request for another node's record to the last answer",
             .target = choice_of(options.execution_is_remote_reads),
             .choices = {"whole", "remote-reads"}}}},
      {.name = "plan",
       .parameters = {
           {.name = "trust_atomics_across_nics",
            .help = "take atomics of several NICs of one node to exclude each other",
            .target = &options.plan.trust_atomics_across_nics},
           {.name = "whole_log",
            .help = "send all updates of a transaction to every backup of a record it wrote (the "
                    "plan's log.whole)",
            .target = &options.plan.whole_log},
           {.name = "log_own_backups",
            .help = "send a log record to the backups of the coordinator's own partition even when "
                    "nothing was written there",
            .target = &options.plan.log_own_backups},
           {.name = "log_again",
            .help = "send the updates to backups once more, by messages, applied on arrival; else "
                    "backups apply them from their rings, those of many transactions at once",
            .target = &options.plan.log_again},
           {.name = "validate_written",
            .help = "validate records that were locked to be written like those only read, as "
                    "PRISM's authors describe FaRM; needs validate=one-sided",
            .target = &options.plan.validate_written},
           {.name = "ignore_conflicts",
            .help = "ignore failed locks and failed validations: only a lock that a read is to "
                    "take (execute.locks) can still abort; results are not serializable, so only "
                    "their cost can be measured",
            .target = &options.plan.ignore_conflicts}}}};
  for (Parameter& one : apart_parameters(options)) {
    sections.front().parameters.push_back(std::move(one));
  }
  return sections;
}

System::System(Options options) : options_(std::move(options)) {
  infos_.fill(system_info(options_.plan));
  for (const std::size_t ignoring : {1, 3}) {
    infos_[ignoring].isolation = Isolation::kNone;
    infos_[ignoring].nothing_by = "plan.ignore_conflicts true";
  }
  for (const std::size_t apart : {2, 3}) infos_[apart].replicates = false;
}

const SystemInfo& System::info() const {
  return infos_[(options_.plan.ignore_conflicts ? 1 : 0) + (options_.servers > 0 ? 2 : 0)];
}

std::vector<ParameterSection> System::parameters() { return occ::parameters(options_); }

void System::set_defaults(const FabricTraits& fabric) {
  options_.plan.trust_atomics_across_nics = fabric.atomics_exclude_across_nics;
}

void System::change(const std::string& changes) { options_.plan = changed(options_.plan, changes); }

namespace {

// All partitions have as many copies.
std::uint32_t replicas(const View& view) {
  return static_cast<std::uint32_t>(1 + view.backups(0).size());
}

// NICs by which others reach records of a node.
std::uint32_t nics_of_holders(const View& view, const rdma::EndpointOptions& endpoint) {
  return endpoint.links == nullptr ? endpoint.nics : endpoint.links->nics(view.primary(0));
}

}  // namespace

View System::place(const ClusterShape& shape) const {
  if (options_.servers == 0) return View::ring(shape);
  const std::string said = "run.servers " + std::to_string(options_.servers);
  if (shape.replicas != 1) {
    throw ConfigurationError(said + "; allowed is 0 with replicas " +
                             std::to_string(shape.replicas) +
                             ", since servers apart from clients have no backups");
  }
  if (options_.servers >= shape.nodes) {
    throw ConfigurationError(said + "; allowed are 0 to " + std::to_string(shape.nodes - 1) +
                             ", fewer than the nodes");
  }
  return View::apart(shape.nodes, options_.servers);
}

NodeOptions System::node_options(const Deployment& deployment, std::uint32_t nics) const {
  NodeOptions options{static_cast<const Settings&>(options_)};
  options.plan = resolve(options_.plan, {.cpu_coherent_atomics = false, .nics = nics});
  options.replicas = replicas(deployment.view);
  options.fibers = deployment.fibers;
  options.limits = deployment.limits;
  options.record_history = deployment.record_history;
  return options;
}

rdma::EndpointOptions System::endpoint(const rdma::EndpointOptions& asked,
                                       const Deployment& deployment, NodeId node) const {
  rdma::EndpointOptions endpoint = asked;
  if (options_.servers > 0) {
    endpoint = apart_endpoint(deployment.view, options_.workers, "run", asked, node);
  }
  const NodeOptions options = node_options(deployment, nics_of_holders(deployment.view, endpoint));
  const std::uint32_t nodes = deployment.view.nodes();
  endpoint.fibers_per_worker = deployment.fibers + 1;  // and the log keeper
  endpoint.scratch_bytes = scratch_bytes(options, nodes);
  // Every receive buffer has room for the longest, and all of them are used in turn.
  endpoint.rpc.max_message_bytes =
      std::min(endpoint.rpc.max_message_bytes, message_bytes(deployment.schema, options, nodes));
  return endpoint;
}

std::unique_ptr<Participant> System::join(rdma::Endpoint& endpoint,
                                          const Deployment& deployment) const {
  const View& view = deployment.view;
  // Records are found by arithmetic (Placement).
  if (view != place({view.nodes(), replicas(view)})) {
    throw ConfigurationError("system '" + info().name + "': node p holds partition p");
  }
  return std::make_unique<TransactionNode>(
      endpoint, deployment.schema,
      node_options(deployment, nics_of_holders(view, endpoint.options())));
}

std::unique_ptr<txn::System> parse_system(const std::string& name, const std::string& file,
                                          std::string_view text) {
  return std::make_unique<System>(Options{{.plan = parse_plan(name, file, text)}});
}

}  // namespace verbena::txn::occ
