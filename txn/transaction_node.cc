// Set-up of one node's part in transactions.
#include "txn/transaction_node.h"

#include <algorithm>
#include <string>

#include "rdma/rpc.h"
#include "rdma/rpc_message.h"
#include "rdma/seam/errors.h"
#include "rdma/worker.h"
#include "txn/bucket.h"
#include "txn/coordinator.h"
#include "txn/messages.h"
#include "txn/service.h"

namespace verbena::txn {
namespace {

constexpr std::uint32_t round_up(std::uint32_t bytes, std::uint32_t to) {
  return (bytes + to - 1) / to * to;
}

std::uint32_t largest_payload(const Schema& schema) {
  std::uint32_t largest = 0;
  for (const TableDefinition& table : schema) largest = std::max(largest, table.payload_bytes);
  return largest;
}

std::uint32_t longest_log_record(const Schema& schema, std::uint32_t max_records) {
  return log_frame_bytes(max_records) + max_records * log_update_bytes(largest_payload(schema));
}

std::size_t arena_bytes_for(const Schema& schema, const TransactionOptions& options,
                            std::uint32_t nodes) {
  const std::uint32_t payload = largest_payload(schema);
  const std::uint32_t image = round_up(RecordFormat(payload).bytes(), kLineBytes);
  const std::size_t access = image + round_up(payload, 8) + 16 + Bucket::kBytes + 2 * kLineBytes;
  const std::uint32_t copies = options.replicas - 1;
  const std::size_t logs = std::min<std::size_t>(nodes, std::size_t{options.max_records} * copies);
  const std::size_t log_bytes =
      logs * (log_frame_bytes(options.max_records) + 8) +
      std::size_t{options.max_records} * copies * log_update_bytes(payload);
  return (options.max_records * access + log_bytes + kLineBytes - 1) / kLineBytes * kLineBytes;
}

const TransactionOptions& checked(const TransactionOptions& options, const Schema& schema) {
  auto refuse = [](const std::string& what) { throw ConfigurationError(what); };
  if (options.replicas == 0) refuse("replicas 0; allowed are 1 to the number of nodes");
  if (options.fibers == 0 || options.fibers > 32768) {
    refuse("coroutines " + std::to_string(options.fibers) + "; allowed are 1 to 32768");
  }
  if (options.max_records == 0 || options.max_records > 255) {
    refuse("max_records " + std::to_string(options.max_records) + "; allowed are 1 to 255");
  }
  const std::uint64_t least = 2 * std::uint64_t{longest_log_record(schema, options.max_records)};
  if (options.log_ring_bytes % 64 != 0 || options.log_ring_bytes < least) {
    refuse("log_ring_bytes " + std::to_string(options.log_ring_bytes) +
           "; allowed are multiples of 64 from " + std::to_string((least + 63) / 64 * 64) +
           " on, twice the longest record");
  }
  return options;
}

}  // namespace

std::size_t TransactionNode::scratch_bytes(const Schema& schema, const TransactionOptions& options,
                                           std::uint32_t nodes) {
  return (arena_bytes_for(schema, options, nodes) + kLineBytes) * options.fibers;
}

std::uint32_t TransactionNode::message_bytes(const Schema& schema,
                                             const TransactionOptions& options) {
  const std::uint32_t payload = padded_to_words(largest_payload(schema));
  const auto update = static_cast<std::uint32_t>(sizeof(RecordUpdate)) + payload;
  const auto group = static_cast<std::uint32_t>(sizeof(GroupHeader)) + options.max_records * update;
  const auto log = static_cast<std::uint32_t>(sizeof(LogPiece)) +
                   longest_log_record(schema, options.max_records);
  const auto read = static_cast<std::uint32_t>(sizeof(ReadReply)) + payload;
  return static_cast<std::uint32_t>(sizeof(rdma::MessageHeader)) + std::max({group, log, read});
}

TransactionNode::TransactionNode(rdma::Endpoint& endpoint, const Schema& schema,
                                 const TransactionOptions& options)
    : endpoint_(endpoint),
      schema_(schema),
      options_(checked(options, schema)),
      layout_(schema, {.nodes = endpoint.nodes(), .replicas = options.replicas}),
      log_layout_{.nodes = endpoint.nodes(),
                  .workers = endpoint.workers(),
                  .ring_bytes = options.log_ring_bytes},
      store_region_(endpoint.add_region("store", layout_.region_bytes(),
                                        layout_.loader(schema, endpoint.node()))),
      log_region_(endpoint.add_region("log", log_layout_.region_bytes(), {})),
      store_(layout_, endpoint.node(), store_region_.memory()),
      cache_(options.location_cache_bytes),
      arena_bytes_(arena_bytes_for(schema, options, endpoint.nodes())),
      max_log_record_(longest_log_record(schema, options.max_records)) {
  if (options.warm_location_cache) warm_cache();
}

// Every table gets the same share of its records, lowest keys first, which workloads use most.
void TransactionNode::warm_cache() {
  std::uint64_t records = 0;
  for (const TableDefinition& table : schema_) records += table.initial_records * endpoint_.nodes();
  const std::uint64_t places = options_.location_cache_bytes / 8;
  for (std::size_t table = 0; table < schema_.size(); ++table) {
    const std::uint64_t all = schema_[table].initial_records;
    cache_.prefill(static_cast<TableId>(table), schema_[table].key_shape(),
                   records <= places ? all : all * places / records);
  }
}

TransactionNode::~TransactionNode() = default;

// Addresses are computed from the node's own layout.
void TransactionNode::check_peers() const {
  for (std::uint32_t i = 0; i < endpoint_.nodes(); ++i) {
    const auto peer = static_cast<rdma::NodeId>(i);
    if (endpoint_.region_size(peer, store_region_.id()) != store_region_.size() ||
        endpoint_.region_size(peer, log_region_.id()) != log_region_.size()) {
      throw ConfigurationError(
          "node " + std::to_string(peer) + " lays out its memory otherwise than node " +
          std::to_string(node()) +
          "; tables, replicas and log_ring_bytes must be the same on all nodes");
    }
  }
}

void TransactionNode::start() {
  check_peers();
  for (std::uint32_t i = 0; i < endpoint_.workers(); ++i) {
    rdma::Worker& worker = endpoint_.worker(static_cast<rdma::WorkerId>(i));
    coordinators_.push_back(std::make_unique<Coordinator>(*this, worker));
    services_.push_back(std::make_unique<Service>(*this, worker, *coordinators_.back()));
  }
  const std::size_t longest =
      sizeof(GroupHeader) + sizeof(RecordUpdate) + round_up(largest_payload(schema_), 8);
  const std::size_t most = endpoint_.worker(0).rpc().max_payload();
  const bool payloads_in_messages = plan().execute.primitive != Primitive::kOneSided ||
                                    plan().read.primitive != Primitive::kOneSided ||
                                    plan().commit.primitive != Primitive::kOneSided;
  if (payloads_in_messages && longest > most) {
    throw ConfigurationError(
        "plan '" + plan().name + "' sends records in messages: the largest needs " +
        std::to_string(longest) + " bytes; allowed are " + std::to_string(most));
  }
}

std::span<std::byte> TransactionNode::ring(rdma::NodeId source, rdma::WorkerId worker) {
  return {log_region_.at(log_layout_.ring_offset(source, worker), log_layout_.ring_bytes),
          log_layout_.ring_bytes};
}

}  // namespace verbena::txn
