// Setting the cluster up, and looking at it when it is at rest.
#include "tests/txn/si2pc/partition_cluster.h"

#include <array>
#include <cstring>

#include "txn/si2pc/system.h"

namespace verbena::testing {
namespace {

constexpr std::uint32_t kPayloadBytes = 200;
constexpr WorkerId kWorker{0};

txn::KeyRange all_keys(txn::PartitionId partition) {
  return {.table = 1, .partition = partition, .first = 0, .last = txn::kNoKey, .descending = false};
}

}  // namespace

PartitionCluster::PartitionCluster(const Options& options)
    : shape_{.nodes = kPartitions + 1, .workers = 1, .seed = options.seed, .chaos = options.chaos},
      system_(std::make_unique<txn::si2pc::System>(
          txn::si2pc::Options{.name = "si-2pc",
                              .description = "a test's",
                              .source = "a test",
                              .node = {.versions = options.versions,
                                       .longest_transaction = options.longest_transaction}})),
      deployment_{
          .schema = {{.name = "words", .payload_bytes = kPayloadBytes, .initial_records = 10},
                     {.name = "keys",
                      .payload_bytes = kPayloadBytes,
                      .initial_records = 5,
                      .insert_capacity = 30,
                      .key_levels = {{.count = 5, .shift = 3}},
                      .ordered = true}},
          .limits = {},
          .view = system_->place({.nodes = shape_.nodes, .replicas = 1}),
          .fibers = kFibers} {
  deployment_.limits = txn::TransactionLimits::any_of(deployment_.schema, 8);
  deployment_.limits.scanned = 8;
  const rdma::EndpointOptions endpoint =
      system_->endpoint(options_for(shape_), deployment_, static_cast<NodeId>(0));
  cluster_ = std::make_unique<Cluster>(shape_, endpoint, [&](rdma::Endpoint& added) {
    nodes_.push_back(system_->join(added, deployment_));
  });
  for (auto& node : nodes_) node->start();
  for (std::uint16_t fiber = 0; fiber < kFibers; ++fiber) {
    for (std::uint32_t n = 0; n < kPartitions; ++n) {
      transactions_.push_back(nodes_[n]->transaction(kWorker, fiber));
    }
  }
}

void PartitionCluster::run(const std::vector<Body>& bodies) {
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    rdma::Worker& worker = cluster_->worker(static_cast<NodeId>(i % kPartitions));
    worker.spawn([body = bodies[i], &worker, transaction = transactions_.at(i).get()] {
      body(*transaction, worker);
    });
  }
  cluster_->run();
}

std::uint64_t PartitionCluster::word(txn::PartitionId partition, txn::Key key) {
  std::array<std::byte, kPayloadBytes> payload{};
  nodes_[partition]->state().get({.table = 0, .partition = partition, .key = key}, payload);
  std::uint64_t word = 0;
  std::memcpy(&word, payload.data(), sizeof word);
  return word;
}

std::vector<txn::Key> PartitionCluster::keys(txn::PartitionId partition) {
  std::vector<txn::Key> keys;
  nodes_[partition]->state().scan(all_keys(partition), [&](txn::Key key) {
    keys.push_back(key);
    return true;
  });
  return keys;
}

std::uint64_t PartitionCluster::count_keys(txn::PartitionId partition) {
  return nodes_[partition]->state().count(all_keys(partition));
}

std::vector<std::string> PartitionCluster::errors() {
  std::vector<std::string> errors;
  for (auto& node : nodes_) {
    for (std::string& error : node->state().self_check().errors) errors.push_back(std::move(error));
  }
  return errors;
}

std::uint64_t& word_to_write(txn::Transaction& transaction, txn::Transaction::Handle handle) {
  return *reinterpret_cast<std::uint64_t*>(transaction.update_payload(handle).data());
}

std::uint64_t word_read(txn::Transaction& transaction, txn::Transaction::Handle handle) {
  return *reinterpret_cast<const std::uint64_t*>(transaction.payload(handle).data());
}

}  // namespace verbena::testing
