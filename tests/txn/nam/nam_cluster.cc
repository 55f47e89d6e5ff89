// Setting up the cluster, and its fibers.
#include "tests/txn/nam/nam_cluster.h"

#include <array>
#include <cstring>
#include <utility>

#include "txn/nam/measures.h"
#include "txn/nam/node/system.h"
#include "txn/nam/records/record_image.h"

namespace verbena::testing {
namespace {

constexpr std::uint32_t kPayloadBytes = 200;
constexpr txn::KeyRange kAllKeys{.table = 1,
                                 .partition = static_cast<txn::PartitionId>(0),
                                 .first = 0,
                                 .last = txn::kNoKey,
                                 .descending = false};

}  // namespace

NamCluster::NamCluster(const Options& options)
    : shape_{.nodes = kNodes, .workers = 1, .seed = options.seed, .chaos = options.chaos},
      system_(std::make_unique<txn::nam::System>(
          txn::nam::Options{.name = "nam",
                            .description = "a test's",
                            .source = "a test",
                            .memory_nodes = options.locality ? 0 : kNodes - kCompute - 1,
                            .versions = options.versions,
                            .bucket_slots_percent = options.bucket_slots_percent,
                            .first_buckets = options.first_buckets,
                            .overflow_kib = options.overflow_kib,
                            .node = {.stable_snapshots = true,
                                     .locality = options.locality,
                                     .longest_transaction = options.longest_transaction,
                                     .extent_records = options.extent_records}})),
      deployment_{
          .schema = {{.name = "words", .payload_bytes = kPayloadBytes, .initial_records = 10},
                     {.name = "keys",
                      .payload_bytes = kPayloadBytes,
                      .initial_records = 5,
                      .insert_capacity = kNewKeys,
                      .key_levels = {{.count = 5, .shift = 3}},
                      .ordered = true},
                     {.name = "numbers", .initial_records = 2, .drawn_by = "a test"}},
          .limits = {},
          .view = system_->place({.nodes = kNodes, .replicas = 1}),
          .fibers = kFibers} {
  deployment_.limits = txn::TransactionLimits::any_of(deployment_.schema, 8);
  deployment_.limits.scanned = 8;
  const rdma::EndpointOptions endpoint =
      system_->endpoint(options_for(shape_), deployment_, static_cast<NodeId>(0));
  cluster_ = std::make_unique<Cluster>(shape_, endpoint, [&](rdma::Endpoint& added) {
    nodes_.push_back(system_->join(added, deployment_));
  });
  for (auto& node : nodes_) node->start();
  for (std::uint32_t n = 0; n < kCompute; ++n) {
    for (std::uint16_t fiber = 0; fiber < kFibers; ++fiber) {
      nodes_[n]->measure(static_cast<WorkerId>(0), 0, kNever);
      transactions_.push_back(nodes_[n]->transaction(static_cast<WorkerId>(0), fiber));
    }
  }
}

void NamCluster::run(const std::vector<Body>& bodies) {
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    // One of each server first.
    const std::size_t number = i % kCompute * kFibers + i / kCompute;
    rdma::Worker& worker = cluster_->worker(static_cast<NodeId>(i % kCompute));
    worker.spawn([body = bodies[i], &worker, transaction = transactions_.at(number).get()] {
      body(*transaction, worker);
    });
  }
  for (std::uint32_t n = 0; n < kNodes; ++n) {
    rdma::Worker& worker = cluster_->worker(static_cast<NodeId>(n));
    for (auto& body : nodes_[n]->background(static_cast<WorkerId>(0))) {
      worker.spawn_background(std::move(body));
    }
  }
  cluster_->run();
}

txn::StateAtRest& NamCluster::memory_server() {
  return nodes_[deployment_.view.primary(0)]->state();
}

std::uint64_t NamCluster::word(txn::Key key) { return first_word_of(0, key); }

std::uint64_t NamCluster::number(txn::Key key) { return first_word_of(2, key); }

// Its table is the first of the region.
RemoteAddress NamCluster::first_word() const {
  return {.node = deployment_.view.primary(0), .region = 0, .offset = txn::nam::kPayloadOffset};
}

std::uint64_t NamCluster::first_word_of(txn::TableId table, txn::Key key) {
  std::array<std::byte, kPayloadBytes> payload{};
  memory_server().get({.table = table, .partition = 0, .key = key}, payload);
  std::uint64_t word;
  std::memcpy(&word, payload.data(), sizeof word);
  return word;
}

std::vector<txn::Key> NamCluster::keys() {
  std::vector<txn::Key> keys;
  memory_server().scan(kAllKeys, [&](txn::Key key) {
    keys.push_back(key);
    return true;
  });
  return keys;
}

std::uint64_t NamCluster::count_keys() { return memory_server().count(kAllKeys); }

txn::Metrics NamCluster::metrics() {
  txn::Metrics all(system_->info());
  for (auto& node : nodes_) all.merge(node->metrics(static_cast<WorkerId>(0)));
  return all;
}

std::uint64_t NamCluster::count(txn::nam::Counter counter) {
  return metrics().counters[static_cast<std::size_t>(counter)];
}

std::uint64_t NamCluster::scanned_keys() { return count(txn::nam::Counter::kScanned); }

std::vector<std::string> NamCluster::errors() { return memory_server().self_check().errors; }

std::uint64_t& word_of(txn::Transaction& transaction, txn::Transaction::Handle handle) {
  return *reinterpret_cast<std::uint64_t*>(transaction.update_payload(handle).data());
}

std::uint64_t read_word(txn::Transaction& transaction, txn::Transaction::Handle handle) {
  return *reinterpret_cast<const std::uint64_t*>(transaction.payload(handle).data());
}

}  // namespace verbena::testing
