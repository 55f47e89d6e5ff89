// Set-up of one node's part in transactions.
#include "txn/occ/transaction_node.h"

#include <algorithm>
#include <cassert>
#include <string>

#include "rdma/base/errors.h"
#include "rdma/rpc/rpc.h"
#include "rdma/rpc/rpc_message.h"
#include "rdma/worker.h"
#include "txn/index/bucket.h"
#include "txn/occ/coordinator.h"
#include "txn/occ/messages.h"
#include "txn/occ/past_logs.h"
#include "txn/occ/service.h"
#include "txn/occ/transaction.h"
#include "txn/view.h"

namespace verbena::txn::occ {
namespace {

// What limits messages, as users set it.
constexpr const char* kMessageLimit = " (rdma.rpc_max_message_bytes, or the port's MTU)";

// That a backup is asked to apply at once. Where messages have it apply them, it only has to tell.
constexpr std::uint64_t kReclaimedBytes = 2048;

constexpr std::uint32_t round_up(std::uint32_t bytes, std::uint32_t to) {
  return (bytes + to - 1) / to * to;
}

std::uint32_t largest_payload(const Schema& schema) {
  std::uint32_t largest = 0;
  for (const TableDefinition& table : schema) largest = std::max(largest, table.payload_bytes);
  return largest;
}

// Every phase may tell of a record, validation of one that was absent; who inserts asks the owner,
// which may have the record.
std::uint32_t largest_payload_in_messages(Schema schema, const Plan& plan) {
  const auto sends = [](const PhasePlan& phase) { return phase.primitive != Primitive::kOneSided; };
  const bool any = sends(plan.execute) || sends(plan.read) || sends(plan.validate) ||
                   sends(plan.read_validate) || sends(plan.commit) || plan.log_again;
  if (!any) std::erase_if(schema, [](const auto& table) { return table.insert_capacity == 0; });
  return schema.empty() ? 0 : largest_payload(schema);
}

std::uint32_t longest_log_record(const TransactionLimits& limits, std::uint32_t nodes) {
  return log_frame_bytes(std::min(limits.written, nodes)) + limits.written_bytes +
         limits.written * log_update_bytes(0);
}

// Two of the longest records: wherever the free space begins, one fits behind padding.
std::uint64_t least_log_ring_bytes(const TransactionLimits& limits, std::uint32_t nodes) {
  return (2 * std::uint64_t{longest_log_record(limits, nodes)} + 63) / 64 * 64;
}

// An upper bound for the images and payloads of the records of one transaction, and what goes with
// them.
std::size_t record_memory(const TransactionOptions& options) {
  const TransactionLimits& limits = options.limits;
  // Of each record: the two headers, a bucket, alignment.
  const std::size_t each = kLineBytes + 16 + Bucket::kBytes + 3 * kLineBytes;
  const std::size_t images = std::size_t{limits.record_bytes} * kLineBytes / (kLineBytes - 8);
  return limits.records * each + images + limits.record_bytes;
}

std::size_t arena_bytes_for(const TransactionOptions& options, std::uint32_t nodes) {
  const TransactionLimits& limits = options.limits;
  const std::uint32_t copies = options.replicas - 1;
  const std::uint32_t logged = limits.written + (options.plan.log_own_backups ? 1 : 0);
  const std::size_t logs = std::min<std::size_t>(nodes, std::size_t{logged} * copies);
  const std::uint32_t frame = log_frame_bytes(std::min(limits.written, nodes));
  // Composed for each backup, or once and a header for each; and the begin of a padding.
  const bool whole = options.plan.whole_log;
  const std::size_t log_bytes =
      (whole ? frame + logs * sizeof(LogHeader) : logs * frame) + logs * sizeof(std::uint64_t) +
      (whole ? 1 : copies) * (limits.written * log_update_bytes(0) + limits.written_bytes);
  return (record_memory(options) + log_bytes + kLineBytes - 1) / kLineBytes * kLineBytes;
}

TransactionOptions completed(TransactionOptions options, std::uint32_t nodes) {
  if (options.shortest_log_rings) {
    options.log_ring_bytes = least_log_ring_bytes(options.limits, nodes);
  } else if (options.log_ring_bytes == 0) {
    options.log_ring_bytes = TransactionNode::log_ring_bytes(options.limits, nodes);
  }
  return options;
}

TransactionOptions checked(const TransactionOptions& asked, std::uint32_t nodes) {
  TransactionOptions options = completed(asked, nodes);
  const TransactionLimits& limits = options.limits;
  auto refuse = [](const std::string& what) { throw ConfigurationError(what); };
  if (options.replicas == 0) refuse("replicas 0; allowed are 1 to the number of nodes");
  if (options.fibers == 0 || options.fibers > 32768) {
    refuse("coroutines " + std::to_string(options.fibers) + "; allowed are 1 to 32768");
  }
  if (limits.records == 0 || limits.records > 65535) {
    refuse("records per transaction " + std::to_string(limits.records) +
           "; allowed are 1 to 65535");
  }
  if (std::min(limits.written, nodes) > 255) {
    refuse("a transaction that writes to " + std::to_string(std::min(limits.written, nodes)) +
           " nodes; allowed are 255");
  }
  const std::uint64_t least = least_log_ring_bytes(limits, nodes);
  if (options.log_ring_bytes % 64 != 0 || options.log_ring_bytes < least) {
    refuse("run.log_ring_bytes " + std::to_string(options.log_ring_bytes) +
           "; allowed are multiples of 64 from " + std::to_string(least) +
           " on, twice the longest record");
  }
  if (options.location_cache_bytes == 0) options.plan.location_cache = false;
  return options;
}

Placement placement_of(const TransactionOptions& options, std::uint32_t nodes) {
  return {.nodes = options.servers == 0 ? nodes : options.servers, .replicas = options.replicas};
}

// Peers know the region by its number, which it has also where nothing is held.
rdma::Region& add_store(rdma::Endpoint& endpoint, const Schema& schema, const StoreLayout& layout) {
  if (layout.placement().holds_any(endpoint.node())) {
    return endpoint.add_region("store", layout.region_bytes(),
                               layout.loader(schema, endpoint.node()), layout.unit_areas());
  }
  constexpr std::uint64_t kPage = rdma::FirstTouchMemory::kPageBytes;
  return endpoint.add_region("store", kPage, {}, {{.begin = 0, .unit_bytes = kPage}});
}

}  // namespace

std::uint64_t TransactionNode::log_ring_bytes(const TransactionLimits& limits,
                                              std::uint32_t nodes) {
  constexpr std::uint64_t kUsual = 16 << 10;
  return std::max(kUsual, 4 * std::uint64_t{longest_log_record(limits, nodes)} / 64 * 64 + 64);
}

std::size_t TransactionNode::scratch_bytes(const TransactionOptions& options, std::uint32_t nodes) {
  return (arena_bytes_for(options, nodes) + kLineBytes) * options.fibers;
}

std::uint32_t TransactionNode::message_bytes(const Schema& schema,
                                             const TransactionOptions& options,
                                             std::uint32_t nodes) {
  const TransactionLimits& limits = options.limits;
  const auto update = static_cast<std::uint32_t>(sizeof(RecordUpdate));
  const auto group = static_cast<std::uint32_t>(sizeof(GroupHeader)) + limits.written * update +
                     limits.written_bytes;
  const auto check = static_cast<std::uint32_t>(sizeof(GroupHeader)) +
                     limits.records * static_cast<std::uint32_t>(sizeof(RecordCheck));
  const auto log = static_cast<std::uint32_t>(sizeof(LogPiece)) + longest_log_record(limits, nodes);
  const auto read =
      static_cast<std::uint32_t>(sizeof(ReadReply)) + padded_to_words(largest_payload(schema));
  const auto scan = static_cast<std::uint32_t>(sizeof(ScanReply) + limits.scanned * sizeof(Key));
  return static_cast<std::uint32_t>(sizeof(rdma::MessageHeader)) +
         std::max({group, check, log, read, scan});
}

TransactionNode::TransactionNode(rdma::Endpoint& endpoint, const Schema& schema,
                                 const TransactionOptions& options)
    : endpoint_(endpoint),
      schema_(schema),
      options_(checked(options, endpoint.nodes())),
      layout_(schema, placement_of(options, endpoint.nodes()), options.bucket_slots_percent),
      log_layout_{.nodes = endpoint.nodes(),
                  .workers = endpoint.links().workers(NodeId{0}),  // nodes with logs are alike
                  .ring_bytes = options_.log_ring_bytes},
      store_region_(add_store(endpoint, schema, layout_)),
      log_region_(
          endpoint.add_region("log", log_layout_.region_bytes(), {},
                              {{.begin = 0, .unit_bytes = rdma::FirstTouchMemory::kPageBytes}})),
      store_(layout_, endpoint.node(), store_region_.memory()),
      state_(store_, schema_),
      cache_(options.location_cache_bytes),
      arena_bytes_(arena_bytes_for(options, endpoint.nodes())) {
  if (options.warm_location_cache) warm_cache();
}

// Every table that is used from other nodes gets the same share of its records, lowest keys first,
// which workloads use most.
void TransactionNode::warm_cache() {
  const bool own = stores();
  const auto used = [own](const TableDefinition& table) { return table.remote || !own; };
  std::uint64_t records = 0;
  for (const TableDefinition& table : schema_) {
    if (used(table)) records += table.initial_records * (layout_.placement().nodes - (own ? 1 : 0));
  }
  const std::uint64_t places = options_.location_cache_bytes / 8;
  for (std::size_t table = 0; table < schema_.size(); ++table) {
    if (!used(schema_[table])) continue;
    const std::uint64_t all = schema_[table].initial_records;
    cache_.prefill(static_cast<TableId>(table), schema_[table].key_shape(),
                   records <= places ? all : all * places / records);
  }
}

TransactionNode::~TransactionNode() = default;

std::uint64_t TransactionNode::reclaimed_bytes() const {
  const std::uint64_t half = log_layout_.ring_bytes / 2;
  return plan().log_again ? half : std::min(kReclaimedBytes, half);
}

void TransactionNode::begin_warm(const PastWrites& past) {
  past_logs_ = std::make_unique<PastLogs>(schema_, layout_, log_layout_, past,
                                          PastLogs::Rules{.whole_log = plan().whole_log,
                                                          .log_own_backups = plan().log_own_backups,
                                                          .reclaimed_bytes = reclaimed_bytes()});
  for (const auto& coordinator : coordinators_) coordinator->log_space().begin_with(*past_logs_);
  for (const auto& service : services_) service->begin_with(*past_logs_, plan().log_again);
}

// Addresses are computed from the node's own layout.
void TransactionNode::check_peers() const {
  for (std::uint32_t i = 0; i < endpoint_.nodes(); ++i) {
    const auto peer = static_cast<NodeId>(i);
    if (!endpoint_.connected(peer)) continue;
    const bool holds = layout_.placement().holds_any(peer);
    const std::uint64_t store_bytes =
        holds ? layout_.region_bytes() : rdma::FirstTouchMemory::kPageBytes;
    if (endpoint_.region_size(peer, store_region_.id()) != store_bytes ||
        endpoint_.region_size(peer, log_region_.id()) != log_region_.size()) {
      throw ConfigurationError("node " + std::to_string(peer) +
                               " lays out its memory otherwise than node " +
                               std::to_string(node()) +
                               "; tables, replicas, log_ring_bytes, shortest_log_rings and "
                               "bucket_slots_percent must be the same on all nodes");
    }
  }
}

void TransactionNode::start() {
  assert(coordinators_.empty());
  check_peers();
  for (std::uint32_t i = 0; i < endpoint_.workers(); ++i) {
    rdma::Worker& worker = endpoint_.worker(static_cast<WorkerId>(i));
    coordinators_.push_back(std::make_unique<Coordinator>(*this, worker));
    services_.push_back(
        std::make_unique<Service>(*this, worker, coordinators_.back()->measurements()));
  }
  const std::size_t most = endpoint_.worker(0).rpc().max_payload();
  const std::size_t scanned = sizeof(ScanReply) + options_.limits.scanned * sizeof(Key);
  if (scanned > most) {
    throw ConfigurationError("scans of " + std::to_string(options_.limits.scanned) +
                             " keys need messages of " + std::to_string(scanned) +
                             " bytes; allowed are " + std::to_string(most) + kMessageLimit);
  }
  const std::size_t longest = sizeof(GroupHeader) + sizeof(RecordUpdate) +
                              round_up(largest_payload_in_messages(schema_, plan()), 8);
  if (longest > most) {
    throw ConfigurationError(
        "plan '" + plan().name + "' sends records in messages: the largest needs " +
        std::to_string(longest) + " bytes; allowed are " + std::to_string(most) + kMessageLimit);
  }
}

std::unique_ptr<txn::Transaction> TransactionNode::transaction(WorkerId worker,
                                                               std::uint16_t fiber) {
  return std::make_unique<Transaction>(coordinator(worker), fiber);
}

std::vector<std::function<void()>> TransactionNode::background(WorkerId worker) {
  if (node() < options_.servers) return {};
  return {[&keeper = coordinator(worker).log_space()] { keeper.keep(); }};
}

void TransactionNode::transactions_done(WorkerId worker) {
  coordinator(worker).log_space().transactions_done();
}

void TransactionNode::measure(WorkerId worker, Nanoseconds from, Nanoseconds until) {
  coordinator(worker).measurements().measure(from, until);
}

Metrics& TransactionNode::metrics(WorkerId worker) {
  return coordinator(worker).measurements().metrics();
}

const History* TransactionNode::history(WorkerId worker) const {
  return coordinators_[worker]->measurements().history();
}

LogRingMemory TransactionNode::ring(NodeId source, WorkerId worker) {
  return {log_region_.memory(), log_layout_.ring_offset(source, worker), log_layout_.ring_bytes};
}

}  // namespace verbena::txn::occ
